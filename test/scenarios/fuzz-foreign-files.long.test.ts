import { test } from "node:test";
import { fuzzedFiles, fuzzFile } from "../fixtures/fuzz-files.ts";
import { fuzzSeed, repeatWith } from "../fixtures/fuzz-seed.ts";

/** Of each kind; all of them take less than a minute of the processor. */
const texts = 1_200;

for (const name of fuzzedFiles)
  test(`${name}: whatever is changed in them, they are read or refused, and refer to nothing that was not asked for`, async (context) => {
    context.diagnostic(repeatWith);
    await fuzzFile(name, { texts, seed: fuzzSeed });
  });
