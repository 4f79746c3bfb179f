import { showScoped } from "./addresses.ts";

/** Of one client; the least recently used are forgotten. */
const maxPages = 200;

export type GivenPage = { server: string; uri: string };

/**
 * The pages that one client was given. A page calls tools by the names they have at its server, and the client does not
 * say which of its pages calls.
 */
export function createGivenPages() {
  // A map keeps its order: the last used stands last.
  const pages = new Map<string, GivenPage>();
  return {
    /** The page was read, or its tool was called. */
    note(server: string, uri: string): void {
      const shown = showScoped(server, uri);
      pages.delete(shown);
      pages.set(shown, { server, uri });
      for (const oldest of pages.keys()) if (pages.size > maxPages) pages.delete(oldest);
    },
    find: (shown: string): GivenPage | undefined => pages.get(shown),
    /** The last used first. */
    recent: (): GivenPage[] => [...pages.values()].reverse(),
  };
}
