import {
  findReferences,
  mapTexts,
  putServerEntry,
  readServerEntries,
  type SetupPlace,
} from "@toolplane/core/config/editing";
import { stableJson } from "@toolplane/core/lib/json/stable-json";
import type { Egress } from "@toolplane/core/lib/net/egress";
import { compareVersions, parseVersion } from "@toolplane/core/lib/semver";
import type { ServerUpdate } from "@toolplane/core/model/config/adding";
import { PlaneError } from "@toolplane/core/model/errors";
import { isSame, writeText } from "@toolplane/core/model/foreign";
import { isObject, type JsonObject, listOrEmpty } from "@toolplane/core/model/json";
import { fetchNamedBundle } from "./fetch-bundle.ts";
import type { createRegistries } from "./registries.ts";
import { type RegistryServer, refuseSecretReferences, type Way, waysOf } from "./server-json.ts";

type UpdatePorts = {
  place: SetupPlace;
  registries: ReturnType<typeof createRegistries>;
  egress: Egress;
  trustWritten(file: string, names: readonly string[]): Promise<void>;
};

type SourcedServer = {
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
  const sourced = ports.place.present().flatMap(sourcedIn);
  const chosen = name === undefined ? sourced : sourced.filter((server) => server.name === name);
  if (name !== undefined && chosen.length === 0)
    throw new PlaneError("NOT_FOUND", `No server '${name}' was added from a registry.`, {
      data: { server: name },
    });
  const updates: ServerUpdate[] = [];
  for (const server of chosen) updates.push(await updateServer(ports, server, apply));
  return updates;
}

function sourcedIn(file: string): SourcedServer[] {
  return readServerEntries(file).flatMap(({ name, entry }) => {
    if (!isObject(entry) || typeof entry.source !== "string") return [];
    const { source } = entry;
    const [, from, version] = /^([^@]+)@(.+)$/.exec(source) ?? [];
    if (from === undefined || version === undefined) return [];
    return { file, name, entry: entry as JsonObject, source, from, version };
  });
}

async function updateServer(
  ports: UpdatePorts,
  sourced: SourcedServer,
  apply: boolean,
): Promise<ServerUpdate> {
  const { registries } = ports;
  const { server, problems } = await registries.get(sourced.from, "latest");
  const update = {
    name: sourced.name,
    source: sourced.source,
    version: sourced.version,
    latest: server.version,
  };
  if (!isNewer(server.version, sourced.version))
    return { ...update, isNewer: false, changes: [], needs: [], isWritten: false, notes: problems };
  const installed = await registries.get(sourced.from, sourced.version).catch(() => null);
  const pinned = await pinVersion(sourced, { server, before: installed?.server }, ports, apply);
  if (pinned === null) {
    const note = `Version ${server.version} is started in another way. Remove it and add it again: toolplane add ${sourced.from}`;
    const notes = [...problems, note];
    return { ...update, isNewer: true, changes: [], needs: [], isWritten: false, notes };
  }
  const entry = { ...pinned.entry, source: `${sourced.from}@${server.version}` };
  const needs = newNeeds(pinned.way, installed?.server, entry);
  if (apply) {
    await putServerEntry(sourced.file, sourced.name, entry);
    await ports.trustWritten(sourced.file, [sourced.name]);
  }
  return {
    ...update,
    isNewer: true,
    changes: differences(sourced.entry, entry),
    needs,
    isWritten: apply,
    notes: problems,
  };
}

/** Versions that cannot be compared are newer when they differ: the registry says which is the latest. */
function isNewer(latest: string, version: string): boolean {
  const theirs = parseVersion(latest);
  const ours = parseVersion(version);
  if (!theirs || !ours) return latest !== version;
  return compareVersions(theirs, ours) > 0;
}

type Versions = { server: RegistryServer; before: RegistryServer | undefined };

/** The entry with the new version in the place of the old one; everything else stays as a person has it. */
async function pinVersion(
  { entry, from }: SourcedServer,
  { server, before }: Versions,
  ports: UpdatePorts,
  apply: boolean,
): Promise<{ entry: JsonObject; way: Way } | null> {
  for (const part of [...server.packages, ...server.remotes])
    refuseSecretReferences(part, `Version ${server.version} of the registry's entry '${from}'`);
  const previousWays = before === undefined ? [] : waysOf(before);
  for (const way of waysOf(server)) {
    if (way.unusable !== undefined) continue;
    const nextEntry = way.bundle
      ? await withBundle(entry, way.bundle, ports, apply)
      : withVersion(entry, way, previousWays);
    if (nextEntry !== null) return { entry: nextEntry, way };
  }
  return null;
}

function withVersion(entry: JsonObject, way: Way, previousWays: readonly Way[]): JsonObject | null {
  if (typeof entry.url === "string")
    return withAddress({ ...entry, url: entry.url }, way, previousWays);
  const built = way.build({}, {});
  const image = isObject(built.container) ? String(built.container.image) : null;
  const nameOf = (text: string) => text.replace(/(?<=.)[@:][^@:/]*$/, "");
  if (
    isObject(entry.container) &&
    image !== null &&
    nameOf(String(entry.container.image)) === nameOf(image)
  )
    return { ...entry, container: { ...(entry.container as JsonObject), image } };
  const launchArgs = listOrEmpty(built.args).map(String);
  const packageArgument = launchArgs.find(
    (argument) => nameOf(argument) === way.what || argument === way.what,
  );
  if (!Array.isArray(entry.args) || packageArgument === undefined) return null;
  const index = entry.args.findIndex(
    (argument) => nameOf(String(argument)) === nameOf(packageArgument),
  );
  if (index < 0) return null;
  return { ...entry, args: entry.args.with(index, packageArgument) };
}

/** Headers, tokens and consent were given to one origin, so that another one is another server. */
function withAddress(
  entry: JsonObject & { url: string },
  way: Way,
  previousWays: readonly Way[],
): JsonObject | null {
  const { url } = way;
  if (url === undefined) return null;
  // What a person filled in stays where the registry writes the address as before.
  if (previousWays.some((previousWay) => previousWay.url && isSame(previousWay.url, url)))
    return entry;
  const address = String(way.build({}, {}).url);
  const refersTo = (text: string) => findReferences(text).map((reference) => reference.text);
  const needsMore = refersTo(address).some((reference) => !refersTo(entry.url).includes(reference));
  const isOpen = refersTo(address)
    .reduce((text, reference) => text.replace(reference, ""), address)
    .includes("{");
  const originOf = (text: string) => URL.parse(text)?.origin ?? null;
  const isMoved = originOf(address) === null || originOf(address) !== originOf(entry.url);
  if (needsMore || isOpen || isMoved) return null;
  return { ...entry, url: address };
}

async function withBundle(
  entry: JsonObject,
  bundle: NonNullable<Way["bundle"]>,
  { egress, place: setup }: UpdatePorts,
  apply: boolean,
): Promise<JsonObject | null> {
  if (typeof entry.cwd !== "string" || !/[\\/]bundles[\\/]/.test(entry.cwd)) return null;
  const { directory, unpack } = await fetchNamedBundle(bundle, egress, setup);
  if (apply) unpack();
  const previousDirectory = entry.cwd;
  return mapTexts(entry, (text) =>
    text.replaceAll(previousDirectory, () => writeText([directory])),
  ) as JsonObject;
}

/** What is required now, was not before, and stands nowhere in the entry. */
function newNeeds(way: Way, before: RegistryServer | undefined, entry: JsonObject): string[] {
  const previousWays = before ? waysOf(before).filter(({ via }) => via === way.via) : [];
  const wasRequired = (key: string) =>
    previousWays.some(({ inputs }) =>
      inputs.some((input) => input.key === key && input.isRequired),
    );
  const { env, headers } = entry;
  const isFilledIn = (key: string) =>
    [env, headers].some((map) => isObject(map) && Object.hasOwn(map, key));
  return way.inputs
    .filter(
      ({ key, isRequired, default: defaultValue }) =>
        isRequired && defaultValue === undefined && !wasRequired(key),
    )
    .map(({ key }) => key)
    .filter((key) => !isFilledIn(key));
}

function differences(before: JsonObject, after: JsonObject): ServerUpdate["changes"] {
  const spelled = (field: unknown) => {
    if (field === undefined) return null;
    return typeof field === "string" ? field : stableJson(field);
  };
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
    const from = spelled(before[key]);
    const to = spelled(after[key]);
    if (from === to) return [];
    return [{ key, from, to }];
  });
}
