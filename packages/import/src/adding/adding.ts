import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import {
  type AddingPorts,
  addServerEntry,
  findReferences,
  mapTexts,
  newFile,
  projectFiles,
  readServerEntries,
  readServerEntry,
  resolveSecrets,
  type SetupPlace,
  startDirectory,
  userFiles,
  withPlaces,
} from "../../../../src/config/editing.ts";
import { createEgress } from "../../../../src/lib/net/egress.ts";
import { variableName } from "../../../../src/lib/text/variable-name.ts";
import type {
  AddedOne,
  AddHooks,
  AddOptions,
  FoundServer,
  Trial,
} from "../../../../src/model/config/adding.ts";
import { officialRegistry } from "../../../../src/model/config/config.ts";
import type { SetupAdding } from "../../../../src/model/config/setup.ts";
import { PlaneError, toPlaneError } from "../../../../src/model/errors.ts";
import { asShown, type Foreign, fieldOf } from "../../../../src/model/foreign.ts";
import { isObject, type JsonObject } from "../../../../src/model/json.ts";
import { packageLauncher } from "../../../../src/model/servers/package-launcher.ts";
import { concealSecrets } from "./conceal.ts";
import {
  type EntryInput,
  formOf,
  type InputValues,
  missingInputs,
  wrongChoices,
} from "./inputs.ts";
import { keepSecrets, unkeptSecrets } from "./keep-secrets.ts";
import { freeName } from "./names.ts";
import { type Recognised, recognise } from "./recognise.ts";
import { createRegistries } from "./registries.ts";
import {
  askForSent,
  noteSent,
  receiverOf,
  refuseSent,
  type Sent,
  sentVariables,
} from "./sent-variables.ts";
import type { RegistryServer } from "./server-json.ts";
import { updateServers } from "./updates.ts";

/** Adds servers from whatever names one. */
export function createAdding(ports: AddingPorts): SetupAdding {
  const { place } = ports;
  const means = async (isOffline = false) => {
    const { urls, allow } = await place.load().then(
      ({ config }) => ({ urls: config.registries, allow: config.security.egress.allow }),
      () => ({ urls: [officialRegistry], allow: [] }),
    );
    const egress = createEgress({ allow: () => allow });
    return {
      registries: createRegistries({ urls, directory: place.dataDirectory, isOffline, egress }),
      egress,
    };
  };
  return {
    async addServers(what, options, hooks = {}) {
      const file = fileFor(place, options.scope);
      const tryEntry = (entry: JsonObject) => tryOne(ports, "server", entry, {}, file);
      const found = await recognise(what, {
        ...options,
        place,
        ...(await means(options.offline)),
        tryUrl: tryEntry,
      });
      const taken = place
        .present()
        .flatMap((one) => readServerEntries(one).map(({ name }) => name));
      const named = found.map((one) => nameOf(one, options, taken, found.length));
      const drafts: ServerDraft[] = [];
      for (const [at, one] of found.entries())
        drafts.push(await draftServer(ports, named[at] ?? "", one, { ...options, file }, hooks));
      const done: AddedOne[] = [];
      for (const one of drafts)
        done.push(await conclude(ports, one, options, hooks).catch(among(drafts, one)));
      const [first, ...more] = done;
      if (first === undefined) throw new PlaneError("USAGE", "There is nothing to add.");
      return { ...first, more };
    },
    async searchServers(query, { limit = 30, offline = false } = {}) {
      const { servers, problems } = await (await means(offline)).registries.search(query, limit);
      return { problems, servers: servers.map(shownServer) };
    },
    tryEntry: (name, entry) => tryOne(ports, name, entry, {}, place.lastFile()),
    updateServers: async (name, { apply = false, offline = false } = {}) =>
      updateServers({ ...ports, ...(await means(offline)) }, name, apply),
  };
}

function shownServer({
  name,
  title,
  description,
  version,
  packages,
  remotes,
}: RegistryServer): FoundServer {
  const said = (of: Foreign, ...keys: string[]) =>
    keys.map((key) => asShown(fieldOf(of, key))).find(Boolean) ?? "";
  return {
    name,
    title: title ? asShown(title) : null,
    description: description ? asShown(description) : "",
    version,
    packages: packages.map((one) => ({
      kind: said(one, "registryType", "registry_type"),
      identifier: said(one, "identifier"),
      version: said(one, "version") || null,
    })),
    remotes: remotes.map((one) => ({ type: said(one, "type"), url: said(one, "url") })),
  };
}

/** Of several, one that fails does not keep the others out. */
function among(
  all: readonly ServerDraft[],
  { values: _, recognised: __, sent: ___, ...shown }: ServerDraft,
) {
  return (thrown: unknown): AddedOne => {
    if (all.length === 1) throw thrown;
    return { ...shown, problem: toPlaneError(thrown).message };
  };
}

/** Which of our files takes it. */
function fileFor(
  { files, directory, environment, fileAt, lastFile }: SetupPlace,
  scope: AddOptions["scope"],
): string {
  if (scope === undefined) return lastFile();
  if (files.length > 0)
    throw new PlaneError(
      "USAGE",
      "--config names the file already; leave --user and --project out.",
    );
  const possible = scope === "user" ? userFiles(environment) : projectFiles(directory);
  const file = possible.find((one) => existsSync(one)) ?? possible[0];
  if (file === undefined)
    throw new PlaneError("USAGE", "There is no home directory for a file of the user.");
  return fileAt(file) ?? join(directory, newFile);
}

function nameOf(
  { name }: Recognised,
  options: AddOptions,
  taken: readonly string[],
  count: number,
): string {
  if (options.name === undefined || count > 1) return freeName(name, taken);
  if (!/^[^\s./\\][^\s/\\]*$/.test(options.name))
    throw new PlaneError("USAGE", `'${options.name}' is not a valid server name.`);
  if (!taken.includes(options.name)) return options.name;
  const remedy = `Choose another with --name, or remove that one: toolplane servers remove ${options.name}`;
  throw new PlaneError("CONFLICT", `There is a server '${options.name}' already. ${remedy}`, {
    data: { server: options.name },
  });
}

type ServerDraft = AddedOne & {
  values: Record<string, string>;
  recognised: Recognised;
  sent: Sent | null;
};

/** Asks what only a person knows, where there is one to be asked. */
async function draftServer(
  { place }: AddingPorts,
  name: string,
  recognised: Recognised,
  options: AddOptions & { file: string },
  { ask, confirm }: AddHooks,
): Promise<ServerDraft> {
  const { kind, inputs, notes, ways = [] } = recognised;
  const { file, env = {}, headers = {} } = options;
  let values: InputValues = asKeys(options.values ?? {}, inputs);
  let environment = place.environment;
  const draw = () => {
    const wrong = wrongChoices(inputs, values);
    if (wrong.length > 0) throw new PlaneError("USAGE", `${wrong.join("; ")}.`);
    const built = recognised.build(values, environment);
    const drawn = concealSecrets(name, withMore(built, { env, headers }), place.environment);
    const theirs = recognised.isForeign ? concealSecrets(name, built, place.environment).entry : {};
    const sent = sentVariables(
      theirs,
      (variable) => (place.environment[variable] ?? "") !== "" && !Object.hasOwn(values, variable),
    );
    return { ...drawn, sent, needed: needed(drawn, inputs, values, environment) };
  };
  let drawn = draw();
  if (drawn.sent !== null && confirm && !options.dryRun) {
    const { agreed, without } = await askForSent(drawn.sent, environment, confirm);
    environment = without;
    drawn = draw();
    const left = drawn.sent?.variables.filter((variable) => !agreed.includes(variable)) ?? [];
    drawn.sent = null;
    if (left.length > 0) throw cancelled();
  }
  if (drawn.needed.missing.length > 0 && ask && !options.dryRun) {
    const given = await ask(name, formOf(drawn.needed.missing) ?? {});
    if (given === null) throw cancelled();
    values = { ...values, ...given };
    drawn = { ...draw(), sent: drawn.sent };
  }
  const { entry, needed: still, sent } = drawn;
  return {
    name,
    kind,
    file,
    notes,
    ways,
    recognised,
    sent,
    entry: located(entry, file, place.directory),
    isWritten: false,
    tools: null,
    needsSignIn: false,
    problem: null,
    form: formOf(noteSent([...inputs, ...still.others], sent)),
    missing: [...new Set([...still.missing.map(({ key }) => key), ...(sent?.variables ?? [])])],
    variables: still.variables,
    values: { ...textsIn(values), ...drawn.values },
  };
}

/** A manifest says `greeting`, and the variable for it is `GREETING`: either names the answer. */
function asKeys(given: InputValues, inputs: readonly EntryInput[]): InputValues {
  const keyOf = (name: string) =>
    (inputs.find(({ key }) => key === name) ?? inputs.find(({ key }) => key === variableName(name)))
      ?.key ?? name;
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [keyOf(name), value]));
}

const cancelled = () => new PlaneError("CANCELLED", "Nothing was written.");

function withMore(
  entry: JsonObject,
  more: Record<"env" | "headers", Readonly<Record<string, string>>>,
): JsonObject {
  const joined = Object.entries(more).flatMap(([key, added]) => {
    const before = entry[key];
    return Object.keys(added).length === 0
      ? []
      : [[key, { ...(isObject(before) ? before : {}), ...added }] as const];
  });
  return { ...entry, ...Object.fromEntries(joined) } as JsonObject;
}

function textsIn(values: InputValues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, one]) => (typeof one === "string" ? [[key, one]] : [])),
  );
}

/** Variables that the entry refers to, and fields that nothing fills in yet. */
function needed(
  { entry, values: pasted }: { entry: JsonObject; values: Record<string, string> },
  inputs: readonly EntryInput[],
  values: InputValues,
  environment: SetupPlace["environment"],
) {
  const names = new Set<string>();
  mapTexts(entry, (text) => {
    for (const { kind, name, fallback } of findReferences(text))
      if (kind === "env" && fallback === null) names.add(name);
    return text;
  });
  const isSet = (name: string) => (environment[name] ?? "") !== "";
  const describe = (name: string) => inputs.find(({ key }) => key === name);
  const asInput = (key: string): EntryInput =>
    describe(key) ?? { key, isRequired: true, isSecret: true };
  const unset = [...names].filter(
    (name) => !isSet(name) && values[name] === undefined && pasted[name] === undefined,
  );
  return {
    variables: [...names].map((name) => ({
      name,
      description: describe(name)?.description ?? null,
      isSet: isSet(name),
    })),
    others: [...names].filter((name) => describe(name) === undefined && !isSet(name)).map(asInput),
    missing: [...missingInputs(inputs, values, environment), ...unset.map(asInput)],
  };
}

/** Relative paths among its arguments hold wherever the plane is started. */
function located(entry: JsonObject, file: string, directory: string): JsonObject {
  const { command, args, cwd, openapi } = entry;
  const isHere = dirname(file) === directory;
  const isRelative = (word: unknown) =>
    typeof word === "string" &&
    /^\.{1,2}($|[\\/])/.test(word) &&
    existsSync(resolve(directory, word));
  const usesPaths =
    typeof command === "string" &&
    Array.isArray(args) &&
    args.some(isRelative) &&
    cwd === undefined;
  // What fetches packages would look for them there.
  const fetches = usesPaths && packageLauncher({ command, args: args.map(String) }) !== null;
  const away = fetches
    ? { args: args.map((word) => (isRelative(word) ? resolve(directory, String(word)) : word)) }
    : { cwd: directory };
  return {
    ...entry,
    ...(isRelative(command) && !isHere ? { command: resolve(directory, String(command)) } : {}),
    ...(isRelative(openapi) && !isHere ? { openapi: resolve(directory, String(openapi)) } : {}),
    ...(usesPaths && (isHere ? { cwd: "." } : away)),
  };
}

/** Tries it, and writes it where it answers or the person wants it anyway. */
async function conclude(
  ports: AddingPorts,
  draft: ServerDraft,
  options: AddOptions,
  { onDraft, keep }: AddHooks,
): Promise<AddedOne> {
  const { values, recognised, sent, ...shown } = draft;
  const { name, entry, file, missing } = shown;
  if (options.dryRun)
    return {
      ...shown,
      tools: recognised.trial?.tools ?? null,
      needsSignIn: recognised.trial?.needsSignIn ?? false,
    };
  if (sent !== null) throw refuseSent(shown, sent);
  if (missing.length > 0 && !options.force)
    throw incomplete(shown, recognised.isForeign && receiverOf(entry) !== null);
  onDraft?.(shown);
  await recognised.prepare?.(entry);
  const trial =
    missing.length > 0 ? untried : await tryOne(ports, name, entry, values, file, recognised);
  const done = { ...shown, ...trial };
  if (trial.problem !== null && !trial.needsSignIn && !options.force) throw failed(done);
  const { environment } = ports.place;
  const names = unkeptSecrets(entry, values, environment);
  const where =
    names.length === 0 ? "env" : (options.secrets ?? (await keep?.(name, names)) ?? "env");
  const secrets = Object.fromEntries(names.map((one) => [one, values[one] ?? ""]));
  const written =
    where === "env" ? { entry } : await keepSecrets(name, entry, secrets, where, environment);
  await addServerEntry(file, name, written.entry);
  await ports.trustWritten(file, [name]);
  const variables =
    where === "env" ? done.variables : done.variables.filter((one) => !names.includes(one.name));
  return { ...done, ...written, variables, isWritten: true };
}

const untried: Trial = { tools: null, needsSignIn: false, problem: null };
const anyway = "To write it anyway, add --force.";

/** A variable that is set is not enough for what leaves this machine. */
function incomplete(
  { name, missing, form, entry, variables }: AddedOne,
  isSent: boolean,
): PlaneError {
  const secret = isSent
    ? []
    : variables.filter((one) => missing.includes(one.name)).map((one) => one.name);
  const others = missing.filter((key) => !secret.includes(key));
  const remedy = [
    ...(secret.length > 0
      ? [`Set ${secret.join(" and ")} in the environment or with --env-file.`]
      : []),
    ...others.map((key) => `Say it with --set ${key}=….`),
  ].join(" ");
  const message = `'${name}' needs ${missing.join(" and ")}. ${remedy} ${anyway}`;
  return new PlaneError("USAGE", message, { data: { server: name, missing, form, entry } });
}

function failed({ name, problem, entry }: AddedOne): PlaneError {
  return new PlaneError("SERVER_UNAVAILABLE", `'${name}' was not added: ${problem} ${anyway}`, {
    data: { server: name, entry },
  });
}

async function tryOne(
  { place, tryServer }: AddingPorts,
  name: string,
  entry: JsonObject,
  values: Record<string, string>,
  file: string,
  recognised?: Recognised,
): Promise<Trial> {
  // What was asked to find out what it is need not be asked again.
  if (
    recognised?.trial &&
    recognised.kind !== "openapi" &&
    (recognised.trial.tools !== null || Object.keys(values).length === 0)
  )
    return recognised.trial;
  const environment = { ...place.environment, ...values };
  const { definition, problems } = readServerEntry(name, entry, environment);
  if (definition === undefined || problems.length > 0)
    return { ...untried, problem: `${problems.join("; ")}.` };
  try {
    const directory = dirname(isAbsolute(file) ? file : resolve(place.directory, file));
    const whole = withPlaces(await resolveSecrets(definition, { directory }), directory);
    // Its file may be the first in its directory.
    const isMissing = whole.cwd === directory && !existsSync(directory);
    const cwd = isMissing ? startDirectory(place.dataDirectory) : (whole.cwd ?? directory);
    return await tryServer(name, { ...whole, cwd }, { environment, directory });
  } catch (thrown) {
    return { ...untried, problem: toPlaneError(thrown).message };
  }
}
