import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readRegularText } from "../../lib/regular-file.ts";
import { isObject, stringOrNull } from "../../model/json.ts";

/** The file of an extension: named by its path, or as a package that is installed beside the configuration. */
export function findModule(
  name: string,
  directory: string,
): { file: string } | { why: string; remedy: string } {
  const path = /^file:\/\//.test(name) && URL.canParse(name) ? fileURLToPath(name) : name;
  if (isPath(path)) {
    const file = resolve(directory, path);
    if (existsSync(file)) return { file };
    return { why: `there is no file ${file}`, remedy: "Correct its path." };
  }
  if (!/^(@[\w.-]+\/)?[\w-][\w.-]*$/.test(name))
    return {
      why: "it is neither a path nor the name of a package",
      remedy: "Begin a path with ./ or /.",
    };
  const home = findPackage(name, resolve(directory));
  if (home === null)
    return {
      why: `no package '${name}' is installed`,
      remedy: `Run 'npm install ${name}' in ${directory}.`,
    };
  const entry = entryOf(home);
  const file = entry === null ? null : join(home, entry);
  if (file !== null && existsSync(file)) return { file };
  return { why: `the package in ${home} has no file to import`, remedy: "Install it again." };
}

export const isPath = (name: string): boolean => /^\.{1,2}[/\\]/.test(name) || isAbsolute(name);

/** As Node looks for it: in the directory, then in those above. */
function findPackage(name: string, directory: string): string | null {
  const home = join(directory, "node_modules", name);
  if (existsSync(join(home, "package.json"))) return home;
  const parent = dirname(directory);
  return parent === directory ? null : findPackage(name, parent);
}

/** Of the package that a file belongs to. */
export function packageVersionOf(file: string): string | null {
  const directory = dirname(file);
  try {
    const manifest: unknown = JSON.parse(readRegularText(join(directory, "package.json")));
    if (isObject(manifest) && typeof manifest.version === "string") return manifest.version;
    return null;
  } catch {
    if (dirname(directory) === directory) return null;
    return packageVersionOf(directory);
  }
}

function entryOf(home: string): string | null {
  try {
    const manifest: unknown = JSON.parse(readRegularText(join(home, "package.json")));
    if (!isObject(manifest)) return null;
    const { exports, main } = manifest;
    if (exports !== undefined)
      return targetOf(isObject(exports) && "." in exports ? exports["."] : exports);
    return stringOrNull(main) ?? "index.js";
  } catch {
    return null;
  }
}

/** Conditions in the order that the package gives them. */
function targetOf(target: unknown): string | null {
  if (typeof target === "string") return target;
  if (!isObject(target)) return null;
  const condition = Object.keys(target).find((name) =>
    ["import", "node", "default"].includes(name),
  );
  if (condition === undefined) return null;
  return targetOf(target[condition]);
}
