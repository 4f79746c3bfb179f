import { parseArgs } from "node:util";
import { fuzz, fuzzed } from "../test/fixtures/fuzz.ts";
import { fuzzedFiles, fuzzFile } from "../test/fixtures/fuzz-files.ts";

// Feeds every parser of a wire or a foreign file with texts bred from a corpus: `node scripts/fuzz.ts --seconds 60 --seed 7`.
const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "600" },
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
  },
});
const seed = Number(values.seed);
const seconds = Number(values.seconds) / (fuzzed.length + fuzzedFiles.length);
for (const name of fuzzed) {
  const runs = fuzz(name, { seconds, seed });
  process.stdout.write(`${name}: ${runs} texts, seed ${seed}\n`);
}

// Then every reader of a file that a stranger may have written, with samples whose parts are changed.
for (const name of fuzzedFiles) {
  const runs = await fuzzFile(name, { seconds, seed });
  process.stdout.write(`${name}: ${runs} files, seed ${seed}\n`);
}
