import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf } from "../../../lib/text/wording.ts";
import type { SearchCase, SearchEvaluation } from "../../../model/catalogue/search.ts";
import type { SearchQuality } from "../../../model/catalogue/search-schema.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject } from "../../../model/json.ts";
import { table } from "../terminal/output.ts";
import { command } from "../with-plane.ts";
import { readSource } from "./option-values.ts";

const maxShown = 5;

export const evaluateSearch = command(
  async (plane, file: string) => plane.evaluateSearch(readCases(await readSource(file), file)),
  (evaluation) => {
    const { queries, tools, kinds, missed, unknown } = evaluation;
    const rows = [...(kinds.length > 1 ? kinds : []), { kind: "all", ...evaluation }].flatMap(
      rowsOf,
    );
    const quality = table(rows, "", {
      KIND: ({ kind }) => plainText(kind),
      QUERIES: (row) => row.queries,
      BY: ({ by }) => by,
      "RECALL@1": ({ recall1 }) => percent(recall1),
      "RECALL@5": ({ recall5 }) => percent(recall5),
      "RECALL@10": ({ recall10 }) => percent(recall10),
      MRR: ({ mrr }) => mrr.toFixed(3),
    });
    const lines = [
      quality,
      "",
      `${countOf(queries, "query", "queries")} on ${countOf(tools, "tool")}.`,
    ];
    for (const searchCase of missed.slice(0, maxShown))
      lines.push(
        `missed: ${plainText(searchCase.query)} (${searchCase.tools.join(", ")}); found ${searchCase.found.join(", ") || "nothing"}`,
      );
    if (unknown.length > 0)
      lines.push(`Not in the catalogue: ${plainText(unknown.slice(0, maxShown).join(", "))}.`);
    return lines.join("\n");
  },
);

function rowsOf({ kind, queries, ranking, wordsOnly }: SearchEvaluation["kinds"][number]) {
  return [
    { kind, queries, by: "ranking", ...ranking },
    { kind: "", queries: "", by: "words only", ...wordsOnly },
  ] satisfies (SearchQuality & { kind: string; queries: number | string; by: string })[];
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function readCases(text: string, file: string): SearchCase[] {
  const lines = text.split("\n").map((line, index) => ({ line: line.trim(), number: index + 1 }));
  const cases = lines
    .filter(({ line }) => line !== "")
    .map(({ line, number }) => readCase(line, `line ${number} of '${file}'`));
  if (cases.length === 0) throw new PlaneError("USAGE", `'${file}' has no query.`);
  return cases;
}

function readCase(line: string, location: string): SearchCase {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = null;
  }
  const { query, tools, kind } = isObject(value) ? value : {};
  const isFit =
    typeof query === "string" && query !== "" && Array.isArray(tools) && tools.length > 0;
  if (!isFit || tools.some((tool) => typeof tool !== "string"))
    throw new PlaneError(
      "USAGE",
      `${location} is not a query with its tools: {"query": "read a file", "tools": ["read_file"]}.`,
    );
  return { query, tools: tools as string[], ...(typeof kind === "string" && { kind }) };
}
