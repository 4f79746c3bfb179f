import { isObject, type UnknownObject } from "../model/json.ts";
import type { Session } from "./session.ts";

/** What can be listed, and its member in the answer. */
export const listings = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const;
export type ListMethod = keyof typeof listings;

export type Listing = {
  items: unknown[];
  /** Why the list may be incomplete. */
  warning: string | null;
  /** How many were seen and not taken. */
  leftOut?: number;
  /** The server says that it is for this caller alone. */
  isPrivate?: true;
};

export const maxListed = { pages: 1_000, items: 20_000 } as const;

/** All pages. Ends at a cursor that does not advance, and at the limits. */
export async function listAll(
  { request }: Pick<Session, "request">,
  method: ListMethod,
  signal: AbortSignal,
): Promise<Listing> {
  const key = listings[method];
  const items: unknown[] = [];
  const seen = new Set<string>();
  let params: UnknownObject = {};
  let scope: Pick<Listing, "isPrivate"> = {};
  for (let page = 0; page < maxListed.pages; page++) {
    const result = await request(method, params, { signal });
    if (!isObject(result) || !Array.isArray(result[key])) {
      throw new Error(`its answer to ${method} has no list '${key}'`);
    }
    for (const item of result[key]) items.push(item);
    if (result.cacheScope === "private") scope = { isPrivate: true };
    const cursor = result.nextCursor;
    if (items.length > maxListed.items) {
      const leftOut = items.length - maxListed.items;
      items.length = maxListed.items;
      const orMore = typeof cursor === "string" && cursor !== "" ? " or more" : "";
      const warning = `its ${key} beyond ${maxListed.items} were left out: ${leftOut}${orMore}`;
      return { items, warning, leftOut, ...scope };
    }
    if (typeof cursor !== "string" || cursor === "") return { items, warning: null, ...scope };
    if (seen.has(cursor)) return { items, warning: `its ${method} came back to the same cursor`, ...scope };
    seen.add(cursor);
    params = { cursor };
  }
  return { items, warning: `its ${method} had more than ${maxListed.pages} pages`, ...scope };
}

/** Clients load them, so they must not be able to run anything. */
export function safeIcons(icons: unknown): unknown[] {
  const isSafe = (icon: unknown) =>
    isObject(icon) && typeof icon.src === "string" && /^(?:https?:\/\/|data:image\/)/i.test(icon.src);
  return Array.isArray(icons) ? icons.filter(isSafe) : [];
}
