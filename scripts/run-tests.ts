import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { parseArgs } from "node:util";
import { startBrowser } from "../test/workbench/chromium.ts";
import { fileLimitMs, groupTests } from "./group-tests.ts";
import { packForTests } from "./pack-for-tests.ts";
import { reportTests } from "./test-report.ts";

/**
 * `npm test` and `npm run test:all`. Options: --all (everything at full size, over real transports), --name PATTERN (only tests
 * of this name), and files.
 */
const root = join(import.meta.dirname, "..");
process.chdir(root);
const { values: flags, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean", default: false }, name: { type: "string" } },
});
if (flags.all) process.env.TOOLPLANE_TEST_TIER = "all";

/** Whatever takes long comes first, so that the many short ones fill up the end, when workers run out of files. */
const inOrder = [
  "test/installed/**/*.test.ts",
  "test/workbench/**/*.test.ts",
  "test/*.test.ts",
  "test/scenarios/**/*.test.ts",
  "test/**/*.test.ts",
  "examples/*.test.ts",
  "workbench/src/**/*.test.ts",
  "packages/*/src/**/*.test.ts",
  "src/**/*.test.ts",
];
/** More than there are processors, because many tests wait for something. */
const concurrency = availableParallelism() * 2;
/** Packages with an installation of their own; their tests belong to the long tier. */
const peerPackages = ["examples", "test/peers"];

const isLong = (file: string) =>
  file.endsWith(".long.test.ts") || peerPackages.some((place) => file.startsWith(`${place}/`));
const matches = (pattern: string) => globSync(pattern, { exclude: ["**/node_modules/**"] }).sort();

function chooseFiles(): string[] {
  if (named.length === 0) {
    const found = [...new Set(inOrder.flatMap(matches))];
    return flags.all ? found : found.filter((file) => !isLong(file));
  }
  return named.flatMap((pattern) => {
    const found = matches(pattern);
    if (found.length === 0)
      throw new Error(`No test file is called '${pattern}'. Name one as from ${root}.`);
    return found;
  });
}

/** What many files need is made once. A few named ones start everything from the sources. */
async function prepareAll() {
  process.env.TOOLPLANE_TEST_PACKAGE = await packForTests();
  const started = await startBrowser();
  if (started !== null) process.env.TOOLPLANE_TEST_BROWSER = started.wsEndpoint();
  return started;
}

/** Tests read and write no file of the person who runs them. The cache and the settings of npm stay where they are. */
function moveHome(): string {
  process.env.npm_config_cache ??= join(homedir(), ".npm");
  process.env.npm_config_userconfig ??= join(homedir(), ".npmrc");
  const home = mkdtempSync(join(tmpdir(), "toolplane-home-"));
  Object.assign(process.env, { HOME: home, USERPROFILE: home });
  for (const name of ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "APPDATA"])
    delete process.env[name];
  return home;
}

const files = chooseFiles();
const uninstalled = peerPackages.filter((place) => !existsSync(join(place, "node_modules")));
if (files.some((file) => uninstalled.some((place) => file.startsWith(`${place}/`))))
  throw new Error(`Install what ${uninstalled.join(" and ")} test against: npm run peers`);

// Nearly every group is a process of its own, so what is compiled for one is kept for the others.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules", ".cache", "node");
mkdirSync(process.env.NODE_COMPILE_CACHE, { recursive: true });
const home = moveHome();
const browser = named.length === 0 ? await prepareAll() : null;
const events = run({
  files: groupTests(root, files),
  concurrency,
  // A process has several files, and each its own limit.
  timeout: 100 * fileLimitMs,
  ...(flags.name === undefined ? {} : { testNamePatterns: [flags.name] }),
});
const again = `npm ${flags.all ? "run test:all" : "test"} --`;
const { failed } = await reportTests(events, (text) => process.stdout.write(text), again);
await browser?.close();
rmSync(home, { recursive: true, force: true });
if (failed > 0) process.exitCode = 1;
