import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileBehind } from "./core-doors.ts";

export const source = join(import.meta.dirname, "..", "src");

/** The rooms from top to bottom: imports point down this list. */
export const rooms: readonly string[] = [
  "bin.ts",
  "local-cli.ts",
  "local-attach.ts",
  "local-plane.ts",
  "local-setup.ts",
  "local-files.ts",
  "faces",
  "testing",
  "index.ts",
  "bundled.ts",
  "plane.ts",
  "plane-lifecycle.ts",
  "plane-context.ts",
  "state.ts",
  "operations",
  "bundled",
  "work",
  "agent",
  "extensions",
  "calls",
  "access",
  "catalogue",
  "servers",
  "store",
  "config",
  "protocol",
  "model",
  "lib",
];

export type Import = { file: string; target: string; isType: boolean };

const withoutTests = (files: readonly string[]) =>
  files.filter((file) => !file.endsWith(".test.ts"));

/** Named as from `src`. */
export const coreFiles = withoutTests(globSync("**/*.ts", { cwd: source }));
export const packageFiles = withoutTests(globSync("../packages/*/src/**/*.ts", { cwd: source }));

export function importsOf(file: string): Import[] {
  const text = readFileSync(join(source, file), "utf8");
  const pattern =
    /^(?:import|export)\b[^"';]*?\bfrom\s*["']([^"'\n]+)["']|\bimport\s*\(\s*["']([^"'\n]+)["']|^import\s+["']([^"'\n]+)["']/gm;
  return [...text.matchAll(pattern)].map(([written, ...targets]) => ({
    file,
    target: throughDoor(file, targets.find(Boolean) ?? ""),
    isType: /^(?:import|export) type\b/.test(written),
  }));
}

/** Where an import of the core by its name leads, written as from the file. */
function throughDoor(file: string, target: string): string {
  const behind = fileBehind(target);
  if (behind === null) return target;
  return `./${relative(join(source, dirname(file)), join(source, behind))}`;
}

/** The file that an import leads to, named as from `src`. */
export function ownTarget({ file, target }: Import): string {
  return relative(source, join(source, dirname(file), target));
}

export const isIn = (file: string, place: string) => file === place || file.startsWith(`${place}/`);

/** The room a file of `src` stands in. */
export function roomOf(file: string): string {
  return rooms.find((room) => isIn(file, room)) ?? `(none) ${file}`;
}
