import { existsSync, globSync, mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { startBrowser } from "../test/workbench/chromium.ts";
import { buildWorkbenchIfStale } from "./build-workbench.ts";
import { groupTests } from "./group-tests.ts";
import { packForTests } from "./pack-for-tests.ts";

const root = join(import.meta.dirname, "..");
process.chdir(root);

/** Whatever takes long comes first, so that the many short ones fill up the end, when workers run out of files. */
const inOrder = [
  "test/installed/*.test.ts",
  "test/workbench/**/*.test.ts",
  "test/*.test.ts",
  "test/scenarios/**/*.test.ts",
  "test/**/*.test.ts",
  "examples/*.test.ts",
  "workbench/src/**/*.test.ts",
  "src/**/*.test.ts",
];
/** More than there are processors, because many tests wait for something. */
const concurrency = availableParallelism() * 2;
/** Far above what any test, any group and all of them take: what reaches it hangs, and is named instead of waited for. */
const limits = { timeout: 15 * 60_000, signal: AbortSignal.timeout(30 * 60_000) };

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
const isWhole = named.length === 0;
// A few named ones start everything from the sources, so that nothing else has to compile.
const browser = isWhole ? await prepareAll() : null;

/** What many files need is made once. */
async function prepareAll() {
  await buildWorkbenchIfStale();
  process.env.TOOLPLANE_TEST_PACKAGE = await packForTests();
  const started = await startBrowser();
  if (started !== null) process.env.TOOLPLANE_TEST_BROWSER = started.wsEndpoint();
  return started;
}

const grouped = isWhole ? groupTests(root, files) : { files, suites: [] };
const unfinished = new Set(grouped.suites);
const results = run({ files: grouped.files, concurrency, ...limits });
results.on("test:complete", ({ name }) => void unfinished.delete(name));
results.on("test:fail", ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
for await (const text of results.compose(spec)) process.stdout.write(text);
await browser?.close();
if (unfinished.size > 0) {
  process.exitCode = 1;
  process.stdout.write(`A process ended before the tests of ${[...unfinished].join(", ")} did.\n`);
}
if (files.length < found.length)
  process.stdout.write(
    `Skipped ${found.length - files.length} files of ${missing.join(" and ")}: install what they test against with 'npm run peers'.\n`,
  );
