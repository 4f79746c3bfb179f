import { useEffect, useRef } from "react";

/** Does something once `value` has stayed the same for so long; when it changes before that, not at all. */
export function useAfterRest(value: unknown, ms: number): (task: () => void) => void {
  const since = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what it is does not matter, only that it is another one
  useEffect(() => {
    since.current = performance.now();
    return () => clearTimeout(timer.current);
  }, [value]);
  return (task) => {
    clearTimeout(timer.current);
    const left = since.current + ms - performance.now();
    if (left <= 0) task();
    else timer.current = setTimeout(task, left);
  };
}
