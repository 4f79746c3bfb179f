import { nearest } from "../../lib/text/nearest.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject, type Path, type UnknownObject } from "../../model/json.ts";
import { readData, removeFromFile, replaceInFile, setInFile } from "./edit-file.ts";
import { withLock } from "./write-file.ts";

export function addServerEntry(file: string, name: string, definition: JsonObject): Promise<void> {
  return withLock(file, () => add(file, name, definition));
}

/** Replaces a server where it stands, or adds it; the file is written once, so the old entry is never lost. */
export function putServerEntry(file: string, name: string, definition: JsonObject): Promise<void> {
  return withLock(file, () => {
    const found = entriesOf(file).filter((entry) => entry.name === name);
    const [kept, ...others] = found;
    if (kept === undefined) return add(file, name, definition);
    const value = kept.isListed ? { name, ...definition } : definition;
    replaceInFile(file, kept.path, value, others.map(({ path }) => path).reverse());
  });
}

export function removeServerEntry(file: string, name: string): Promise<void> {
  return withLock(file, () => remove(file, name));
}

export function hasServerEntry(file: string, name: string): boolean {
  return entriesOf(file).some((entry) => entry.name === name);
}

function entriesOf(file: string): Entry[] {
  const data = readData(file);
  return holdersOf(isObject(data) ? data : {}).flatMap((holder) => holder.entries);
}

export function readServerEntries(file: string): { name: string; entry: unknown }[] {
  const data = readData(file);
  return holdersOf(isObject(data) ? data : {}).flatMap(({ entries }) =>
    entries.flatMap(({ name, path }) => (name === null ? [] : { name, entry: entryAt(data, path) })),
  );
}

function entryAt(data: unknown, path: Path): unknown {
  const at = path.reduce<unknown>((inner, key) => (inner as UnknownObject)[key], data);
  if (!isObject(at) || typeof path.at(-1) !== "number") return at;
  const { name: _, ...entry } = at;
  return entry;
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
  const { path, isList, entries } = holders[0] ?? { path: ["mcpServers"], isList: false, entries: [] };
  if (isList) setInFile(file, [...path, entries.length], { name, ...definition });
  else setInFile(file, [...path, name], definition);
}

function remove(file: string, name: string): void {
  const entries = entriesOf(file);
  const found = entries.filter((entry) => entry.name === name).reverse();
  if (found.length === 0) throw noSuchServer(file, name, entries);
  for (const { path } of found) removeFromFile(file, path);
}

function noSuchServer(file: string, name: string, entries: readonly Entry[]): PlaneError {
  const known = entries.flatMap((entry) => entry.name ?? []);
  const [near] = nearest(name, known, 1);
  const hint = near === undefined ? "" : ` Did you mean '${near}'?`;
  return new PlaneError("NOT_FOUND", `No server '${name}' in ${file}.${hint}`, {
    data: { server: name, file, known },
  });
}

type Entry = { name: string | null; path: Path; isListed?: true };

type Holder = { path: Path; isList: boolean; entries: Entry[] };

/** All places, the one for new servers first; none when the file has no servers yet. */
function holdersOf(data: UnknownObject): Holder[] {
  const wrapped = ["mcpServers", "servers"].flatMap((key) => {
    const servers = data[key];
    if (Array.isArray(servers)) return [listHolder([key], servers)];
    return isObject(servers) || servers === null ? [mapHolder([key], Object.keys(servers ?? {}))] : [];
  });
  if (wrapped.length > 0) return wrapped;
  if (!Object.values(data).some(looksLikeServer)) return [];
  return [
    mapHolder(
      [],
      Object.keys(data).filter((key) => isObject(data[key])),
    ),
  ];
}

function mapHolder(path: Path, names: readonly string[]): Holder {
  return { path, isList: false, entries: names.map((name) => ({ name, path: [...path, name] })) };
}

function listHolder(path: Path, servers: readonly unknown[]): Holder {
  const entries = servers.map((server, at) => ({
    name: isObject(server) && typeof server.name === "string" ? server.name : null,
    path: [...path, at],
    isListed: true as const,
  }));
  return { path, isList: true, entries };
}

function looksLikeServer(entry: unknown): boolean {
  return isObject(entry) && ("command" in entry || "url" in entry);
}
