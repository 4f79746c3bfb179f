import { sliceText } from "../../lib/cut-text.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Json } from "../../model/json.ts";
import type { ToolResult } from "../../model/result.ts";
import { pageLimits, type ResultPage, type ResultQuery } from "../../model/stored-result.ts";
import { bodyOf, jsonOf } from "./body.ts";
import { findLines, renderFound } from "./find-lines.ts";
import { findPath, isWhole } from "./find-path.ts";
import { type PageAsked, parseQuery } from "./parse-query.ts";

type Page = Pick<ResultPage, "unit" | "offset" | "total" | "nextOffset" | "text">;

/** One page of a result, of what a path leads to, or of the lines in which a pattern is found. */
export async function readPage(result: ToolResult, query: ResultQuery): Promise<Page> {
  const asked = await parseQuery(query);
  const text = asked.path === null ? bodyOf(result).text : textAt(result, asked.path);
  if (asked.unit === "characters") return pageOfCharacters(text, asked);
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  if (asked.unit === "lines") return pageOf(lines, asked, (items) => items);
  return pageOf(await findLines(lines, asked.grep ?? ""), asked, (found) => renderFound(lines, found));
}

function pageOfCharacters(text: string, { unit, offset, limit }: PageAsked): Page {
  requireWithin(offset, text.length, "characters");
  const shown = sliceText(text, offset, offset + limit);
  // A limit of one cannot hold a character of two halves; such a page goes one further instead of nowhere.
  const page = shown === "" && offset < text.length ? text.slice(offset, offset + 2) : shown;
  const end = offset + page.length;
  return { unit, offset, total: text.length, nextOffset: end < text.length ? end : null, text: page };
}

/** As many as fit: a page of endless lines is no page. */
function pageOf<T>(
  items: readonly T[],
  { unit, offset, limit }: PageAsked,
  render: (some: readonly T[]) => readonly string[],
): Page {
  requireWithin(offset, items.length, unit);
  const most = pageLimits.characters.most;
  let some = items.slice(offset, offset + limit);
  let text = render(some).join("\n");
  while (text.length > most && some.length > 1) {
    some = some.slice(0, Math.ceil(some.length / 2));
    text = render(some).join("\n");
  }
  if (text.length > most) text = `${sliceText(text, 0, most)}…`;
  const end = offset + some.length;
  return { unit, offset, total: items.length, nextOffset: end < items.length ? end : null, text };
}

function requireWithin(offset: number, total: number, unit: string): void {
  if (offset === 0 || offset <= total) return;
  throw new PlaneError("USAGE", `'offset' cannot be '${offset}': there are only ${total} ${unit}.`, {
    data: { parameter: "offset", value: String(offset), total },
  });
}

function textAt(result: ToolResult, path: string): string {
  const found = findPath(isWhole(path) ? (result as Json) : requireJson(result, path), path);
  return typeof found === "string" ? found : JSON.stringify(found, null, 1);
}

function requireJson(result: ToolResult, path: string): Json {
  const json = jsonOf(result);
  if (json !== undefined) return json;
  throw new PlaneError(
    "USAGE",
    `'path' cannot be '${path.slice(0, 60)}': the result is text and not JSON. Use 'offset', 'lines' or 'grep', or a path that begins with '$result'.`,
    { data: { parameter: "path", value: path.slice(0, 60) } },
  );
}
