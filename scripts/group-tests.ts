import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What a file that shares its process must not do: measure the process or its memory, or replace its globals. */
const needsOwnProcess = /node:v8|\bgc\(|samples\/growth|mock\.method\(globalThis|process\.listenerCount|registerHooks/;

/** Folders whose files share a process, and how many of them. A process loads the library once for all of its files. */
const groupSizes: readonly (readonly [folder: string, size: number])[] = [
  ["test/workbench", 5],
  ["test/scenarios", 12],
  ["test/fixtures", 10],
  ["workbench/src", 10],
  ["src", 60],
];

export type Grouped = {
  files: string[];
  /** Those that are suites now, by their names. */
  suites: string[];
};

/**
 * Replaces test files by files that import a dozen of them each: a start, with all that it loads and compiles, costs more
 * than most tests. Each imported file is a suite, so its hooks are its own.
 */
export function groupTests(root: string, files: readonly string[]): Grouped {
  const directory = join(root, "node_modules", ".cache", `groups-${process.pid}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const left = new Set(files);
  const groups = new Map<string, string>();
  for (const [folder, size] of groupSizes) {
    const members = files.filter((file) => file.startsWith(`${folder}/`) && !needsOwn(join(root, file)));
    for (let at = 0; at < members.length; at += size) {
      const group = members.slice(at, at + size);
      const file = join(directory, `${folder.replaceAll("/", "-")}-${at / size + 1}.test.mjs`);
      writeFileSync(file, `import { describe } from "node:test";\n${group.map(suiteOf(root)).join("")}`);
      for (const member of group) left.delete(member);
      groups.set(group[0] ?? "", file);
    }
  }
  // A group takes the place of its first file.
  return {
    files: files.flatMap((file) => groups.get(file) ?? (left.has(file) ? [file] : [])),
    suites: files.filter((file) => !left.has(file)),
  };
}

const needsOwn = (file: string) => needsOwnProcess.test(readFileSync(file, "utf8"));

const suiteOf = (root: string) => (file: string) =>
  `describe(${JSON.stringify(file)}, async () => void (await import(${JSON.stringify(pathToFileURL(join(root, file)).href)})));\n`;
