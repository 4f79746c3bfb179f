import { withoutUndefined } from "../../../../lib/json/plain-data.ts";
import { plainText } from "../../../../lib/text/plain-text.ts";
import type { ResultPage } from "../../../../model/calls/result-schema.ts";
import { pageLimits, type ResultQuery } from "../../../../model/calls/stored-result.ts";
import type { Plane } from "../../../../model/plane.ts";
import { callOperations } from "../../../../operations/declared/calls.ts";
import type { TextOptions } from "../../cli.ts";
import { print, printStatus, renderMoment } from "../../terminal/output.ts";
import { viewsOf } from "../../view.ts";
import { command } from "../../with-plane.ts";
import { pickOptions, toCount } from "../option-values.ts";

type GetOptions = TextOptions<"offset" | "limit" | "path" | "grep"> & { lines?: boolean };

export const getResult = command(
  (plane, id: string, { offset, limit, ...options }: GetOptions) => {
    const range = withoutUndefined({
      offset: toCount("--offset", offset),
      limit: toCount("--limit", limit),
    });
    const query = { ...range, ...pickOptions(options, "path", "grep", "lines") };
    if (limit === undefined) return readAll(plane, id, query);
    return plane.results.get(id, query);
  },
  ({ text, unit, offset, nextOffset, total }) => {
    print(plainText(text));
    if (nextOffset !== null)
      printStatus(
        `${unit} ${offset} to ${nextOffset} of ${total}; the next ones with --offset ${nextOffset}`,
      );
  },
);

const renderMinute = (moment: string) => renderMoment(moment).slice(0, 16);

export const listResults = viewsOf(callOperations)("results.page", {
  table: {
    rows: "results",
    none: "No large result is kept.",
    columns: {
      id: "ID",
      at: { title: "SINCE", text: renderMinute },
      expiresAt: { title: "UNTIL", text: renderMinute },
      characters: "CHARACTERS",
      user: "USER",
      tool: "TOOL",
    },
  },
});

/** Without a limit, all of it, in as many pages as it takes. */
async function readAll(plane: Plane, id: string, query: ResultQuery): Promise<ResultPage> {
  const textUnit = query.lines ? "lines" : "characters";
  const unit = query.grep === undefined ? textUnit : "matches";
  const limit = pageLimits[unit].most;
  const firstPage = await plane.results.get(id, { ...query, limit });
  const texts = [firstPage.text];
  for (let offset = firstPage.nextOffset; offset !== null; ) {
    const page = await plane.results.get(id, { ...query, limit, offset });
    texts.push(page.text);
    offset = page.nextOffset;
  }
  return { ...firstPage, text: texts.join(unit === "characters" ? "" : "\n"), nextOffset: null };
}
