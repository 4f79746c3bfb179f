import { useEffect, useRef, useState } from "react";

/** Debounces: runs the task once `value` has not changed for `ms`; a change cancels it. */
export function useDebounced(value: unknown, ms: number): (task: () => void) => void {
  const since = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: any change restarts the timer
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

/** Whether it has been so for `ms`. */
export function useLasting(isSo: boolean, ms: number): boolean {
  const [isLasting, setLasting] = useState(false);
  useEffect(() => {
    if (!isSo) return;
    const timer = setTimeout(() => setLasting(true), ms);
    return () => {
      clearTimeout(timer);
      setLasting(false);
    };
  }, [isSo, ms]);
  return isSo && isLasting;
}
