import { nearest } from "../../lib/text/nearest.ts";
import { PlaneError } from "../../model/errors.ts";
import {
  isObject,
  type JsonObject,
  objectOrEmpty,
  type Path,
  stringOrNull,
  type UnknownObject,
} from "../../model/json.ts";
import { readData, removeFromFile, setInFile } from "./edit-file.ts";
import { withLock } from "./write-file.ts";

export function addServerEntry(file: string, name: string, definition: JsonObject): Promise<void> {
  return withLock(file, () => add(file, name, definition));
}

/** Replaces a server where it stands, or adds it; the file is written once, so the old entry is never lost. */
export function putServerEntry(file: string, name: string, definition: JsonObject): Promise<void> {
  return withLock(file, () => {
    const [first, ...repeated] = entriesOf(readData(file)).filter((entry) => entry.name === name);
    if (first === undefined) return add(file, name, definition);
    const value = isListed(first) ? { name, ...definition } : definition;
    setInFile(file, first.path, value, repeated.map(({ path }) => path).reverse());
  });
}

export function removeServerEntry(file: string, name: string): Promise<void> {
  return withLock(file, () => {
    const entries = entriesOf(readData(file));
    const matching = entries.filter((entry) => entry.name === name).reverse();
    if (matching.length === 0) throw noSuchServer(file, name, entries);
    for (const { path } of matching) removeFromFile(file, path);
  });
}

export function hasServerEntry(file: string, name: string): boolean {
  return entriesOf(readData(file)).some((entry) => entry.name === name);
}

function entriesOf(data: unknown): EntryPlace[] {
  return holdersOf(objectOrEmpty(data)).flatMap(({ entries }) => entries);
}

export function readServerEntries(file: string): { name: string; entry: unknown }[] {
  const data = readData(file);
  return entriesOf(data).flatMap((entryPlace) => {
    if (entryPlace.name === null) return [];
    const server = entryPlace.path.reduce<unknown>(
      (node, key) => (node as UnknownObject)[key],
      data,
    );
    if (!isObject(server) || !isListed(entryPlace)) return { name: entryPlace.name, entry: server };
    const { name, ...entry } = server;
    return { name: String(name), entry };
  });
}

function add(file: string, name: string, definition: JsonObject): void {
  const data = readData(file);
  if (data !== undefined && data !== null && !isObject(data))
    throw new PlaneError("CONFIG_INVALID", `The top level of ${file} is not an object of servers.`);
  const holders = holdersOf(data ?? {});
  if (holders.some(({ entries }) => entries.some((entry) => entry.name === name))) {
    throw new PlaneError(
      "CONFIG_INVALID",
      `${file} already has a server '${name}'. Choose another name, or remove that one first: ` +
        `toolplane servers remove ${name}`,
      { data: { server: name, file } },
    );
  }
  const { path, isList, entries } = holders[0] ?? {
    path: ["mcpServers"],
    isList: false,
    entries: [],
  };
  if (isList) setInFile(file, [...path, entries.length], { name, ...definition });
  else setInFile(file, [...path, name], definition);
}

function noSuchServer(file: string, name: string, entries: readonly EntryPlace[]): PlaneError {
  const names = entries.flatMap((entry) => entry.name ?? []);
  const [near] = nearest(name, names, 1);
  const hint =
    near === undefined
      ? " 'toolplane servers list' shows the servers."
      : ` Did you mean '${near}'?`;
  return new PlaneError("NOT_FOUND", `No server '${name}' in ${file}.${hint}`, {
    data: { server: name, file, known: names },
  });
}

type EntryPlace = { name: string | null; path: Path };

function isListed({ path }: EntryPlace): boolean {
  return typeof path.at(-1) === "number";
}

type Holder = { path: Path; isList: boolean; entries: EntryPlace[] };

/** All places, the one for new servers first; none when the file has no servers yet. */
function holdersOf(data: UnknownObject): Holder[] {
  const wrapped = ["mcpServers", "servers"].flatMap((key) => {
    const servers = data[key];
    if (Array.isArray(servers)) return [listHolder([key], servers)];
    if (!isObject(servers) && servers !== null) return [];
    return [mapHolder([key], Object.keys(servers ?? {}))];
  });
  if (wrapped.length > 0) return wrapped;
  if (!Object.values(data).some(looksLikeServer)) return [];
  const names = Object.keys(data).filter((key) => isObject(data[key]));
  return [mapHolder([], names)];
}

function mapHolder(path: Path, names: readonly string[]): Holder {
  return { path, isList: false, entries: names.map((name) => ({ name, path: [...path, name] })) };
}

function listHolder(path: Path, servers: readonly unknown[]): Holder {
  const entries = servers.map((server, index) => ({
    name: stringOrNull(objectOrEmpty(server).name),
    path: [...path, index],
  }));
  return { path, isList: true, entries };
}

function looksLikeServer(entry: unknown): boolean {
  return (
    isObject(entry) &&
    ["command", "url", "container", "openapi", "skills"].some((key) => key in entry)
  );
}
