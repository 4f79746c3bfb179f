import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
const keyOf = (name: string) => `toolplane.${name}`;

/** A word that this browser keeps: what was done, seen or dismissed. */
export function keepFlag(name: string, value = "yes"): void {
  if (localStorage.getItem(keyOf(name)) === value) return;
  localStorage.setItem(keyOf(name), value);
  for (const listener of listeners) listener();
}

export function useFlag(name: string): string | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => localStorage.getItem(keyOf(name)),
  );
}
