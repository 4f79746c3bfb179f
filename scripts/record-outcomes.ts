/**
 * Writes what a released version answers to generated sequences of steps; test/scenarios/recorded-outcomes.test.ts compares this
 * version with it. `node scripts/record-outcomes.ts DIRECTORY`, where the package of that version is installed.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { type Library, live } from "../test/fixtures/outcomes/live.ts";
import { type Lived, writeOutcomes } from "../test/fixtures/outcomes/recorded.ts";
import { generateSequences } from "../test/fixtures/outcomes/steps.ts";

const sequences = 64;
const seed = 20;

const [directory] = process.argv.slice(2);
if (directory === undefined)
  throw new Error("Name the directory in which the package is installed.");
const installed = resolve(directory, "node_modules/toolplane");
const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
  version: string;
};
const library = (await import(pathToFileURL(join(installed, "dist/index.js")).href)) as Library;

const lives: Lived[] = [];
for (const steps of generateSequences(sequences, seed)) {
  const [seen, again] = await Promise.all([live(library, steps), live(library, steps)]);
  // What differs from run to run is no outcome.
  if (isDeepStrictEqual(seen, again)) lives.push({ steps, seen });
  else console.error(`Left out: ${JSON.stringify({ steps, seen, again })}`);
}
writeOutcomes({ version, lives });
console.log(`${lives.length} of ${sequences} sequences are recorded.`);
