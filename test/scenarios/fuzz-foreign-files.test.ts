import { test } from "node:test";
import { fuzzedFiles, fuzzFile } from "../fixtures/fuzz-files.ts";

/** Few, and always the same; `fuzz-foreign-files.long.test.ts` tries many. */
const sample = { texts: 20, seed: 1 };

for (const name of fuzzedFiles)
  test(`${name}: a sample of changed ones is read or refused, and refers to nothing that was not asked for`, async () => {
    await fuzzFile(name, sample);
  });
