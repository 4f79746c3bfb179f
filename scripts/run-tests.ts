import { existsSync, globSync, mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { bundleForTests } from "./bundle-for-tests.ts";

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

/** More files than this did not fail by chance. */
const maxAgain = 3;

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

// Every test file is a process of its own, so what is compiled for one is kept for the others.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "node");
mkdirSync(process.env.NODE_COMPILE_CACHE, { recursive: true });
// A few named ones start everything from the sources, so that nothing else has to compile.
if (named.length === 0) process.env.TOOLPLANE_TEST_BUNDLE = await bundleForTests();

/** Runs these files: whether something failed, and in which of them. */
async function runAll(files: readonly string[], atATime: number) {
  const failed: string[] = [];
  let isGood = true;
  const results = run({ files, concurrency: atATime, ...limits });
  results.on("test:fail", ({ todo }) => {
    if (todo === undefined || todo === false) isGood = false;
  });
  results.on("test:summary", ({ file, success }) => {
    if (file !== undefined && !success) failed.push(file);
  });
  for await (const text of results.compose(spec)) process.stdout.write(text);
  return { isGood, failed };
}

/**
 * Real processes on a machine that is full may miss each other. Of all tests, those of a few files get a second look with the
 * machine to themselves; what is wrong fails again.
 */
async function runTwice(): Promise<boolean> {
  const { isGood, failed } = await runAll(files, concurrency);
  if (isGood || named.length > 0 || failed.length === 0 || failed.length > maxAgain) return isGood;
  process.stdout.write(`\nOnce more, alone:\n${failed.join("\n")}\n\n`);
  return (await runAll(failed, 1)).isGood;
}

if (!(await runTwice())) process.exitCode = 1;
if (files.length < found.length)
  process.stdout.write(
    `Skipped ${found.length - files.length} files of ${missing.join(" and ")}: install what they test against with 'npm run peers'.\n`,
  );
