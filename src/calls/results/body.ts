import { indentJson } from "../../lib/json/render-json.ts";
import { resultText, type ToolResult } from "../../model/calls/result.ts";
import type { Json } from "../../model/json.ts";

/** What there is to read in a result. `json` is undefined where it is no object or list. */
export type Body = { text: string; json: Json | undefined; isStructured: boolean };

/** Its text, or its structured content where that says more. */
export function bodyOf(result: ToolResult): Body {
  const { written, value, isStructured } = readBody(result);
  // A text in JSON is easier to read without its quotes.
  if (typeof value === "string") return { text: value, json: undefined, isStructured };
  const json = typeof value === "object" && value !== null ? value : undefined;
  // One endless line can neither be searched by lines nor cut where it makes sense.
  const text = json !== undefined && !written.includes("\n") ? inLines(written, json) : written;
  return { text, json, isStructured };
}

/** Numbers of more digits than can be read and written again without loss take the slower way. */
function inLines(written: string, json: Json): string {
  return /\d[\d.]{15}/.test(written) ? indentJson(written) : JSON.stringify(json, null, 1);
}

/** The same where only its JSON is looked at. */
export function jsonOf(result: ToolResult): Json | undefined {
  const { value } = readBody(result);
  return typeof value === "object" && value !== null ? value : undefined;
}

function readBody(result: ToolResult) {
  const said = resultText(result);
  const structured = result.structuredContent === undefined ? "" : JSON.stringify(result.structuredContent);
  const isStructured = structured.length > said.length;
  const value = isStructured ? result.structuredContent : parseJson(said);
  return { written: isStructured ? structured : said, value, isStructured };
}

function parseJson(text: string): Json | undefined {
  if (!/^\s*[{["]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
