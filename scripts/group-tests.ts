import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What a file that shares its process must not do: measure the process or its memory, or replace its globals. */
const needsOwnProcess =
  /node:v8|\bgc\(|samples\/growth|mock\.method\(globalThis|process\.listenerCount|registerHooks/;

/** Folders whose files share a process, and how many of them. A process loads the library once for all of its files. */
const groupSizes: readonly (readonly [folder: string, size: number])[] = [
  ["test/workbench", 5],
  ["test/scenarios", 18],
  ["test/fixtures", 10],
  ["workbench/src", 10],
  ["packages", 60],
  ["src", 60],
];

/** One file may take this long; whatever reaches it hangs. No machine is so slow that anything else does. */
export const fileLimitMs = 30 * 60_000;

/**
 * Writes files that load a dozen test files each: a start, with all that it loads and compiles, costs more than most tests.
 * Each loaded file is a suite of its name, so its hooks and its time are its own.
 */
export function groupTests(root: string, files: readonly string[]): string[] {
  const directory = join(root, "node_modules", ".cache", `groups-${process.pid}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const groups = new Map<string, string[]>();
  const open = new Map<string, { name: string; size: number }>();
  for (const file of files) {
    const [folder = file, size = 1] =
      groupSizes.find(([place]) => file.startsWith(`${place}/`)) ?? [];
    const current = open.get(folder);
    const isFull = current === undefined || (groups.get(current.name)?.length ?? 0) >= size;
    const isAlone = size === 1 || needsOwnProcess.test(readFileSync(join(root, file), "utf8"));
    const name = isAlone || isFull ? `${groups.size + 1}` : current.name;
    groups.set(name, [...(groups.get(name) ?? []), file]);
    if (!isAlone) open.set(folder, { name, size });
  }
  return [...groups].map(([name, members]) => {
    const file = join(directory, `group-${name.padStart(3, "0")}.test.mjs`);
    writeFileSync(file, groupText(root, members));
    return file;
  });
}

/** `require` registers the tests of a file within its suite; an import would register them whenever it is done. */
function groupText(root: string, files: readonly string[]): string {
  const suites = files.map(
    (file) =>
      `describe(${JSON.stringify(file)}, { timeout: ${fileLimitMs} }, () => void require(${JSON.stringify(join(root, file))}));\n`,
  );
  return `import { createRequire } from "node:module";
import { describe } from "node:test";
const require = createRequire(import.meta.url);
${suites.join("")}`;
}
