import { once } from "../lib/async/once.ts";
import type { ConfigProblem } from "../model/config/config.ts";
import type { SettingOrigin } from "../model/config/setup.ts";
import { type Path, renderPath } from "../model/json.ts";
import type { Setting } from "./shapes/reading.ts";

/** Sections that hold things by name; a later definition of one replaces an earlier one whole. */
const sectionsByName: readonly unknown[] = [
  "servers",
  "tools",
  "overlays",
  "toolsets",
  "models",
  "users",
];

export type Merged = {
  values: { [section: string]: unknown };
  settings: readonly Setting[];
  /** The origin of a value, or of the nearest thing around it that has one. */
  originOf(path: Path): SettingOrigin | undefined;
  /** Where a problem with this value is shown: the path as the file spells it, and `key` where that differs. */
  placeOf(path: Path): Pick<ConfigProblem, "file" | "line" | "path" | "key">;
};

/** Layers in order: what a later one defines wins. `overrides` change single values and leave the rest. */
export function mergeSettings(
  layers: readonly (readonly Setting[])[],
  overrides: readonly Setting[] = [],
): Merged {
  const units = new Map<string, Setting[]>();
  for (const layer of layers) {
    for (const [unit, group] of groupByUnit(layer))
      units.set(unit, [...keptBeside(unit, units), ...group]);
  }
  for (const override of overrides) {
    const unit = renderPath(unitOf(override.path));
    const remaining = (units.get(unit) ?? []).filter(
      ({ path }) => !isReplacedBy(path, override.path),
    );
    units.set(unit, [...remaining, override]);
  }
  const settings = joinLists([...units.values()].flat());
  const byPath = once(
    () => new Map(settings.map((setting) => [renderPath(setting.path), setting])),
  );
  const firstBelow = once(() => settingsBelow(settings));
  const nearest = (path: Path) => nearestOrigin(byPath(), firstBelow, path);
  return {
    values: nest(settings),
    settings,
    originOf: (path) => nearest(path)?.origin,
    placeOf(path) {
      const key = renderPath(path);
      const { origin = { file: "", line: null }, written = key } = nearest(path) ?? {};
      const position = { file: origin.file, line: origin.line, path: written };
      return written === key ? position : { ...position, key };
    },
  };
}

function settingsBelow(settings: readonly Setting[]): ReadonlyMap<string, Setting> {
  const first = new Map<string, Setting>();
  for (const setting of settings) {
    for (let length = 1; length < setting.path.length; length++) {
      const outerPath = renderPath(setting.path.slice(0, length));
      if (!first.has(outerPath)) first.set(outerPath, setting);
    }
  }
  return first;
}

/** A server is started or reached, not both: a new way of one kind ends the other. */
const replacedKeys: Readonly<Record<string, readonly string[]>> = {
  url: ["command", "args", "transport", "type"],
  command: ["url", "transport", "type"],
};

function isReplacedBy(path: Path, override: Path): boolean {
  if (renderPath(path) === renderPath(override)) return true;
  const replaced = override[0] === "servers" ? replacedKeys[String(override[2])] : undefined;
  return path.length === 3 && (replaced?.includes(String(path[2])) ?? false);
}

/** A file may add rules and hooks; it cannot take away those of another file. */
const additiveLists = /^(policy\.rules|hooks\.\w+)$/;

function keptBeside(unit: string, units: ReadonlyMap<string, Setting[]>): Setting[] {
  return additiveLists.test(unit) ? (units.get(unit) ?? []) : [];
}

function joinLists(settings: Setting[]): Setting[] {
  const lists = new Map<string, Setting[]>();
  for (const setting of settings) {
    const path = renderPath(setting.path);
    if (additiveLists.test(path)) lists.set(path, [...(lists.get(path) ?? []), setting]);
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
    (list.value as unknown[]).map((value, index) => ({ value, at: index, list })),
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

export function unitOf(path: Path): Path {
  if (sectionsByName.includes(path[0])) return path.slice(0, 2);
  return path;
}

type Nested = { [key: string]: unknown };

function nest(settings: readonly Setting[]): Nested {
  const root: Nested = Object.create(null);
  for (const { path, value } of settings) {
    let inner = root;
    for (const key of path.slice(0, -1)) {
      const child = inner[key];
      inner =
        typeof child === "object" && child !== null ? (child as Nested) : newObject(inner, key);
    }
    const lastKey = path.at(-1);
    if (lastKey !== undefined) inner[lastKey] = value;
  }
  return root;
}

function newObject(parent: Nested, key: string | number): Nested {
  const created: Nested = Object.create(null);
  parent[key] = created;
  return created;
}

type Nearest = { origin: SettingOrigin; written: string };

function nearestOrigin(
  settings: ReadonlyMap<string, Setting>,
  firstBelow: () => ReadonlyMap<string, Setting>,
  path: Path,
): Nearest | undefined {
  for (let length = path.length; length > 0; length--) {
    const outerPath = renderPath(path.slice(0, length));
    const setting = settings.get(outerPath);
    if (setting) {
      const origin = setting.originInside?.(path.slice(length)) ?? setting.origin;
      return { origin, written: origin.path };
    }
    const below = firstBelow().get(outerPath);
    if (below) return { origin: below.origin, written: respell(path, length, below) };
  }
  return undefined;
}

/** A path that no setting stands at, in the words of the file: what is around it is spelt as around a setting beside it. */
function respell(path: Path, length: number, beside: Setting): string {
  const name = renderPath(path);
  const below = renderPath(beside.path).slice(renderPath(path.slice(0, length)).length);
  const { path: written } = beside.origin;
  if (!written.endsWith(below)) return name;
  return (
    written.slice(0, written.length - below.length) +
    name.slice(renderPath(path.slice(0, length)).length)
  );
}
