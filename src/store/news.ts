import type { StoreNews } from "../model/store.ts";

/** What other planes have changed, told to whoever wants to know. */
export function createNews() {
  const listeners = new Set<(news: StoreNews) => void>();
  return {
    on(listener: (news: StoreNews) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell(news: StoreNews): void {
      for (const listener of listeners) listener(news);
    },
  };
}
