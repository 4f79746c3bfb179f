import {
  findReferences,
  mapTexts,
  putServerEntry,
  readServerEntries,
  type SetupPlace,
} from "../../../../src/config/editing.ts";
import { stableJson } from "../../../../src/lib/json/stable-json.ts";
import type { Egress } from "../../../../src/lib/net/egress.ts";
import { compareVersions, parseVersion } from "../../../../src/lib/semver.ts";
import type { ServerUpdate } from "../../../../src/model/config/adding.ts";
import { PlaneError } from "../../../../src/model/errors.ts";
import { isSame, writeText } from "../../../../src/model/foreign.ts";
import { isObject, type JsonObject } from "../../../../src/model/json.ts";
import { fetchNamedBundle } from "./fetch-bundle.ts";
import type { createRegistries } from "./registries.ts";
import { type RegistryServer, refuseSecretReferences, type Way, waysOf } from "./server-json.ts";

type UpdatePorts = {
  place: SetupPlace;
  registries: ReturnType<typeof createRegistries>;
  egress: Egress;
  trustWritten(file: string, names: readonly string[]): Promise<void>;
};

type Sourced = {
  file: string;
  name: string;
  entry: JsonObject;
  source: string;
  from: string;
  version: string;
};

/** What is newer in the registries, and what it would change; `apply` writes it. */
export async function updateServers(
  ports: UpdatePorts,
  name: string | undefined,
  apply: boolean,
): Promise<ServerUpdate[]> {
  const all = ports.place.present().flatMap(sourcedIn);
  const chosen = name === undefined ? all : all.filter((one) => one.name === name);
  if (name !== undefined && chosen.length === 0)
    throw new PlaneError("NOT_FOUND", `No server '${name}' was added from a registry.`, {
      data: { server: name },
    });
  const updates: ServerUpdate[] = [];
  for (const one of chosen) updates.push(await updateOne(ports, one, apply));
  return updates;
}

function sourcedIn(file: string): Sourced[] {
  return readServerEntries(file).flatMap(({ name, entry }) => {
    const { source } = isObject(entry) ? entry : {};
    const [, from, version] =
      typeof source === "string" ? (/^([^@]+)@(.+)$/.exec(source) ?? []) : [];
    if (from === undefined || version === undefined) return [];
    return { file, name, entry: entry as JsonObject, source: String(source), from, version };
  });
}

async function updateOne(ports: UpdatePorts, one: Sourced, apply: boolean): Promise<ServerUpdate> {
  const { registries } = ports;
  const { server, problems } = await registries.get(one.from, "latest");
  const same = { name: one.name, source: one.source, version: one.version, latest: server.version };
  if (!isNewer(server.version, one.version))
    return { ...same, isNewer: false, changes: [], needs: [], isWritten: false, notes: problems };
  const before = await registries.get(one.from, one.version).catch(() => null);
  const next = await pinned(one, { server, before: before?.server }, ports, apply);
  if (next === null) {
    const note = `Version ${server.version} is started in another way. Remove it and add it again: toolplane add ${one.from}`;
    return {
      ...same,
      isNewer: true,
      changes: [],
      needs: [],
      isWritten: false,
      notes: [...problems, note],
    };
  }
  const entry = { ...next.entry, source: `${one.from}@${server.version}` };
  const needs = newNeeds(next.way, before?.server, entry);
  if (apply) {
    await putServerEntry(one.file, one.name, entry);
    await ports.trustWritten(one.file, [one.name]);
  }
  return {
    ...same,
    isNewer: true,
    changes: differences(one.entry, entry),
    needs,
    isWritten: apply,
    notes: problems,
  };
}

/** Versions that cannot be compared are newer when they differ: the registry says which is the latest. */
function isNewer(latest: string, version: string): boolean {
  const theirs = parseVersion(latest);
  const ours = parseVersion(version);
  return theirs && ours ? compareVersions(theirs, ours) > 0 : latest !== version;
}

type Versions = { server: RegistryServer; before: RegistryServer | undefined };

/** The entry with the new version in the place of the old one; everything else stays as a person has it. */
async function pinned(
  { entry, from }: Sourced,
  { server, before }: Versions,
  ports: UpdatePorts,
  apply: boolean,
): Promise<{ entry: JsonObject; way: Way } | null> {
  for (const part of [...server.packages, ...server.remotes])
    refuseSecretReferences(part, `Version ${server.version} of the registry's entry '${from}'`);
  const known = before === undefined ? [] : waysOf(before);
  for (const way of waysOf(server)) {
    if (way.unusable !== undefined) continue;
    const next = way.bundle
      ? await withBundle(entry, way.bundle, ports, apply)
      : withVersion(entry, way, known);
    if (next !== null) return { entry: next, way };
  }
  return null;
}

function withVersion(entry: JsonObject, way: Way, known: readonly Way[]): JsonObject | null {
  if (typeof entry.url === "string") return withAddress({ ...entry, url: entry.url }, way, known);
  const built = way.build({}, {});
  const image = isObject(built.container) ? String(built.container.image) : null;
  const nameOf = (text: string) => text.replace(/(?<=.)[@:][^@:/]*$/, "");
  if (
    isObject(entry.container) &&
    image !== null &&
    nameOf(String(entry.container.image)) === nameOf(image)
  )
    return { ...entry, container: { ...(entry.container as JsonObject), image } };
  const words = Array.isArray(built.args) ? built.args.map(String) : [];
  const started = words.find((word) => nameOf(word) === way.what || word === way.what);
  if (!Array.isArray(entry.args) || started === undefined) return null;
  const at = entry.args.findIndex((word) => nameOf(String(word)) === nameOf(started));
  return at < 0 ? null : { ...entry, args: entry.args.with(at, started) };
}

/** Headers, tokens and consent were given to one origin, so that another one is another server. */
function withAddress(
  entry: JsonObject & { url: string },
  way: Way,
  known: readonly Way[],
): JsonObject | null {
  const { url } = way;
  if (url === undefined) return null;
  // What a person filled in stays where the registry writes the address as before.
  if (known.some((one) => one.url && isSame(one.url, url))) return entry;
  const next = String(way.build({}, {}).url);
  const refersTo = (text: string) => findReferences(text).map((one) => one.text);
  const isMore = refersTo(next).some((one) => !refersTo(entry.url).includes(one));
  const isOpen = refersTo(next)
    .reduce((text, one) => text.replace(one, ""), next)
    .includes("{");
  const originOf = (text: string) => (URL.canParse(text) ? new URL(text).origin : null);
  const isMoved = originOf(next) === null || originOf(next) !== originOf(entry.url);
  return isMore || isOpen || isMoved ? null : { ...entry, url: next };
}

async function withBundle(
  entry: JsonObject,
  bundle: NonNullable<Way["bundle"]>,
  { egress, place }: UpdatePorts,
  apply: boolean,
): Promise<JsonObject | null> {
  if (typeof entry.cwd !== "string" || !/[\\/]bundles[\\/]/.test(entry.cwd)) return null;
  const { directory, unpack } = await fetchNamedBundle(bundle, egress, place);
  if (apply) unpack();
  const before = entry.cwd;
  return mapTexts(entry, (text) =>
    text.replaceAll(before, () => writeText([directory])),
  ) as JsonObject;
}

/** What is required now, was not before, and stands nowhere in the entry. */
function newNeeds(way: Way, before: RegistryServer | undefined, entry: JsonObject): string[] {
  const known = before === undefined ? [] : waysOf(before).filter(({ via }) => via === way.via);
  const wasRequired = (key: string) =>
    known.some(({ inputs }) => inputs.some((one) => one.key === key && one.isRequired));
  const given = {
    ...(isObject(entry.env) ? entry.env : {}),
    ...(isObject(entry.headers) ? entry.headers : {}),
  };
  return way.inputs
    .filter(
      ({ key, isRequired, default: usual }) =>
        isRequired && usual === undefined && !wasRequired(key),
    )
    .map(({ key }) => key)
    .filter((key) => !Object.hasOwn(given, key));
}

function differences(before: JsonObject, after: JsonObject): ServerUpdate["changes"] {
  const text = (value: unknown) =>
    value === undefined ? null : typeof value === "string" ? value : stableJson(value);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const from = text(before[key]);
    const to = text(after[key]);
    return from === to ? [] : [{ key, from, to }];
  });
}
