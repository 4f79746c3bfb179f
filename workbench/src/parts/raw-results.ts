import { useEffect, useSyncExternalStore } from "react";

let isRaw = false;
let viewCount = 0;
const listeners = new Set<() => void>();

export function setRaw(next: boolean): void {
  isRaw = next;
  for (const listener of listeners) listener();
}

function onKey({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent): void {
  const isTyping =
    target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable]") !== null;
  if (key.toLowerCase() === "v" && !ctrlKey && !metaKey && !altKey && !isTyping) setRaw(!isRaw);
}

/** Whether results are shown as they came. The key V changes it for all results of the page. */
export function useIsRaw(): boolean {
  useEffect(() => {
    viewCount += 1;
    if (viewCount === 1) window.addEventListener("keydown", onKey);
    return () => {
      viewCount -= 1;
      if (viewCount === 0) window.removeEventListener("keydown", onKey);
    };
  }, []);
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => isRaw,
  );
}
