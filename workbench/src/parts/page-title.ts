import { useSyncExternalStore } from "react";

let title = "";
const listeners = new Set<() => void>();

/** The page's title, for the browser's tab and history. */
export function setPageTitle(next: string): void {
  if (next === title) return;
  title = next;
  for (const listener of listeners) listener();
}

export function usePageTitle(): string {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => title,
  );
}
