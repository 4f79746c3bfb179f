import { extname } from "node:path";
import type { ReadDocument } from "./findings.ts";
import { parseJson } from "./parse-json.ts";
import { readText } from "./read-text.ts";

const limitMebibytes = 5;
const extensions: Readonly<Record<string, "json" | "yaml">> = {
  ".json": "json",
  ".jsonc": "json",
  ".yaml": "yaml",
  ".yml": "yaml",
};

/** One file as data that knows its lines, or the problems that make it unreadable. */
export async function readDocument(file: string): Promise<ReadDocument> {
  const read = readText(file, limitMebibytes);
  if (!("text" in read)) {
    return { document: null, problems: [{ file, path: "", severity: "error", ...read }] };
  }
  const format = extensions[extname(file).toLowerCase()] ?? formatOf(read.text);
  if (format === "json") return parseJson(file, read.text);
  // Most files are JSON, and the YAML parser takes longer to load than to run.
  const { parseYaml } = await import("./parse-yaml.ts");
  return parseYaml(file, read.text);
}

/** A comment in the manner of JavaScript is no YAML either. */
function formatOf(text: string): "json" | "yaml" {
  return /^\s*(?:[{[]|\/[/*])/.test(text) ? "json" : "yaml";
}
