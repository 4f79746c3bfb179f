import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { codeEndings, isCode, javaScript, type ReachedTree, scriptFamily } from "./code-tree.ts";
import { isDirectory, isFile, realPath, textOf } from "./project-files.ts";
import { isAlias, nearestPackage, packagesNamed, textsIn } from "./project-packages.ts";
import { literalsOf, maxPieceLength, namesAtRunTime } from "./written-imports.ts";

/** What a program loads beside its own file: another file, or all code of a package or a folder. */
export type Reached = { path: string; form: "file" } | ReachedTree;

type Project = {
  directory: string;
  /** Where the program is started. */
  base: string;
  isOurs(path: string): boolean;
};

const maxFiles = 2_000;
const shell = new Set([".sh", ".bash", ".zsh", ".cmd", ".bat", ""]);
const importEndings = ["", ...javaScript, ".json"];
const indexes = javaScript.map((ending) => `/index${ending}`);
/** What a program of this name reads where it is started. */
const filesOfPrograms: Readonly<Record<string, readonly string[]>> = {
  npm: ["package.json"],
  pnpm: ["package.json"],
  yarn: ["package.json"],
  bun: ["package.json"],
  make: ["Makefile", "makefile", "GNUmakefile"],
  just: ["justfile", "Justfile"],
};

/**
 * Everything of the project that these words of a command, or these files, load. Each text that could name
 * a file counts as one, so that no way to write an import is missed. Code that names what it loads while it
 * runs is only known by all code of its folder.
 */
export function findReached(entries: readonly string[], project: Project): Reached[] {
  const reached = new Map<string, Reached>();
  const waiting = [...entries];
  const isRead = new Set<string>();
  const add = (next: Reached) => {
    const { path, form } = next;
    if (!project.isOurs(path) || entries.includes(path)) return;
    reached.set(`${form} ${path}`, next);
    if (form === "file") waiting.push(path);
  };
  while (waiting.length > 0 && reached.size < maxFiles) {
    const file = waiting.pop() ?? "";
    if (isRead.has(file)) continue;
    isRead.add(file);
    for (const next of loadedBy(file, project)) add(next);
  }
  return [...reached.values()].sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** Files that the words of a command line name, and what their program reads by itself. */
export function filesOfCommand(words: readonly string[], base: string): string[] {
  const [program = ""] = words;
  const ofProgram = filesOfPrograms[basename(program).replace(/\.(?:cmd|exe)$/, "")] ?? [];
  const named = words.flatMap((word) => [word, ...tokensOf(word)]);
  // `python -m checks.style` names a module.
  const modules = named.map((word) => `${word.replaceAll(".", "/")}.py`);
  return [...new Set([...named, ...ofProgram, ...modules])]
    .filter((word) => word !== "" && word.length <= maxPieceLength)
    .map((word) => resolve(base, word))
    .filter(isFile);
}

function loadedBy(file: string, project: Project): Reached[] {
  const text = textOf(file);
  if (text === null) return [];
  const folder = dirname(realPath(file));
  const ending = extname(file);
  if (javaScript.includes(ending) || scriptFamily(file, text) === "javascript")
    return loadedByJavaScript(text, folder, project);
  if (ending === ".py") return loadedByPython(text, folder);
  if (shell.has(ending) || basename(file) === "package.json")
    return filesIn(text, [folder, project.base]);
  // We do not read this language: all code of its folder counts.
  return isCode(file) ? [{ path: folder, form: "folder", endings: codeEndings(file) }] : [];
}

/** `. "$(dirname "$0")/lib.sh"` names a file beside the script. */
function filesIn(text: string, folders: readonly string[]): Reached[] {
  const names = new Set(
    tokensOf(text).flatMap((token) => [token, token.replace(/^(?:\$\w+)?\/+/, "")]),
  );
  return [...names]
    .filter((name) => /[./\\]/.test(name) && name.length <= maxPieceLength)
    .flatMap((name) => folders.map((folder) => resolve(folder, name)))
    .filter(isFile)
    .map((path): Reached => ({ path, form: "file" }));
}

/** Modules stand beside the script, or in folders below; `from ..x` leads above. */
function loadedByPython(text: string, folder: string): Reached[] {
  const endings = codeEndings("module.py");
  const lines = text.split("\n").filter((line) => line.includes("import"));
  const names = new Set(lines.flatMap((line) => tokensOf(line)));
  const modules = [...names].flatMap((name) => {
    const [, dots = "", path = ""] = /^(\.*)([\w.]*)$/.exec(name) ?? [];
    const base = resolve(folder, "../".repeat(Math.max(0, dots.length - 1)));
    return path === "" ? [] : [resolve(base, path.replaceAll(".", "/"))];
  });
  const files = modules
    .flatMap((path) => [`${path}.py`, `${path}/__init__.py`, join(dirname(path), "__init__.py")])
    .filter(isFile)
    .map((path): Reached => ({ path, form: "file" }));
  const isDynamic = /\b(?:importlib|__import__|runpy|exec|sys\.path)\b/.test(text);
  return isDynamic ? [...files, { path: folder, form: "folder", endings }] : files;
}

function loadedByJavaScript(text: string, folder: string, project: Project): Reached[] {
  const isDynamic = namesAtRunTime(text);
  const pieces = literalsOf(text);
  const packageFile = nearestPackage(folder, project.directory);
  // An alias of the package leads to what its file says.
  const aliases = pieces.some(({ text: name }) => isAlias(name, packageFile))
    ? textsIn(packageFile?.content).map((name) => ({
        name,
        base: packageFile?.directory ?? folder,
      }))
    : [];
  const named = [...pieces.map(({ text: name }) => ({ name, base: folder })), ...aliases];
  const imported = new Set(pieces.filter((piece) => piece.isImported).map((piece) => piece.text));
  const dynamicFolders = isDynamic ? [folder, ...named.flatMap(folderOf)] : [];
  return [
    ...named.flatMap(({ name, base }) =>
      filesNamed(name, base, imported.has(name) || base !== folder),
    ),
    ...named.flatMap(({ name }) => packagesNamed(name, folder, project)),
    ...dynamicFolders.map((path): Reached => ({ path, form: "folder", endings: javaScript })),
  ];
}

/** Words of a shell, a command line or a script of `package.json`. */
const tokensOf = (text: string) => text.split(/[\s"'`()=;,|&<>{}[\]]+/);

const isLocal = (name: string) => /^(?:\.{1,2}\/|\/|file:\/\/)/.test(name);

function filesNamed(name: string, base: string, isImported: boolean): Reached[] {
  const path = pathNamed(name, base);
  if (path === null) return [];
  const candidates = [...importEndings, ...indexes, "/package.json"].map((ending) => path + ending);
  const mayCount = (file: string) =>
    isCode(file) || basename(file) === "package.json" || isImported;
  return candidates
    .filter((file) => mayCount(file) && isFile(file))
    .map((file): Reached => ({ path: file, form: "file" }));
}

function pathNamed(name: string, base: string): string | null {
  const plain = name.replace(/[?#].*$/, "");
  if (/^file:\/\//.test(plain))
    return URL.canParse(plain) && new URL(plain).hostname === "" ? fileURLToPath(plain) : null;
  const isFileName = isCode(plain) && !/\s/.test(plain);
  return isLocal(plain) || isFileName ? resolve(base, plain) : null;
}

/** `./plugins/${name}.mjs` and `./plugins` lead to any code in there. */
function folderOf({ name, base }: { name: string; base: string }): string[] {
  if (!/^\.{1,2}\/./.test(name)) return [];
  const open = name.indexOf("${");
  const path = resolve(base, open < 0 ? name : name.slice(0, name.lastIndexOf("/", open)));
  return isDirectory(path) ? [path] : [];
}
