import { useEffect, useState } from "react";

/** Has it stayed the same for so long? */
export function useRest(value: unknown, ms: number): boolean {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(setRested, ms, value);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return rested === value;
}
