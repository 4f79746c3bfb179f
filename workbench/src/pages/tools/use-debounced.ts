import { useEffect, useRef, useState } from "react";

/** Debounces: runs the task once `value` has not changed for `ms`; a change cancels it. */
export function useDebounced(value: unknown, ms: number): (task: () => void) => void {
  const changedAt = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: any change restarts the timer
  useEffect(() => {
    changedAt.current = performance.now();
    return () => clearTimeout(timer.current);
  }, [value]);
  return (task) => {
    clearTimeout(timer.current);
    const remainingMs = changedAt.current + ms - performance.now();
    if (remainingMs <= 0) task();
    else timer.current = setTimeout(task, remainingMs);
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
