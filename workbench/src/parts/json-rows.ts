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
const between = "\u0000";
export const pathOf = (parent: string, name: string) => `${parent}${between}${name}`;

/** The paths of the holders around a path, the outermost first. */
export function above(path: string): string[] {
  const names = path.split(between);
  return names.slice(0, -1).map((_, at) => names.slice(0, at + 1).join(between));
}

/** Asked for with every line of an object, which may have a hundred thousand. */
const knownNames = new WeakMap<object, readonly string[]>();

function namesIn(value: object): readonly string[] | null {
  if (Array.isArray(value)) return null;
  const known = knownNames.get(value) ?? Object.keys(value);
  knownNames.set(value, known);
  return known;
}

const countOf = (value: object, names: readonly string[] | null) =>
  names?.length ?? (value as unknown[]).length;

/** How many levels begin open: all of a value that has at most so many lines. */
export function levelsAtFirst(value: unknown, lines: number): number {
  const left: unknown[] = [value];
  for (let seen = 0; left.length > 0; ) {
    const next = left.pop();
    const count = isHolder(next) ? countOf(next, namesIn(next)) : 0;
    // Its own line, and that of the bracket behind its entries.
    seen += count > 0 ? 2 : 1;
    if (seen + left.length + count > lines) return levelsOfLong;
    if (count > 0) left.push(...Object.values(next as object));
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
  open: readonly (readonly [at: number, holder: OpenHolder])[];
};

/** `opened` says what a person opened or closed; without a word of it, `depth` levels are open. */
export function rowsOf(
  value: unknown,
  depth: number,
  opened: ReadonlyMap<string, boolean>,
): JsonRows {
  const inside = openedInside(opened);
  const build = (
    path: string,
    name: string | null,
    given: unknown,
    level: number,
    left: number,
  ): OpenHolder | null => {
    if (!isHolder(given)) return null;
    const names = namesIn(given);
    const count = countOf(given, names);
    if (count === 0 || !(opened.get(path) ?? left > 0)) return null;
    const begin =
      left === Number.POSITIVE_INFINITY ? count : left > 1 ? Math.min(openAtOnce, count) : 0;
    const places = new Set(Array.from({ length: begin }, (_, at) => at));
    for (const key of inside.get(path) ?? [])
      places.add(names === null ? Number(key) : names.indexOf(key));
    const open: [number, OpenHolder][] = [];
    for (const at of [...places].sort((one, other) => one - other)) {
      if (!(at >= 0 && at < count)) continue;
      const key = keyAt(names, at);
      const child = build(
        pathOf(path, key),
        key,
        heldIn(given, key),
        level + 1,
        at < begin ? left - 1 : 0,
      );
      if (child !== null) open.push([at, child]);
    }
    const lines = open.reduce((sum, [, child]) => sum + child.lines - 1, count + 2);
    return { path, name, value: given, level, names, count, lines, open };
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
    indexOf: (path) => placeOf(root, path),
  };
}

/** What a person opened, by the path of the holder around it. */
function openedInside(opened: ReadonlyMap<string, boolean>): Map<string, string[]> {
  const inside = new Map<string, string[]>();
  for (const [path, isOpen] of opened) {
    const end = path.lastIndexOf(between);
    if (!isOpen || end < 0) continue;
    const holder = path.slice(0, end);
    inside.set(holder, [...(inside.get(holder) ?? []), path.slice(end + 1)]);
  }
  return inside;
}

function closedRow(path: string, name: string | null, value: unknown, depth: number): JsonRow {
  const isLeaf = !isHolder(value);
  const count = isLeaf ? 0 : countOf(value, namesIn(value));
  return { path, depth, name, value, kind: isLeaf ? "leaf" : "holder", isOpen: false, count };
}

function rowAt(holder: OpenHolder, index: number): JsonRow {
  const { path, name, value, level, names, count, lines, open } = holder;
  const own = { depth: level, value, isOpen: true, count };
  if (index === 0) return { ...own, path, name, kind: "holder" };
  if (index === lines - 1)
    return { ...own, path: `${path}${between}${between}`, name: null, kind: "end" };
  // The place among the children, were all of them closed.
  let at = index - 1;
  for (const [place, child] of open) {
    if (at < place) break;
    if (at < place + child.lines) return rowAt(child, at - place);
    at -= child.lines - 1;
  }
  const key = keyAt(names, at);
  return closedRow(pathOf(path, key), key, heldIn(value, key), level + 1);
}

function placeOf(root: OpenHolder, path: string): number {
  let holder = root;
  let line = 0;
  const keys = path.split(between).slice(1);
  for (const [depth, key] of keys.entries()) {
    const at = holder.names === null ? Number(key) : holder.names.indexOf(key);
    if (!(at >= 0 && at < holder.count)) return -1;
    const before = holder.open.filter(([place]) => place < at);
    line += 1 + at + before.reduce((sum, [, child]) => sum + child.lines - 1, 0);
    const next = holder.open.find(([place]) => place === at)?.[1];
    if (next === undefined) return depth === keys.length - 1 ? line : -1;
    holder = next;
  }
  return line;
}

const keyAt = (names: readonly string[] | null, at: number) =>
  names === null ? String(at) : (names[at] as string);
const heldIn = (value: object, key: string) => (value as Record<string, unknown>)[key];

/** A turn with the page after so much work. */
const turnMs = 8;

/** The paths of the values whose name or text has the words, in order, found in turns with the page. */
export async function findIn(
  value: unknown,
  words: string,
  most: number,
  isOver: () => boolean,
): Promise<string[]> {
  const wanted = words.toLowerCase();
  const found: string[] = [];
  let since = performance.now();
  const stack: { path: string; name: string; value: unknown }[] = [{ path: "", name: "", value }];
  for (let next = stack.pop(); next !== undefined && found.length < most; next = stack.pop()) {
    const { path, name, value: inner } = next;
    const isFound =
      name.toLowerCase().includes(wanted) ||
      (!isHolder(inner) && String(inner).toLowerCase().includes(wanted));
    if (isFound) found.push(path);
    if (isHolder(inner)) {
      const names = namesIn(inner);
      for (let at = countOf(inner, names) - 1; at >= 0; at -= 1) {
        const key = names === null ? String(at) : (names[at] as string);
        // A place in a list is no name.
        const label = names === null ? "" : key;
        stack.push({
          path: pathOf(path, key),
          name: label,
          value: (inner as Record<string, unknown>)[key],
        });
      }
    }
    if (performance.now() - since > turnMs) {
      await new Promise((resolve) => setTimeout(resolve));
      if (isOver()) return [];
      since = performance.now();
    }
  }
  return found;
}
