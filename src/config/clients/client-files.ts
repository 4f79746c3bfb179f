import { existsSync } from "node:fs";
import { posix, win32 } from "node:path";
import type { ClientConnection, ClientStatus } from "../../model/config/setup.ts";
import { isObject, type Json, type Path } from "../../model/json.ts";
import { parseData, readBytes, readData, removeFromText, setInText } from "../edit/edit-file.ts";
import { valueAt } from "../edit/text-format.ts";
import { type ClientName, clientNames, clientOf, type FileSpec, standardPlaces } from "./clients.ts";
import { gatewayConfig, ownName } from "./own-entry.ts";

export type Where = {
  platform: NodeJS.Platform;
  home: string;
  /** The project: clients keep some servers for one folder only. */
  directory: string;
  environment: Readonly<Record<string, string | undefined>>;
};

export type Scope = "user" | "project";

export type ClientFile = {
  path: string;
  scope: Scope;
  places: readonly Path[];
  isList: boolean;
  ifPresent: boolean;
  isLegacy: boolean;
};

export type Entry = { name: string; entry: unknown; place: Path };

export function clientFiles(name: ClientName, where: Where): ClientFile[] {
  const { user, project = [], places = standardPlaces } = clientOf(name);
  const specs = [
    ...user.map((spec) => ({ spec, scope: "user" as const })),
    ...project.map((spec) => ({ spec, scope: "project" as const })),
  ];
  return specs.flatMap(({ spec, scope }) => {
    const path = pathOf(spec, scope, where);
    if (path === null) return [];
    return {
      path,
      scope,
      places: (spec.places ?? places).flatMap((place) => placesFor(place, where)),
      isList: spec.isList ?? false,
      ifPresent: spec.ifPresent ?? false,
      isLegacy: spec.isLegacy ?? false,
    };
  });
}

export function targetFile(name: ClientName, where: Where, scope: Scope): ClientFile | null {
  const files = clientFiles(name, where).filter((file) => file.scope === scope && !file.isLegacy);
  const present = files.find(({ path }) => readBytes(path) !== null);
  return present ?? files.find(({ ifPresent }) => !ifPresent) ?? null;
}

export function hasProjectScope(name: ClientName): boolean {
  return (clientOf(name).project ?? []).length > 0;
}

export function isInstalled(name: ClientName, where: Where): boolean {
  const { folder } = clientOf(name);
  const { dirname } = pathsOf(where);
  const files = clientFiles(name, where).filter(({ scope }) => scope === "user");
  const folders = folder === undefined ? files.map(({ path }) => dirname(path)) : [expand(folder, where)];
  return [...files.map(({ path }) => path), ...folders].some((path) => path !== where.home && existsSync(path));
}

/** The places that count in a file: where a deeper one holds servers, the one around it does not. */
export function placesIn(file: ClientFile, data: unknown): readonly Path[] {
  const holds = (place: Path) => isObject(valueAt(data, place));
  const isInside = (inner: Path, outer: Path) =>
    inner.length > outer.length && outer.every((key, at) => inner[at] === key);
  const covered = file.places.filter((outer) => file.places.some((inner) => isInside(inner, outer) && holds(inner)));
  const idle = file.places.filter((inner) => file.places.some((outer) => isInside(inner, outer) && !holds(inner)));
  return file.places.filter((place) => !covered.includes(place) && !idle.includes(place));
}

export function entriesAt(data: unknown, place: Path): Entry[] {
  const servers = valueAt(data, place);
  if (isObject(servers)) return Object.entries(servers).map(([name, entry]) => ({ name, entry, place }));
  if (!Array.isArray(servers)) return [];
  return servers.flatMap((entry: unknown) =>
    isObject(entry) && typeof entry.name === "string" ? { name: entry.name, entry, place } : [],
  );
}

export function entryAt(data: unknown, place: Path, name: string): unknown {
  return entriesAt(data, place).findLast((found) => found.name === name)?.entry;
}

function pathOfEntry(file: ClientFile, data: unknown, place: Path, name: string): Path {
  const servers = valueAt(data, place);
  if (!Array.isArray(servers) && !(file.isList && (servers ?? null) === null)) return [...place, name];
  const list: unknown[] = Array.isArray(servers) ? servers : [];
  const at = list.findLastIndex((entry) => isObject(entry) && entry.name === name);
  return [...place, at === -1 ? list.length : at];
}

/** The data of a client's text; undefined where it holds nothing. */
export function dataIn(file: ClientFile, text: string | null): unknown {
  return text === null || text === "" ? undefined : parseData(file.path, Buffer.from(text));
}

export function withEntry(file: ClientFile, text: string | null, place: Path, name: string, entry: Json): string {
  return setInText(file.path, text ?? "", pathOfEntry(file, dataIn(file, text), place, name), entry);
}

export function withoutEntry(file: ClientFile, text: string, place: Path, name: string): string {
  const data = dataIn(file, text);
  if (entryAt(data, place, name) === undefined) return text;
  return removeFromText(file.path, text, pathOfEntry(file, data, place, name)) ?? text;
}

export function isForFolder(place: Path): boolean {
  return place[0] === "projects";
}

function pathOf({ path }: FileSpec, scope: Scope, where: Where): string | null {
  const { platform } = where;
  const known = platform === "win32" || platform === "darwin" ? platform : "linux";
  const template = typeof path === "string" ? path : path[known];
  if (template === undefined) return null;
  return scope === "project" ? pathsOf(where).join(where.directory, template) : expand(template, where);
}

/** Windows has its own separators; the home directory tells which are in use. */
function pathsOf({ home }: Where): typeof posix {
  return /^([A-Za-z]:|\\\\)/.test(home) ? win32 : posix;
}

const applicationData: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  win32: "{APPDATA:~/AppData/Roaming}",
  darwin: "~/Library/Application Support",
};

function expand(template: string, where: Where): string {
  const folder = applicationData[where.platform] ?? "{XDG_CONFIG_HOME:~/.config}";
  let path = template.replace("{appData}", folder);
  const variable = /\{([A-Z_]+):([^{}]*)\}/;
  while (variable.test(path))
    path = path.replace(variable, (_, name: string, usual: string) => where.environment[name] || usual);
  return pathsOf(where).join(path.replace(/^~(?=[\\/]|$)/, () => where.home));
}

/** Claude Code writes the folders of Windows with either kind of slash. */
function placesFor(place: Path, { platform, directory }: Where): Path[] {
  const folders =
    platform === "win32"
      ? [...new Set([directory.replaceAll("\\", "/"), directory.replaceAll("/", "\\"), directory])]
      : [directory];
  return place.includes("{directory}")
    ? folders.map((folder) => place.map((key) => (key === "{directory}" ? folder : key)))
    : [place];
}

export function otherServers(client: ClientName, target: ClientFile, where: Where): ClientConnection["elsewhere"] {
  return clientFiles(client, where).flatMap((file) => {
    const data = tryRead(file.path);
    const places = placesIn(file, data).filter((place) => file.path !== target.path || isForFolder(place));
    const names = places.flatMap((place) => entriesAt(data, place)).map(({ name }) => name);
    const servers = [...new Set(names)].filter((name) => name !== ownName);
    const scope = file.isLegacy || file.path === target.path ? null : file.scope;
    return servers.length === 0 ? [] : { path: file.path, scope, servers };
  });
}

function tryRead(path: string): unknown {
  try {
    return readData(path);
  } catch {
    return undefined;
  }
}

export function clientStatus(where: Where): ClientStatus[] {
  return clientNames().map((client) => {
    const seen = new Set<string>();
    const files = clientFiles(client, where).flatMap((file) => {
      const data = seen.has(file.path) ? undefined : tryRead(file.path);
      seen.add(file.path);
      const found = placesIn(file, data).flatMap((place) => entriesAt(data, place));
      return data === undefined ? [] : { scope: file.scope, path: file.path, found };
    });
    return {
      client,
      title: clientOf(client).title,
      isInstalled: isInstalled(client, where),
      connected: files.flatMap(({ scope, path, found }) => {
        const config = gatewayConfig(found.find(({ name }) => name === ownName)?.entry);
        return config === null ? [] : { scope, path, config };
      }),
      files: files.map(({ scope, path, found }) => ({
        scope,
        path,
        servers: found.map(({ name }) => name).filter((name) => name !== ownName),
      })),
    };
  });
}
