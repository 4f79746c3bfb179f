import { cutDeepValue } from "../lib/json/cut-deep.ts";
import { isTooDeep } from "../lib/json/exact-numbers.ts";
import { sameJson, withoutUndefined } from "../lib/json/plain-data.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import { RpcError } from "./message.ts";
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

export const maxListed = { pages: 1_000, items: 20_000, depth: 100 } as const;

const invalidParams = -32602;

/** A cursor of ours that the server refuses. It may have forgotten it with a change of its list. */
class InvalidCursor extends Error {}

/** All pages. A walk whose cursor becomes invalid begins again, once. */
export async function listAll(
  session: Pick<Session, "request">,
  method: ListMethod,
  signal: AbortSignal,
): Promise<Listing> {
  try {
    return await walk(session, method, signal);
  } catch (thrown) {
    if (!(thrown instanceof InvalidCursor)) throw thrown;
  }
  return walk(session, method, signal).catch((thrown) => {
    if (thrown instanceof InvalidCursor) throw thrown.cause;
    throw thrown;
  });
}

type Page = UnknownObject & { items: unknown[] };

async function requestPage(
  { request }: Pick<Session, "request">,
  method: ListMethod,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<Page> {
  const key = listings[method];
  const result = await request(method, withoutUndefined({ cursor }), { signal }).catch((cause) => {
    const isRefused = cause instanceof RpcError && cause.code === invalidParams;
    if (cursor !== undefined && isRefused) throw new InvalidCursor(undefined, { cause });
    throw cause;
  });
  if (!isObject(result) || !Array.isArray(result[key]))
    throw new Error(`its answer to ${method} has no list '${key}'`);
  return { ...result, items: result[key] };
}

/** Ends at a cursor that does not advance, and at the limits. */
async function walk(
  session: Pick<Session, "request">,
  method: ListMethod,
  signal: AbortSignal,
): Promise<Listing> {
  const key = listings[method];
  const items: unknown[] = [];
  const seenCursors = new Set<string>();
  let cursor: string | undefined;
  let firstPage: Page | undefined;
  let scope: Pick<Listing, "isPrivate"> = {};
  for (let count = 0; count < maxListed.pages; count++) {
    const page = await requestPage(session, method, cursor, signal).catch((thrown) => {
      // To some servers an empty cursor means the end.
      if (cursor === "" && thrown instanceof InvalidCursor) return null;
      throw thrown;
    });
    if (page === null || (cursor === "" && isSame(page, firstPage)))
      return { items, warning: null, ...scope };
    firstPage ??= page;
    for (const item of page.items) items.push(shallow(item));
    if (page.cacheScope === "private") scope = { isPrivate: true };
    const nextCursor = page.nextCursor;
    if (items.length > maxListed.items) {
      const leftOut = items.length - maxListed.items;
      items.length = maxListed.items;
      const orMore = typeof nextCursor === "string" ? " or more" : "";
      const warning = `its ${key} beyond ${maxListed.items} were left out: ${leftOut}${orMore}`;
      return { items, warning, leftOut, ...scope };
    }
    if (typeof nextCursor !== "string") return { items, warning: null, ...scope };
    if (seenCursors.has(nextCursor))
      return { items, warning: `its ${method} came back to the same cursor`, ...scope };
    seenCursors.add(nextCursor);
    cursor = nextCursor;
  }
  return { items, warning: `its ${method} had more than ${maxListed.pages} pages`, ...scope };
}

/** What goes through a definition must not overflow the stack. What is cut is still too deep for the catalogue. */
const shallow = (item: unknown) =>
  isTooDeep(item, maxListed.depth) ? cutDeepValue(item, maxListed.depth) : item;

/** Others take it for no cursor, and begin again. */
function isSame(page: Page, first: Page | undefined): boolean {
  return first !== undefined && sameJson(page.items, first.items);
}

/** Clients load them, so they must not be able to run anything. */
export function safeIcons(icons: unknown): unknown[] {
  const isSafe = (icon: unknown) =>
    isObject(icon) &&
    typeof icon.src === "string" &&
    /^(?:https?:\/\/|data:image\/)/i.test(icon.src);
  if (!Array.isArray(icons)) return [];
  return icons.filter(isSafe);
}
