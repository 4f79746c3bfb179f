import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { hashText, hash as hashValue } from "../../lib/json/stable-json.ts";
import { compareText } from "../../lib/text/wording.ts";

export const javaScript: readonly string[] = [
  ...[".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"],
  ...[".node", ".wasm"],
];
/** Languages, by the endings of files that can be loaded as their code. */
const languages: readonly (readonly string[])[] = [
  javaScript,
  [".py", ".pyc", ".pyw", ".so", ".pyd"],
  [".sh", ".bash", ".zsh"],
  [".rb"],
  [".pl", ".pm"],
  [".php"],
  [".lua"],
  [".ps1", ".psm1"],
  [".bat", ".cmd"],
];

/** Those of the language that a file is written in. */
export const codeEndings = (file: string): readonly string[] =>
  languages.find((endings) => endings.includes(extname(file))) ?? [];

export const isCode = (file: string): boolean => codeEndings(file).length > 0;

const maxFiles = 10_000;
const maxBytes = 64 * 1024 * 1024;

/** Is a file without an ending run by a program for JavaScript? Its first line says so. */
export function scriptFamily(file: string, text: string): "javascript" | null {
  const [line = ""] = text.slice(0, 200).split("\n", 1);
  if (extname(file) !== "" || !line.startsWith("#!")) return null;
  if (line.split(/[\s/]+/).some((word) => /^(?:node|deno|bun)$/.test(word))) return "javascript";
  return null;
}

/** All code of a package or a folder: files with these endings; null where there is too much to read. */
export type ReachedTree = {
  path: string;
  form: "package" | "folder";
  endings: readonly string[] | null;
};

export type CodeTree = { hash: string; files: number };

/** One hash of all code of a folder, without packages that are installed in it; null where it is too large for one. */
export function hashTree(root: string, endings: readonly string[]): CodeTree | null {
  const contents: [string, string][] = [];
  const isWalked = new Set<string>();
  const waiting = [""];
  let bytes = 0;
  while (waiting.length > 0) {
    const directory = waiting.pop() ?? "";
    const real = realPath(join(root, directory));
    if (isWalked.has(real)) continue;
    isWalked.add(real);
    for (const name of namesIn(join(root, directory))) {
      const path = directory === "" ? name : `${directory}/${name}`;
      const isCounted = endings.includes(extname(name)) || name === "package.json";
      const file = readEntry(join(root, path), isCounted);
      if (file === "directory") {
        if (name !== "node_modules" && name !== ".git") waiting.push(path);
        continue;
      }
      if (file === null) continue;
      bytes += file.size;
      contents.push([path, file.hash]);
      if (contents.length > maxFiles || bytes > maxBytes) return null;
    }
  }
  contents.sort(([a], [b]) => compareText(a, b));
  return { hash: hashValue(contents), files: contents.length };
}

type HashedFile = { signature: string; hash: string; size: number };

/** Not read again while nothing about it has changed. The time of its last change cannot be set by a program. */
const hashedFiles = new Map<string, HashedFile>();

/** Null for what does not count. Nothing is opened that is no file: a pipe would wait for a writer. */
function readEntry(file: string, isCounted: boolean): HashedFile | "directory" | null {
  try {
    const stats = statSync(file, { bigint: true });
    if (stats.isDirectory()) return "directory";
    if (!isCounted || !stats.isFile()) return null;
    const { ino, size, mtimeNs, ctimeNs } = stats;
    const signature = [ino, size, mtimeNs, ctimeNs].join(" ");
    const previous = hashedFiles.get(file);
    if (previous?.signature === signature) return previous;
    const hashedFile = { signature, hash: hashText(readFileSync(file)), size: Number(size) };
    if (hashedFiles.size > maxFiles) hashedFiles.clear();
    hashedFiles.set(file, hashedFile);
    return hashedFile;
  } catch {
    if (isCounted) return { signature: "", hash: "unreadable", size: 0 };
    return null;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
