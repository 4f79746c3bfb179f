import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { type ParseError, parse } from "jsonc-parser";
import { loadConfig } from "../src/config/load-config.ts";
import { configSchema } from "../src/config/schemas.ts";
import { type Block, blocksOf, documents } from "./fixtures/documents.ts";
import { temporaryDirectory } from "./fixtures/start-server.ts";

const known = new Set(["$schema", ...Object.keys(configSchema().properties as object)]);

function read(block: Block): unknown {
  const errors: ParseError[] = [];
  const data: unknown = parse(block.text, errors, { allowTrailingComma: true });
  assert.deepEqual(errors, [], `${block.path}:${block.line} is not JSON`);
  return data;
}

function isConfiguration(data: unknown): boolean {
  const keys = Object.keys(Object(data));
  return !Array.isArray(data) && keys.length > 0 && keys.every((key) => known.has(key));
}

/** One of them, several by name, or a list: what a file of manifests may hold. */
function isManifest(data: unknown): boolean {
  const [first] = Array.isArray(data) ? data : Object.values(Object(data));
  return [data, first].some((entry) =>
    ["providers", "instruction_prompt", "required_skills"].some((key) => key in Object(entry)),
  );
}

/** What an excerpt cannot have: the files, servers and skills around it. */
const isOfItsSurroundings =
  /matches no file|is not a tool of a configured server|is assumed|no file has a skill|the extension '.*' is not used: there is no file|'desk' is not a built-in|of the kind 'desk'/;

async function problemsOf(text: string, asManifest: boolean): Promise<string[]> {
  await using directory = await temporaryDirectory();
  const file = directory.file("toolplane.json");
  if (asManifest) await writeFile(directory.file("entries.json"), text);
  await writeFile(file, asManifest ? '{ "manifests": ["entries.json"] }' : text);
  const names = [...text.matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => name);
  const environment = Object.fromEntries(names.map((name) => [name, "0".repeat(64)]));
  const { config } = await loadConfig([file], environment);
  return config.problems
    .map(({ line, path, message }) => `${line}: ${path}: ${message}`)
    .filter((problem) => !isOfItsSurroundings.test(problem));
}

for (const document of documents()) {
  const blocks = blocksOf(document, "json", "jsonc").map((block) => ({
    ...block,
    data: read(block),
  }));
  for (const { line, text, data } of blocks) {
    const asManifest = isManifest(data);
    if (!asManifest && !isConfiguration(data)) continue;
    test(`${document.path}:${line} is a ${asManifest ? "file of manifests" : "configuration"} without a problem`, async () => {
      assert.deepEqual(await problemsOf(text, asManifest), []);
    });
  }
}
