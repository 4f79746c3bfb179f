import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isObject } from "../../model/json.ts";
import { codeEndings, isCode, javaScript, scriptFamily } from "./code-tree.ts";

/** What a program loads beside its own file: another file, or all code of a package or a folder. */
export type Reached = { path: string; form: "file" } | ReachedTree;
/** Files with these endings count. */
export type ReachedTree = {
  path: string;
  form: "package" | "folder";
  endings: readonly string[];
};

type Project = {
  directory: string;
  /** Where the program is started. */
  base: string;
  isOurs(path: string): boolean;
};

const maxFiles = 2_000;
const maxPieceLength = 500;
const maxReadBytes = 4 * 1024 * 1024;
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
  const place = dirname(realPath(file));
  const ending = extname(file);
  if (javaScript.includes(ending) || scriptFamily(file, text) === "javascript")
    return loadedByJavaScript(text, place, project);
  if (ending === ".py") return loadedByPython(text, place);
  if (shell.has(ending) || basename(file) === "package.json")
    return filesIn(text, [place, project.base]);
  // We do not read this language: all code of its folder counts.
  return isCode(file) ? [{ path: place, form: "folder", endings: codeEndings(file) }] : [];
}

/** `. "$(dirname "$0")/lib.sh"` names a file beside the script. */
function filesIn(text: string, places: readonly string[]): Reached[] {
  const names = new Set(
    tokensOf(text).flatMap((token) => [token, token.replace(/^(?:\$\w+)?\/+/, "")]),
  );
  return [...names]
    .filter((name) => /[./\\]/.test(name) && name.length <= maxPieceLength)
    .flatMap((name) => places.map((place) => resolve(place, name)))
    .filter(isFile)
    .map((path): Reached => ({ path, form: "file" }));
}

/** Modules stand beside the script, or in folders below; `from ..x` leads above. */
function loadedByPython(text: string, place: string): Reached[] {
  const endings = codeEndings("module.py");
  const lines = text.split("\n").filter((line) => line.includes("import"));
  const names = new Set(lines.flatMap((line) => tokensOf(line)));
  const modules = [...names].flatMap((name) => {
    const [, dots = "", path = ""] = /^(\.*)([\w.]*)$/.exec(name) ?? [];
    const base = resolve(place, "../".repeat(Math.max(0, dots.length - 1)));
    return path === "" ? [] : [resolve(base, path.replaceAll(".", "/"))];
  });
  const files = modules
    .flatMap((path) => [`${path}.py`, `${path}/__init__.py`, join(dirname(path), "__init__.py")])
    .filter(isFile)
    .map((path): Reached => ({ path, form: "file" }));
  const isDynamic = /\b(?:importlib|__import__|runpy|exec|sys\.path)\b/.test(text);
  return isDynamic ? [...files, { path: place, form: "folder", endings }] : files;
}

function loadedByJavaScript(text: string, place: string, project: Project): Reached[] {
  const isDynamic = namesAtRunTime(text);
  const pieces = literalsOf(text);
  const packageFile = nearestPackage(place, project.directory);
  // An alias of the package leads to what its file says.
  const aliases = pieces.some(({ text: name }) => isAlias(name, packageFile))
    ? textsIn(packageFile?.content).map((name) => ({ name, base: packageFile?.directory ?? place }))
    : [];
  const named = [...pieces.map(({ text: name }) => ({ name, base: place })), ...aliases];
  const imported = new Set(pieces.filter((piece) => piece.isImported).map((piece) => piece.text));
  const folders = isDynamic ? [place, ...named.flatMap(folderOf)] : [];
  return [
    ...named.flatMap(({ name, base }) =>
      filesNamed(name, base, imported.has(name) || base !== place),
    ),
    ...named.flatMap(({ name }) => packagesNamed(name, place, project)),
    ...folders.map((path): Reached => ({ path, form: "folder", endings: javaScript })),
  ];
}

/** Does it load what it cannot be seen to name? */
function namesAtRunTime(text: string): boolean {
  if (/\bcreateRequire\b/.test(text)) return true;
  for (const { 0: call, index } of text.matchAll(/\b(?:import|require(?:\.resolve)?)\b/g)) {
    const next = withoutComments(text.slice(index + call.length, index + call.length + 600));
    if (next.startsWith("(") && !/^\(\s*(["'])[^"'`\\\n]*\1\s*[),]/.test(next)) return true;
  }
  return false;
}

const withoutComments = (text: string) =>
  text.replaceAll(/\/\*[^*]*(?:\*(?!\/)[^*]*)*\*\/|\/\/[^\n]*/g, "").trimStart();

type Piece = { text: string; isImported: boolean };

/** What stands between two quotes, from every quote on: a sign that is misread hides none. */
function literalsOf(text: string): Piece[] {
  const pieces = new Map<string, Piece>();
  for (const quote of ['"', "'", "`"]) {
    const parts = text.split(quote);
    for (const [index, part] of parts.entries()) {
      if (part === "" || part.length > maxPieceLength || part.includes("\n")) continue;
      const name = part.includes("\\") ? unescaped(part) : part;
      const before = withoutComments((parts[index - 1] ?? "").slice(-300)).trimEnd();
      const isImported = /\b(?:from|import|require)\s*\(?$/.test(before);
      if (isImported || !pieces.has(name)) pieces.set(name, { text: name, isImported });
    }
  }
  return [...pieces.values()];
}

function unescaped(text: string): string {
  const letters = text.replaceAll(
    /\\(?:u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([^ux\n]))/g,
    (_whole, long?: string, four?: string, two?: string, sign?: string) => {
      const code = Number.parseInt(long ?? four ?? two ?? "", 16);
      return sign ?? (code <= 0x10ffff ? String.fromCodePoint(code) : "");
    },
  );
  return letters;
}

/** Words of a shell, a command line or a script of `package.json`. */
const tokensOf = (text: string) => text.split(/[\s"'`()=;,|&<>{}[\]]+/);

const isLocal = (name: string) => /^(?:\.{1,2}\/|\/|file:\/\/)/.test(name);

function filesNamed(name: string, base: string, isImported: boolean): Reached[] {
  const path = pathNamed(name, base);
  if (path === null) return [];
  const found = [...importEndings, ...indexes, "/package.json"].map((ending) => path + ending);
  const mayCount = (file: string) =>
    isCode(file) || basename(file) === "package.json" || isImported;
  return found
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

/** As Node looks for it, and what it depends on. What lies outside of the project did not come with it. */
function packagesNamed(name: string, place: string, project: Project): Reached[] {
  const [, own] = /^((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/.*)?$/.exec(name) ?? [];
  if (own === undefined) return [];
  const found = new Map<string, Reached>();
  const waiting: { name: string; place: string }[] = [{ name: own, place }];
  while (waiting.length > 0 && found.size < maxFiles) {
    const wanted = waiting.pop() ?? { name: own, place };
    const home = homeOf(wanted.name, wanted.place, project.directory);
    if (home === null || found.has(home)) continue;
    found.set(home, { path: home, form: "package", endings: javaScript });
    for (const dependency of dependenciesOf(home)) waiting.push({ name: dependency, place: home });
  }
  return [...found.values()];
}

function homeOf(name: string, place: string, top: string): string | null {
  const home = join(place, "node_modules", name);
  if (isFile(join(home, "package.json"))) return home;
  const above = dirname(place);
  return above === place || !place.startsWith(top + sep) ? null : homeOf(name, above, top);
}

function dependenciesOf(home: string): string[] {
  const manifest = parsed(textOf(join(home, "package.json")));
  if (!isObject(manifest)) return [];
  return ["dependencies", "optionalDependencies", "peerDependencies"].flatMap((kind) => {
    const names = manifest[kind];
    return isObject(names) ? Object.keys(names) : [];
  });
}

type PackageFile = { directory: string; content: unknown };

function nearestPackage(place: string, top: string): PackageFile | null {
  const content = parsed(textOf(join(place, "package.json")));
  if (isObject(content)) return { directory: place, content };
  const above = dirname(place);
  return above === place || !place.startsWith(top) ? null : nearestPackage(above, top);
}

function isAlias(name: string, packageFile: PackageFile | null): boolean {
  const content = packageFile?.content;
  const own = isObject(content) && typeof content.name === "string" ? content.name : null;
  return name.startsWith("#") || (own !== null && (name === own || name.startsWith(`${own}/`)));
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

function textOf(file: string): string | null {
  try {
    const found = statSync(file);
    return found.isFile() && found.size <= maxReadBytes ? readFileSync(file, "utf8") : null;
  } catch {
    return null;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
