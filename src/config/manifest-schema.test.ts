import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "../model/json.ts";
import { findFiles } from "./manifests/find-files.ts";
import { manifestSchema } from "./schemas.ts";
import { readDocument } from "./text/read-document.ts";

const fixtures = join(import.meta.dirname, "../../test/fixtures");
const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(manifestSchema());

/** Without what only a lenient loader takes: short forms, and names that are given by their keys. */
const written = [
  ...findFiles("manifests/tools/*.json", fixtures).files,
  ...findFiles("manifests/work/*.yaml", fixtures).files,
  ...findFiles("manifests/work/*.jsonc", fixtures).files,
  join(fixtures, "configs/seed-001-manifest-list.json"),
];

for (const file of written) {
  test(`an editor finds nothing wrong with ${relative(fixtures, file)}`, async () => {
    const { document } = await readDocument(file);
    assert.ok(
      validate(JSON.parse(JSON.stringify(document?.data))),
      JSON.stringify(validate.errors),
    );
  });
}

const wrong: [title: string, manifest: JsonObject][] = [
  ["an unknown side effect", { name: "t", description: "T", side_effects: "magic" }],
  ["a negative time", { name: "t", description: "T", side_effects: "none", default_timeout: -1 }],
  ["a task without criteria", { kind: "task", name: "t", summary: "T" }],
  ["a job without personas", { name: "j", personas: [], task_graph: [{ task: "t" }] }],
  ["a skill with a key that is none", { kind: "skill", name: "s", colour: "red" }],
];

for (const [title, manifest] of wrong) {
  test(`an editor marks ${title}`, () => assert.equal(validate([manifest]), false));
}
