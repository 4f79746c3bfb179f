import assert from "node:assert/strict";
import { test } from "node:test";
import { fuzzed } from "../fixtures/fuzz.ts";
import { fuzzedFiles, fuzzFile } from "../fixtures/fuzz-files.ts";

/** Few, and always the same; `fuzz-foreign-files.long.test.ts` tries many. */
const sample = { texts: 20, seed: 1 };

for (const name of fuzzedFiles)
  test(`${name}: a sample of changed ones is read or refused, and refers to nothing that was not asked for`, async () => {
    await fuzzFile(name, sample);
  });

test("every kind of file that strangers write is fuzzed", () => {
  const kinds = [
    /server\.json/,
    /bundles as archives/,
    /manifests of bundles/,
    /OpenAPI.*YAML/,
    /manifests of tools/,
  ];
  const more = [
    /files of clients/,
    /in TOML/,
    /pasted/,
    /recordings/,
    /definitions of tools/,
    /JSON-RPC/,
    /SSE/,
    /HTTP/,
  ];
  const all = [...fuzzed, ...fuzzedFiles];
  const missing = [...kinds, ...more].filter((kind) => !all.some((name) => kind.test(name)));
  assert.deepEqual(missing, []);
});
