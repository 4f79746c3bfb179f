import { parseArgs } from "node:util";
import { fuzz, fuzzed } from "../test/fixtures/fuzz.ts";

// Feeds every parser of a wire or a foreign file with texts bred from a corpus: `node scripts/fuzz.ts --seconds 60`.
const { values } = parseArgs({ options: { seconds: { type: "string", default: "600" } } });
for (const name of fuzzed) {
  const runs = fuzz(name, { seconds: Number(values.seconds) / fuzzed.length });
  process.stdout.write(`${name}: ${runs} texts\n`);
}
