import { type Dirent, readdirSync, statSync } from "node:fs";
import { extname, join, parse, resolve, sep } from "node:path";
import { matchesGlob } from "../../lib/text/glob.ts";
import { documentFormats } from "../text/document.ts";

/** More than anyone writes by hand; a glob that meets more was meant for something smaller. */
const maxEntries = 20_000;

type Walk = { files: Set<string>; entries: number };

export function findFiles(glob: string, directory: string): { files: string[]; isCut: boolean } {
  const absolute = resolve(directory, glob);
  const { root } = parse(absolute);
  const walk: Walk = { files: new Set(), entries: 0 };
  const segments = absolute.slice(root.length).split(sep);
  enter(walk, root, segments.at(-1) === "**" ? [...segments, "*"] : segments);
  return { files: [...walk.files].sort(), isCut: walk.entries > maxEntries };
}

function enter(walk: Walk, directory: string, [segment = "", ...deeper]: readonly string[]): void {
  if (segment === "**") {
    enter(walk, directory, deeper);
    for (const name of directoriesIn(walk, directory))
      enter(walk, join(directory, name), [segment, ...deeper]);
  } else if (!/[*?]/.test(segment)) {
    const path = join(directory, segment);
    if (deeper.length > 0) enter(walk, path, deeper);
    else addFile(walk, path);
  } else if (deeper.length > 0) {
    for (const name of directoriesIn(walk, directory))
      if (matchesGlob(segment, name)) enter(walk, join(directory, name), deeper);
  } else {
    for (const { name } of entriesOf(walk, directory))
      if (!name.startsWith(".") && matchesGlob(segment, name)) addFile(walk, join(directory, name));
  }
}

function addFile({ files: found }: Walk, path: string): void {
  if (!documentFormats.has(extname(path).toLowerCase())) return;
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) found.add(path);
}

/** Links to directories are not followed: they may lead in a circle. */
function directoriesIn(walk: Walk, directory: string): string[] {
  return entriesOf(walk, directory)
    .filter(
      (entry) =>
        entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules",
    )
    .map(({ name }) => name);
}

function entriesOf(walk: Walk, directory: string): Dirent[] {
  if (walk.entries > maxEntries) return [];
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    walk.entries += entries.length;
    return entries;
  } catch {
    return [];
  }
}
