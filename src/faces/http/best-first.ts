import { largestSearch } from "../../model/catalogue/search.ts";
import type { ToolQuery } from "../../model/catalogue/tool-query.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Caller, Plane } from "../../model/plane.ts";
import type { ToolListing, ToolPage } from "../../model/plane-tools.ts";

import { count } from "../../operations/fields.ts";

export const Best = count(largestSearch, {
  description:
    "So many of those that fit `q` best, as `GET /search` finds them, come first; what has the words in it follows by name. Goes with `server` and `group`, not with other filters.",
});

/** What a search knows, too. */
const searchable: ReadonlySet<string> = new Set(["q", "server", "group", "limit", "cursor"]);

/** Refuses filters that would hold for one half of the list only. */
export function checkBest(names: Iterable<string>): void {
  const other = [...names].find((name) => !searchable.has(name));
  if (other === undefined) return;
  throw new PlaneError("USAGE", `'best' does not go with '${other}': leave out one of them.`, {
    data: { parameter: "best" },
  });
}

/** Personas have tools in the place of shared ones, by the same name. */
const placeOf = ({ name, persona }: ToolListing) => `${persona ?? ""}/${name}`;

type Asked = Caller & { waitMs: number };

/** One page: those that fit best, whatever they are called, and on this and later pages what has the words in it. */
export async function queryBestFirst(
  plane: Pick<Plane, "tools" | "search">,
  query: ToolQuery,
  best: number,
  caller: Asked,
): Promise<ToolPage & { note?: string }> {
  const { q, server, cursor, limit } = query;
  if (q === null || cursor !== null) return plane.tools.page(query, caller);
  const request = { query: q, limit: best, ...(server === null ? {} : { server }) };
  const { tools: found, note } = await plane.search(request, { ...caller, details: true });
  const first = found.flatMap(({ tool }) => tool ?? []);
  const known = new Set(first.map(placeOf));
  // One at least, because the next page begins where these end.
  const room = limit === null ? null : Math.max(1, limit - first.length);
  const { tools, total, ...page } = await plane.tools.page({ ...query, limit: room }, caller);
  const all = [...first, ...tools.filter((tool) => !known.has(placeOf(tool)))];
  return {
    ...page,
    total: Math.max(total, all.length),
    tools: all,
    // That nothing fits well is no news where something has the very letters.
    ...(note !== undefined && (first.length > 0 || total === 0) ? { note } : {}),
  };
}
