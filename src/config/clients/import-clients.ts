import { stableJson } from "../../lib/stable-json.ts";
import { toPlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Path } from "../../model/path.ts";
import type { ImportReport } from "../../model/setup.ts";
import { readData } from "../edit/edit-file.ts";
import { valueAt } from "../edit/value-at.ts";
import { type ClientFile, type ClientName, clientNames, clientOf, type Where } from "./clients.ts";
import { isOurselves } from "./is-ourselves.ts";
import { knownClient } from "./known-client.ts";
import { translateEntry } from "./translate-entry.ts";

export type ClientServer = { name: string; client: ClientName; definition: JsonObject };

export type ClientServers = Pick<ImportReport, "found" | "skipped"> & {
  servers: ClientServer[];
  /** Servers whose name was taken by a different one. */
  renamed: { name: string; client: ClientName; from: string }[];
};

/** The servers in the configuration of other clients, in our own form; no names mean all clients. */
export function findClientServers(names: readonly string[], where: Where): ClientServers {
  const chosen = names.length === 0 ? clientNames() : [...new Set(names.map(knownClient))];
  const result: ClientServers = { found: [], servers: [], skipped: [], renamed: [] };
  const seen = new Set<string>();
  for (const client of chosen) {
    for (const file of clientOf(client).files(where)) {
      if (!seen.has(file.path)) addFile(result, client, file, where);
      seen.add(file.path);
    }
  }
  return result;
}

function addFile(result: ClientServers, client: ClientName, file: ClientFile, where: Where): void {
  let data: unknown;
  try {
    data = readData(file.path);
  } catch (thrown) {
    result.skipped.push({ name: client, reason: toPlaneError(thrown).message });
    return;
  }
  const entries = file.places.flatMap((place) => {
    const isProject = file.scope === "project" || place[0] === "projects";
    return entriesAt(data, place).map(([name, entry]) => ({ name, entry, isProject }));
  });
  if (entries.length === 0) return;
  result.found.push({ client, path: file.path, servers: [...new Set(entries.map(({ name }) => name))] });
  for (const { name, entry, isProject } of entries) {
    const translated = translateEntry(entry, { client, isProject, where });
    if ("reason" in translated) result.skipped.push({ name, reason: `${client}: ${translated.reason}` });
    else addServer(result, { name, client, definition: translated.definition });
  }
}

function entriesAt(data: unknown, place: Path): [string, unknown][] {
  const servers = valueAt(data, place);
  return isObject(servers) ? Object.entries(servers) : [];
}

function addServer(result: ClientServers, server: ClientServer): void {
  const { name, client, definition } = server;
  if (isOurselves(name, definition)) {
    result.skipped.push({ name, reason: `${client}: it is Toolplane itself` });
    return;
  }
  const namesakes = result.servers.filter((other) => originalName(result, other) === name);
  if (namesakes.some((other) => stableJson(other.definition) === stableJson(definition))) return;
  const free = freeName(result, name, client);
  result.servers.push({ ...server, name: free });
  if (free !== name) result.renamed.push({ name: free, client, from: name });
}

function originalName({ renamed }: ClientServers, { name }: ClientServer): string {
  return renamed.find((change) => change.name === name)?.from ?? name;
}

function freeName({ servers }: ClientServers, name: string, client: ClientName): string {
  const isTaken = (candidate: string) => servers.some((server) => server.name === candidate);
  if (!isTaken(name)) return name;
  let candidate = `${name}-${client}`;
  for (let count = 2; isTaken(candidate); count++) candidate = `${name}-${client}-${count}`;
  return candidate;
}
