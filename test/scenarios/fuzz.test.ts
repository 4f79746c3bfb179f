import { test } from "node:test";
import { fuzz, fuzzed } from "../fixtures/fuzz.ts";
import { fuzzSeed, repeatWith } from "../fixtures/fuzz-seed.ts";
import { cases } from "../fixtures/tier.ts";

for (const name of fuzzed)
  test(`${name}: whatever is read, nothing but a refusal is thrown and nothing takes long`, (context) => {
    context.diagnostic(repeatWith);
    fuzz(name, { texts: cases(1_000), seed: fuzzSeed });
  });
