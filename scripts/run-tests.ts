import { existsSync, globSync, mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { bundleForTests } from "./bundle-for-tests.ts";
import { groupUnits } from "./group-units.ts";

const root = join(import.meta.dirname, "..");
process.chdir(root);

/** Whatever takes long comes first, so that the many short ones fill up the end, when workers run out of files. */
const inOrder = [
  "test/workbench/**/*.test.ts",
  "test/*.test.ts",
  "test/scenarios/**/*.test.ts",
  "test/**/*.test.ts",
  "examples/*.test.ts",
  "workbench/src/**/*.test.ts",
  "src/**/*.test.ts",
];
/** One more than there are processors, because many tests wait for something. */
const concurrency = availableParallelism() + 1;
/** Far above what any test takes and what all of them take: what reaches it hangs, and is named instead of waited for. */
const limits = { timeout: 5 * 60_000, signal: AbortSignal.timeout(30 * 60_000) };

/** Packages with an installation of their own; their tests run where they are installed. */
const peerPackages = ["examples", "test/peers"];

const named = process.argv.slice(2);
const patterns = named.length > 0 ? named : inOrder;
const missing = peerPackages.filter((directory) => !existsSync(join(directory, "node_modules")));
const isPeerTest = (file: string) => missing.some((directory) => file.startsWith(`${directory}/`));
const found = [...new Set(patterns.flatMap(filesOf))];
const files = found.filter((file) => !isPeerTest(file));

function filesOf(pattern: string): string[] {
  const matches = globSync(pattern, { exclude: ["**/node_modules/**"] }).sort();
  if (matches.length === 0) throw new Error(`No test file is called '${pattern}'. Name one as from ${root}.`);
  return matches;
}

// Nearly every test file is a process of its own, so what is compiled for one is kept for the others.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "node");
mkdirSync(process.env.NODE_COMPILE_CACHE, { recursive: true });
// A few named ones start everything from the sources, so that nothing else has to compile.
if (named.length === 0) process.env.TOOLPLANE_TEST_BUNDLE = await bundleForTests();

const results = run({ files: named.length > 0 ? files : groupUnits(root, files), concurrency, ...limits });
results.on("test:fail", ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
for await (const text of results.compose(spec)) process.stdout.write(text);
if (files.length < found.length)
  process.stdout.write(
    `Skipped ${found.length - files.length} files of ${missing.join(" and ")}: install what they test against with 'npm run peers'.\n`,
  );
