import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * What a unit that shares its process must not do: change the process, its clock or its globals, measure or await time,
 * start other processes, keep fixtures, or have hooks, which would hold for its neighbours too.
 */
const needsOwnProcess =
  /\bmock\b|\bprocess\.|node:child_process|node:worker_threads|node:http|node:net|node:v8|node:vm|\/fixtures\/|\/contracts\/|mocked-time|globalThis|\b(?:before|after)(?:Each)?\(|\bgc\(|setDefault|createPlane|samples\/growth|node:timers|setTimeout|setImmediate|performance\.|dropTyped/;

const filesPerGroup = 60;

/** Replaces pure units by files that import them: one process for dozens, in place of one for each. */
export function groupUnits(root: string, files: readonly string[]): string[] {
  const isPure = (file: string) =>
    file.startsWith("src/") && !needsOwnProcess.test(readFileSync(join(root, file), "utf8"));
  const pure = files.filter(isPure);
  const directory = join(root, "node_modules", ".cache", `units-${process.pid}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const groups: string[] = [];
  for (let at = 0; at < pure.length; at += filesPerGroup) {
    const group = join(directory, `units-${groups.length + 1}.test.mjs`);
    const imports = pure.slice(at, at + filesPerGroup).map(importOf(root));
    writeFileSync(group, imports.join(""));
    groups.push(group);
  }
  return [...files.filter((file) => !isPure(file)), ...groups];
}

const importOf = (root: string) => (file: string) =>
  `import ${JSON.stringify(pathToFileURL(join(root, file)).href)};\n`;
