import type { ExtensionVerb } from "../../../model/extensions/extension-schema.ts";
import { isObject, type Json, type JsonObject } from "../../../model/json.ts";
import { renderFacts, table } from "../terminal/output.ts";

/** What people see of an answer: a list as a table, an object line by line, anything else as it is. */
export function renderAnswer(answer: Json, columns: ExtensionVerb["columns"]): string {
  if (answer === null) return "Done.";
  if (Array.isArray(answer)) return renderList(answer, columns);
  if (!isObject(answer)) return String(answer);
  const fields = Object.entries(answer as JsonObject);
  const lists = fields.filter(([, value]) => Array.isArray(value));
  const [list] = lists;
  if (columns === null || lists.length !== 1 || list === undefined) return renderFields(fields);
  const otherFields = fields.filter((field) => field !== list);
  const rows = renderList(list[1] as Json[], columns);
  if (otherFields.length === 0) return rows;
  return `${renderFields(otherFields)}\n${rows}`;
}

function renderFields(fields: readonly [string, Json][]): string {
  const width = Math.max(0, ...fields.map(([name]) => name.length)) + 1;
  return renderFacts(
    width,
    fields.map(([name, value]) => [name, value === null ? "-" : textOf(value)]),
  ).join("\n");
}

function renderList(rows: readonly Json[], columns: ExtensionVerb["columns"]): string {
  const entries = rows.filter((row): row is JsonObject => isObject(row));
  if (rows.length === 0) return "None.";
  if (entries.length < rows.length) return rows.map(textOf).join("\n");
  const titles =
    columns ??
    Object.fromEntries(Object.keys(entries[0] ?? {}).map((name) => [name, name.toUpperCase()]));
  const readers = Object.entries(titles).map(([field, title]) => {
    const readCell = (row: JsonObject) =>
      row[field] === null || row[field] === undefined ? null : textOf(row[field]);
    return [title, readCell] as const;
  });
  return table(entries, "None.", Object.fromEntries(readers));
}

const textOf = (value: Json): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);
