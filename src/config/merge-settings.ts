import { once } from "../lib/once.ts";
import { type Path, renderPath } from "../model/path.ts";
import type { Origin } from "../model/setup.ts";
import type { Setting } from "./setting.ts";

/** Sections that hold things by name; a later definition of one replaces an earlier one whole. */
const sectionsByName: readonly unknown[] = ["servers", "tools", "overlays", "toolsets", "models", "users"];

export type Merged = {
  /** Nested, without prototypes, as the settings say. */
  values: { [section: string]: unknown };
  settings: readonly Setting[];
  /** The origin of a value, or of the nearest thing around it that has one. */
  originOf(path: Path): Origin | undefined;
};

/** Layers in order: what a later one defines wins. `overrides` change single values and leave the rest. */
export function mergeSettings(
  layers: readonly (readonly Setting[])[],
  overrides: readonly Setting[] = [],
): Merged {
  const units = new Map<string, Setting[]>();
  for (const layer of layers) {
    for (const [unit, group] of groupByUnit(layer)) units.set(unit, [...keptBeside(unit, units), ...group]);
  }
  for (const override of overrides) {
    const unit = renderPath(unitOf(override.path));
    const others = (units.get(unit) ?? []).filter(({ path }) => !isReplacedBy(path, override.path));
    units.set(unit, [...others, override]);
  }
  const settings = joinLists([...units.values()].flat());
  const byPath = once(() => new Map(settings.map((setting) => [renderPath(setting.path), setting])));
  const firstBelow = once(() => originsBelow(settings));
  return { values: nest(settings), settings, originOf: (path) => nearestOrigin(byPath(), firstBelow, path) };
}

/** For every place that holds settings, where the first of them was read. */
function originsBelow(settings: readonly Setting[]): ReadonlyMap<string, Origin> {
  const origins = new Map<string, Origin>();
  for (const { path, origin } of settings) {
    for (let length = 1; length < path.length; length++) {
      const around = renderPath(path.slice(0, length));
      if (!origins.has(around)) origins.set(around, origin);
    }
  }
  return origins;
}

/** A server is started or reached, not both: a new way of one kind ends the other. */
const otherWay: Readonly<Record<string, readonly string[]>> = {
  url: ["command", "args", "transport", "type"],
  command: ["url", "transport", "type"],
};

function isReplacedBy(path: Path, override: Path): boolean {
  if (renderPath(path) === renderPath(override)) return true;
  const replaced = override[0] === "servers" ? otherWay[String(override[2])] : undefined;
  return path.length === 3 && (replaced?.includes(String(path[2])) ?? false);
}

/** A file may add rules and hooks; it cannot take away those of another file. */
const addsUp = /^(policy\.rules|hooks\.\w+)$/;

function keptBeside(unit: string, units: ReadonlyMap<string, Setting[]>): Setting[] {
  return addsUp.test(unit) ? (units.get(unit) ?? []) : [];
}

function joinLists(settings: Setting[]): Setting[] {
  const lists = new Map<string, Setting[]>();
  for (const setting of settings) {
    const path = renderPath(setting.path);
    if (addsUp.test(path)) lists.set(path, [...(lists.get(path) ?? []), setting]);
  }
  const joined = [...lists.values()].filter((list) => list.length > 1 && list.every(isList));
  if (joined.length === 0) return settings;
  return [
    ...settings.filter((setting) => !joined.some((list) => list.includes(setting))),
    ...joined.map(join),
  ];
}

function isList({ value }: Setting): boolean {
  return Array.isArray(value);
}

/** One list of several, in which every entry still knows its file and line. */
function join(lists: readonly Setting[]): Setting {
  const [first] = lists as [Setting, ...Setting[]];
  const entries = lists.flatMap((list) =>
    (list.value as unknown[]).map((value, at) => ({ value, at, list })),
  );
  return {
    path: first.path,
    origin: first.origin,
    value: entries.map(({ value }) => value),
    originInside([index, ...inner]) {
      const entry = entries[Number(index)];
      return entry?.list.originInside?.([entry.at, ...inner]) ?? first.origin;
    },
  };
}

function groupByUnit(settings: readonly Setting[]): Map<string, Setting[]> {
  const groups = new Map<string, Setting[]>();
  for (const setting of settings) {
    const unit = renderPath(unitOf(setting.path));
    const group = groups.get(unit);
    if (group) group.push(setting);
    else groups.set(unit, [setting]);
  }
  return groups;
}

function unitOf(path: Path): Path {
  return sectionsByName.includes(path[0]) ? path.slice(0, 2) : path;
}

type Nested = { [key: string]: unknown };

function nest(settings: readonly Setting[]): Nested {
  const root: Nested = Object.create(null);
  for (const { path, value } of settings) {
    let inner = root;
    for (const part of path.slice(0, -1)) {
      const next = inner[part];
      inner = typeof next === "object" && next !== null ? (next as Nested) : newObject(inner, part);
    }
    const last = path.at(-1);
    if (last !== undefined) inner[last] = value;
  }
  return root;
}

function newObject(parent: Nested, key: string | number): Nested {
  const created: Nested = Object.create(null);
  parent[key] = created;
  return created;
}

function nearestOrigin(
  settings: ReadonlyMap<string, Setting>,
  firstBelow: () => ReadonlyMap<string, Origin>,
  path: Path,
): Origin | undefined {
  for (let length = path.length; length > 0; length--) {
    const around = renderPath(path.slice(0, length));
    const found = settings.get(around);
    if (found) return found.originInside?.(path.slice(length)) ?? found.origin;
    const beside = firstBelow().get(around);
    if (beside) return beside;
  }
  return undefined;
}
