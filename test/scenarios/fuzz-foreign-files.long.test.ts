import { test } from "node:test";
import { fuzzedFiles, fuzzFile } from "../fixtures/fuzz-files.ts";

const texts = 3_000;
const seed = Number(process.env.TOOLPLANE_FUZZ_SEED ?? Date.now() % 2 ** 31);

for (const name of fuzzedFiles)
  test(`${name}: whatever is changed in them, they are read or refused, and refer to nothing that was not asked for`, async (context) => {
    context.diagnostic(`seed ${seed}: repeat it with TOOLPLANE_FUZZ_SEED=${seed}`);
    await fuzzFile(name, { texts, seed });
  });
