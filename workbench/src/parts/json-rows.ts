import { ExactNumber } from "../api/exact-json.ts";

/** A line of a tree: a value with its name, or the bracket behind a holder. */
export type JsonRow = {
  /** Where it is, unlike any other. */
  path: string;
  depth: number;
  name: string | null;
  value: unknown;
  kind: "leaf" | "holder" | "end";
  isOpen: boolean;
  count: number;
};

/** Levels of a long value that begin open. */
const levelsOfLong = 3;
/** Entries of one holder that begin open; the others are opened by a person. */
const openAtOnce = 20;

export const isHolder = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !(value instanceof ExactNumber);

/** Names do not contain this. */
const pathSeparator = "\u0000";
export const pathOf = (parent: string, name: string) => `${parent}${pathSeparator}${name}`;

/** The paths of the holders around a path, the outermost first. */
export function enclosingPaths(path: string): string[] {
  const names = path.split(pathSeparator);
  return names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join(pathSeparator));
}

/** Asked for with every line of an object, which may have a hundred thousand. */
const namesByObject = new WeakMap<object, readonly string[]>();

function namesIn(value: object): readonly string[] | null {
  if (Array.isArray(value)) return null;
  const names = namesByObject.get(value) ?? Object.keys(value);
  namesByObject.set(value, names);
  return names;
}

const countOf = (value: object, names: readonly string[] | null) =>
  names?.length ?? (value as unknown[]).length;

/** How many levels begin open: all of a value that has at most so many lines. */
export function levelsAtFirst(value: unknown, lines: number): number {
  const unvisited: unknown[] = [value];
  for (let lineCount = 0; unvisited.length > 0; ) {
    const next = unvisited.pop();
    const count = isHolder(next) ? countOf(next, namesIn(next)) : 0;
    // Its own line, and that of the bracket behind its entries.
    lineCount += count > 0 ? 2 : 1;
    if (lineCount + unvisited.length + count > lines) return levelsOfLong;
    if (count > 0) unvisited.push(...Object.values(next as object));
  }
  return Number.POSITIVE_INFINITY;
}

/** The lines of a value, each made when it is asked for: a million of them cost as little as a screenful. */
export type JsonRows = {
  length: number;
  at(index: number): JsonRow | undefined;
  /** The place of a path; -1 where it is not open. */
  indexOf(path: string): number;
};

/** An open holder. Only children that are open themselves are known one by one: all others take one line each. */
type OpenHolder = {
  path: string;
  name: string | null;
  value: object;
  level: number;
  names: readonly string[] | null;
  count: number;
  /** With the bracket behind it. */
  lines: number;
  /** Open children with their place among the others, the first of them first. */
  open: readonly (readonly [index: number, holder: OpenHolder])[];
};

/** `opened` says what a person opened or closed; without a word of it, `depth` levels are open. */
export function rowsOf(
  value: unknown,
  depth: number,
  opened: ReadonlyMap<string, boolean>,
): JsonRows {
  const openedNames = openedByHolder(opened);
  const build = (
    path: string,
    name: string | null,
    holder: unknown,
    level: number,
    openLevels: number,
  ): OpenHolder | null => {
    if (!isHolder(holder)) return null;
    const names = namesIn(holder);
    const count = countOf(holder, names);
    if (count === 0 || !(opened.get(path) ?? openLevels > 0)) return null;
    const openAtFirst = countOpenAtFirst(openLevels, count);
    const openIndexes = new Set(Array.from({ length: openAtFirst }, (_, index) => index));
    for (const key of openedNames.get(path) ?? []) openIndexes.add(childIndexOf(names, key));
    const openChildren: [number, OpenHolder][] = [];
    for (const index of [...openIndexes].sort((a, b) => a - b)) {
      if (!(index >= 0 && index < count)) continue;
      const key = keyAt(names, index);
      const child = build(
        pathOf(path, key),
        key,
        childOf(holder, key),
        level + 1,
        index < openAtFirst ? openLevels - 1 : 0,
      );
      if (child !== null) openChildren.push([index, child]);
    }
    const lines = openChildren.reduce((sum, [, child]) => sum + child.lines - 1, count + 2);
    return { path, name, value: holder, level, names, count, lines, open: openChildren };
  };
  const root = build("", null, value, 0, depth);
  if (root === null) {
    const row = closedRow("", null, value, 0);
    return {
      length: 1,
      at: (index) => (index === 0 ? row : undefined),
      indexOf: (path) => (path === "" ? 0 : -1),
    };
  }
  return {
    length: root.lines,
    at: (index) => (index >= 0 && index < root.lines ? rowAt(root, index) : undefined),
    indexOf: (path) => lineOf(root, path),
  };
}

function countOpenAtFirst(levels: number, count: number): number {
  if (levels === Number.POSITIVE_INFINITY) return count;
  return levels > 1 ? Math.min(openAtOnce, count) : 0;
}

/** What a person opened, by the path of the holder around it. */
function openedByHolder(opened: ReadonlyMap<string, boolean>): Map<string, string[]> {
  const openedNames = new Map<string, string[]>();
  for (const [path, isOpen] of opened) {
    const end = path.lastIndexOf(pathSeparator);
    if (!isOpen || end < 0) continue;
    const holder = path.slice(0, end);
    openedNames.set(holder, [...(openedNames.get(holder) ?? []), path.slice(end + 1)]);
  }
  return openedNames;
}

function closedRow(path: string, name: string | null, value: unknown, depth: number): JsonRow {
  const closed = { path, depth, name, value, isOpen: false };
  if (!isHolder(value)) return { ...closed, kind: "leaf", count: 0 };
  return { ...closed, kind: "holder", count: countOf(value, namesIn(value)) };
}

function rowAt(holder: OpenHolder, index: number): JsonRow {
  const { path, name, value, level, names, count, lines, open } = holder;
  const sharedFields = { depth: level, value, isOpen: true, count };
  if (index === 0) return { ...sharedFields, path, name, kind: "holder" };
  if (index === lines - 1)
    return {
      ...sharedFields,
      path: `${path}${pathSeparator}${pathSeparator}`,
      name: null,
      kind: "end",
    };
  // The place among the children, were all of them closed.
  let childIndex = index - 1;
  for (const [openIndex, child] of open) {
    if (childIndex < openIndex) break;
    if (childIndex < openIndex + child.lines) return rowAt(child, childIndex - openIndex);
    childIndex -= child.lines - 1;
  }
  const key = keyAt(names, childIndex);
  return closedRow(pathOf(path, key), key, childOf(value, key), level + 1);
}

function lineOf(root: OpenHolder, path: string): number {
  let holder = root;
  let line = 0;
  const keys = path.split(pathSeparator).slice(1);
  for (const [depth, key] of keys.entries()) {
    const index = childIndexOf(holder.names, key);
    if (!(index >= 0 && index < holder.count)) return -1;
    const openBefore = holder.open.filter(([openIndex]) => openIndex < index);
    line += 1 + index + openBefore.reduce((sum, [, child]) => sum + child.lines - 1, 0);
    const next = holder.open.find(([openIndex]) => openIndex === index)?.[1];
    if (next === undefined) return depth === keys.length - 1 ? line : -1;
    holder = next;
  }
  return line;
}

const childIndexOf = (names: readonly string[] | null, key: string) =>
  names === null ? Number(key) : names.indexOf(key);
const keyAt = (names: readonly string[] | null, index: number) =>
  names === null ? String(index) : (names[index] as string);
const childOf = (value: object, key: string) => (value as Record<string, unknown>)[key];

/** A turn with the page after so much work. */
const turnMs = 8;

/** The paths of the values whose name or text has the words, in order, found in turns with the page. */
export async function findPaths(
  value: unknown,
  query: string,
  maxPaths: number,
  isOver: () => boolean,
): Promise<string[]> {
  const lowerCaseQuery = query.toLowerCase();
  const paths: string[] = [];
  let turnStartedAt = performance.now();
  const stack: { path: string; name: string; value: unknown }[] = [{ path: "", name: "", value }];
  for (let next = stack.pop(); next !== undefined && paths.length < maxPaths; next = stack.pop()) {
    const { path, name, value: holder } = next;
    const isFound =
      name.toLowerCase().includes(lowerCaseQuery) ||
      (!isHolder(holder) && String(holder).toLowerCase().includes(lowerCaseQuery));
    if (isFound) paths.push(path);
    if (isHolder(holder)) {
      const names = namesIn(holder);
      for (let index = countOf(holder, names) - 1; index >= 0; index -= 1) {
        const key = keyAt(names, index);
        // A place in a list is no name.
        const label = names === null ? "" : key;
        stack.push({ path: pathOf(path, key), name: label, value: childOf(holder, key) });
      }
    }
    if (performance.now() - turnStartedAt > turnMs) {
      await new Promise((resolve) => setTimeout(resolve));
      if (isOver()) return [];
      turnStartedAt = performance.now();
    }
  }
  return paths;
}
