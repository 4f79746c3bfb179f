import { basename, dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { compareText } from "../../lib/text/wording.ts";
import { codeEndings, isCode, javaScript, type ReachedTree, scriptFamily } from "./code-tree.ts";
import { createReader, type ProjectReader, realPath, TooMuchCode } from "./project-files.ts";
import { isAlias, nearestPackage, packagesNamed, textsIn } from "./project-packages.ts";
import {
  isImported,
  type Literal,
  literalsOf,
  maxPieceLength,
  namesAtRunTime,
} from "./written-imports.ts";

/** What a program loads beside its own file: another file, or all code of a package or a folder. */
export type Reached = { path: string; form: "file" } | ReachedTree;

type Project = {
  directory: string;
  /** Where the program is started. */
  base: string;
  isOurs(path: string): boolean;
};
type ReadProject = Project & { reader: ProjectReader };

const maxWords = 5_000;
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
export function findReached(programs: readonly string[], project: Project): Reached[] {
  const reached = new Map<string, Reached>();
  const addReached = (candidate: Reached) => {
    const isNew = project.isOurs(candidate.path) && !programs.includes(candidate.path);
    if (isNew) reached.set(`${candidate.form} ${candidate.path}`, candidate);
    return isNew && candidate.form === "file";
  };
  try {
    const reader = createReader();
    const waiting = [...programs];
    const isRead = new Set<string>();
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (isRead.has(file)) continue;
      isRead.add(file);
      for (const loaded of loadedBy(file, { ...project, reader }))
        if (addReached(loaded)) waiting.push(loaded.path);
    }
  } catch (thrown) {
    if (!(thrown instanceof TooMuchCode)) throw thrown;
    addReached({ path: dirname(programs[0] ?? ""), form: "folder", endings: null });
  }
  return [...reached.values()].sort((a, b) => compareText(a.path, b.path));
}

/** Files that the words of a command line name, and what their program reads by itself. */
export function filesOfCommand(commandLine: readonly string[], base: string): string[] {
  const [program = ""] = commandLine;
  const programFiles = filesOfPrograms[basename(program).replace(/\.(?:cmd|exe)$/, "")] ?? [];
  const tokens = commandLine
    .flatMap((argument) => [argument, ...tokensOf(argument)])
    .slice(0, maxWords);
  // `python -m checks.style` names a module.
  const modules = tokens.map((token) => `${token.replaceAll(".", "/")}.py`);
  const { isFile } = createReader();
  return [...new Set([...tokens, ...programFiles, ...modules])]
    .filter((candidate) => candidate !== "" && candidate.length <= maxPieceLength)
    .map((candidate) => resolve(base, candidate))
    .filter(isFile);
}

function loadedBy(file: string, project: ReadProject): Reached[] {
  const text = project.reader.textOf(file);
  if (text === null) return [];
  const folder = dirname(realPath(file));
  const ending = extname(file);
  if (javaScript.includes(ending) || scriptFamily(file, text) === "javascript")
    return loadedByJavaScript(text, folder, project);
  if (ending === ".py") return loadedByPython(text, folder, project);
  if (shell.has(ending) || basename(file) === "package.json")
    return filesIn(text, [folder, project.base], project);
  // We do not read this language: all code of its folder counts.
  if (isCode(file)) return [{ path: folder, form: "folder", endings: codeEndings(file) }];
  return [];
}

/** `. "$(dirname "$0")/lib.sh"` names a file beside the script. */
function filesIn(text: string, folders: readonly string[], { reader }: ReadProject): Reached[] {
  const names = new Set(
    tokensOf(text).flatMap((token) => [token, token.replace(/^(?:\$\w+)?\/+/, "")]),
  );
  reader.judgePieces(names.size);
  return [...names]
    .filter((name) => /[./\\]/.test(name) && name.length <= maxPieceLength)
    .flatMap((name) => folders.map((folder) => resolve(folder, name)))
    .filter(reader.isFile)
    .map((path): Reached => ({ path, form: "file" }));
}

/** Modules stand beside the script, or in folders below; `from ..x` leads above. */
function loadedByPython(text: string, folder: string, { reader }: ReadProject): Reached[] {
  const endings = codeEndings("module.py");
  const lines = text.split("\n").filter((line) => line.includes("import"));
  const names = new Set(lines.flatMap((line) => tokensOf(line)));
  reader.judgePieces(names.size);
  const modules = [...names].flatMap((name) => {
    if (name.length > maxPieceLength) return [];
    const [, dots = "", path = ""] = /^(\.*)(\w[\w.]*)?$/.exec(name) ?? [];
    const base = resolve(folder, "../".repeat(Math.max(0, dots.length - 1)));
    if (path === "") return [];
    return [resolve(base, path.replaceAll(".", "/"))];
  });
  const files = modules
    .flatMap((path) => [`${path}.py`, `${path}/__init__.py`, join(dirname(path), "__init__.py")])
    .filter(reader.isFile)
    .map((path): Reached => ({ path, form: "file" }));
  const isDynamic = /\b(?:importlib|__import__|runpy|exec|sys\.path)\b/.test(text);
  if (isDynamic) return [...files, { path: folder, form: "folder", endings }];
  return files;
}

function loadedByJavaScript(text: string, folder: string, project: ReadProject): Reached[] {
  const literals = literalsOf(text);
  project.reader.judgePieces(literals.length);
  const packageFile = nearestPackage(folder, project);
  const names = literals.map((literal) => literal.text);
  const namedFiles = literals.flatMap((literal) =>
    filesNamed(literal.text, folder, project.reader, literal),
  );
  // An alias of the package leads to what its file says.
  const aliases = names.some((name) => isAlias(name, packageFile))
    ? textsIn(packageFile?.content).flatMap((name) =>
        filesNamed(name, packageFile?.directory ?? folder, project.reader, null),
      )
    : [];
  const folders = namesAtRunTime(text)
    ? [folder, ...names.flatMap((name) => folderOf(name, folder, project.reader))]
    : [];
  return [
    ...namedFiles,
    ...aliases,
    ...packagesNamed(names, folder, project),
    ...folders.map((path): Reached => ({ path, form: "folder", endings: javaScript })),
  ];
}

/** Words of a shell, a command line or a script of `package.json`. */
const tokensOf = (text: string) => text.split(/[\s"'`()=;,|&<>{}[\]]+/);

const isLocal = (name: string) => /^(?:\.{1,2}\/|\/|file:\/\/)/.test(name);

/** A file that is no code counts where it is imported. */
function filesNamed(
  name: string,
  base: string,
  reader: ProjectReader,
  literal: Literal | null,
): Reached[] {
  const path = pathNamed(name, base);
  if (path === null) return [];
  const candidates = [...importEndings, ...indexes, "/package.json"].map((ending) => path + ending);
  const mayCount = (file: string) =>
    isCode(file) || basename(file) === "package.json" || literal === null || isImported(literal);
  return candidates
    .filter((file) => reader.isFile(file) && mayCount(file))
    .map((file): Reached => ({ path: file, form: "file" }));
}

function pathNamed(name: string, base: string): string | null {
  const [withoutQuery = ""] = name.split(/[?#]/, 1);
  if (/^file:\/\//.test(withoutQuery)) {
    if (URL.canParse(withoutQuery) && new URL(withoutQuery).hostname === "")
      return fileURLToPath(withoutQuery);
    return null;
  }
  const isFileName = isCode(withoutQuery) && !/\s/.test(withoutQuery);
  if (isLocal(withoutQuery) || isFileName) return resolve(base, withoutQuery);
  return null;
}

/** `./plugins/${name}.mjs` and `./plugins` lead to any code in there. */
function folderOf(name: string, base: string, reader: ProjectReader): string[] {
  if (!/^\.{1,2}\/./.test(name)) return [];
  const open = name.indexOf("${");
  const path = resolve(base, open < 0 ? name : name.slice(0, name.lastIndexOf("/", open)));
  return reader.isDirectory(path) ? [path] : [];
}
