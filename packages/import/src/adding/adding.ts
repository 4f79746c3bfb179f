import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import {
  type AddingPorts,
  addServerEntry,
  newFile,
  projectFiles,
  readServerEntries,
  readServerEntry,
  resolveSecrets,
  type SetupPlace,
  startDirectory,
  userFiles,
  withPlaces,
} from "@toolplane/core/config/editing";
import { createEgress } from "@toolplane/core/lib/net/egress";
import { variableName } from "@toolplane/core/lib/text/variable-name";
import type {
  AddedOne,
  AddHooks,
  AddOptions,
  FoundServer,
  Trial,
} from "@toolplane/core/model/config/adding";
import { officialRegistry } from "@toolplane/core/model/config/config";
import type { SetupAdding } from "@toolplane/core/model/config/setup";
import { PlaneError, toPlaneError } from "@toolplane/core/model/errors";
import { asShown, type Foreign, fieldOf } from "@toolplane/core/model/foreign";
import type { JsonObject } from "@toolplane/core/model/json";
import { locateEntry, openNeeds, withAdditions } from "./complete-entry.ts";
import { concealSecrets } from "./conceal.ts";
import { type EntryInput, formOf, type InputValues, wrongChoices } from "./inputs.ts";
import { keepSecrets, unkeptSecrets } from "./keep-secrets.ts";
import { freeName } from "./names.ts";
import { type Recognised, recognise } from "./recognise.ts";
import { createRegistries } from "./registries.ts";
import {
  askForSent,
  noteSent,
  receiverOf,
  refuseSent,
  type SentVariables,
  sentVariables,
} from "./sent-variables.ts";
import type { RegistryServer } from "./server-json.ts";
import { updateServers } from "./updates.ts";

/** Adds servers from whatever names one. */
export function createAdding(ports: AddingPorts): SetupAdding {
  const { place: setup } = ports;
  const createMeans = async (isOffline = false) => {
    const { urls, allow } = await setup.load().then(
      ({ config }) => ({ urls: config.registries, allow: config.security.egress.allow }),
      () => ({ urls: [officialRegistry], allow: [] }),
    );
    const egress = createEgress({ allow: () => allow });
    return {
      registries: createRegistries({ urls, directory: setup.dataDirectory, isOffline, egress }),
      egress,
    };
  };
  return {
    async addServers(what, options, hooks = {}) {
      const file = fileFor(setup, options.scope);
      const tryEntry = (entry: JsonObject) => tryServerEntry(ports, "server", entry, {}, file);
      const recognisedServers = await recognise(what, {
        ...options,
        place: setup,
        ...(await createMeans(options.offline)),
        tryUrl: tryEntry,
      });
      const takenNames = setup
        .present()
        .flatMap((presentFile) => readServerEntries(presentFile).map(({ name }) => name));
      const names = recognisedServers.map((server) =>
        nameOf(server, options, takenNames, recognisedServers.length),
      );
      const drafts: ServerDraft[] = [];
      for (const [index, server] of recognisedServers.entries())
        drafts.push(
          await draftServer(ports, names[index] ?? "", server, { ...options, file }, hooks),
        );
      const added: AddedOne[] = [];
      for (const draft of drafts)
        added.push(
          await tryAndWrite(ports, draft, options, hooks).catch(reportUnlessAlone(drafts, draft)),
        );
      const [first, ...more] = added;
      if (first === undefined) throw new PlaneError("USAGE", "There is nothing to add.");
      return { ...first, more };
    },
    async searchServers(query, { limit = 30, offline = false } = {}) {
      const { servers, problems } = await (await createMeans(offline)).registries.search(
        query,
        limit,
      );
      return { problems, servers: servers.map(shownServer) };
    },
    tryEntry: (name, entry) => tryServerEntry(ports, name, entry, {}, setup.lastFile()),
    updateServers: async (name, { apply = false, offline = false } = {}) =>
      updateServers({ ...ports, ...(await createMeans(offline)) }, name, apply),
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
  const textOf = (described: Foreign, ...keys: string[]) =>
    keys.map((key) => asShown(fieldOf(described, key))).find(Boolean) ?? "";
  return {
    name,
    title: title ? asShown(title) : null,
    description: description ? asShown(description) : "",
    version,
    packages: packages.map((packageEntry) => ({
      kind: textOf(packageEntry, "registryType", "registry_type"),
      identifier: textOf(packageEntry, "identifier"),
      version: textOf(packageEntry, "version") || null,
    })),
    remotes: remotes.map((remote) => ({
      type: textOf(remote, "type"),
      url: textOf(remote, "url"),
    })),
  };
}

/** Of several, one that fails does not keep the others out. */
function reportUnlessAlone(
  drafts: readonly ServerDraft[],
  { values: _, recognised: __, sent: ___, ...shown }: ServerDraft,
) {
  return (thrown: unknown): AddedOne => {
    if (drafts.length === 1) throw thrown;
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
  const file = possible.find((path) => existsSync(path)) ?? possible[0];
  if (file === undefined)
    throw new PlaneError("USAGE", "There is no home directory for a file of the user.");
  return fileAt(file) ?? join(directory, newFile);
}

function nameOf(
  { name }: Recognised,
  options: AddOptions,
  takenNames: readonly string[],
  count: number,
): string {
  if (options.name === undefined || count > 1) return freeName(name, takenNames);
  if (!/^[^\s./\\][^\s/\\]*$/.test(options.name))
    throw new PlaneError("USAGE", `'${options.name}' is not a valid server name.`);
  if (!takenNames.includes(options.name)) return options.name;
  const remedy = `Choose another with --name, or remove that one: toolplane servers remove ${options.name}`;
  throw new PlaneError("CONFLICT", `There is a server '${options.name}' already. ${remedy}`, {
    data: { server: options.name },
  });
}

type ServerDraft = AddedOne & {
  values: Record<string, string>;
  recognised: Recognised;
  sent: SentVariables | null;
};

/** Asks what only a person knows, where there is one to be asked. */
async function draftServer(
  { place: setup }: AddingPorts,
  name: string,
  recognised: Recognised,
  options: AddOptions & { file: string },
  { ask, confirm }: AddHooks,
): Promise<ServerDraft> {
  const { kind, inputs, notes, ways = [] } = recognised;
  const { file, env = {}, headers = {} } = options;
  let values: InputValues = answersByKey(options.values ?? {}, inputs);
  let environment = setup.environment;
  const drawEntry = () => {
    const invalid = wrongChoices(inputs, values);
    if (invalid.length > 0) throw new PlaneError("USAGE", `${invalid.join("; ")}.`);
    const built = recognised.build(values, environment);
    const drawn = concealSecrets(name, withAdditions(built, { env, headers }), setup.environment);
    const foreignEntry = recognised.isForeign
      ? concealSecrets(name, built, setup.environment).entry
      : {};
    const sent = sentVariables(
      foreignEntry,
      (variable) => (setup.environment[variable] ?? "") !== "" && !Object.hasOwn(values, variable),
    );
    return { ...drawn, sent, needed: openNeeds(drawn, inputs, values, environment) };
  };
  let drawn = drawEntry();
  if (drawn.sent !== null && confirm && !options.dryRun) {
    const { agreed, without } = await askForSent(drawn.sent, environment, confirm);
    environment = without;
    drawn = drawEntry();
    const declined = drawn.sent?.variables.filter((variable) => !agreed.includes(variable)) ?? [];
    drawn.sent = null;
    if (declined.length > 0) throw cancelled();
  }
  if (drawn.needed.missing.length > 0 && ask && !options.dryRun) {
    const answers = await ask(name, formOf(drawn.needed.missing) ?? {});
    if (answers === null) throw cancelled();
    values = { ...values, ...answers };
    drawn = { ...drawEntry(), sent: drawn.sent };
  }
  const { entry, needed: stillNeeded, sent } = drawn;
  return {
    name,
    kind,
    file,
    notes,
    ways,
    recognised,
    sent,
    entry: locateEntry(entry, file, setup.directory),
    isWritten: false,
    tools: null,
    needsSignIn: false,
    problem: null,
    form: formOf(noteSent([...inputs, ...stillNeeded.others], sent)),
    missing: [
      ...new Set([...stillNeeded.missing.map(({ key }) => key), ...(sent?.variables ?? [])]),
    ],
    variables: stillNeeded.variables,
    values: { ...textsIn(values), ...drawn.values },
  };
}

/** A manifest says `greeting`, and the variable for it is `GREETING`: either names the answer. */
function answersByKey(answers: InputValues, inputs: readonly EntryInput[]): InputValues {
  const keyOf = (name: string) =>
    (inputs.find(({ key }) => key === name) ?? inputs.find(({ key }) => key === variableName(name)))
      ?.key ?? name;
  return Object.fromEntries(Object.entries(answers).map(([name, value]) => [keyOf(name), value]));
}

const cancelled = () => new PlaneError("CANCELLED", "Nothing was written.");

function textsIn(values: InputValues): Record<string, string> {
  const texts = Object.entries(values).filter(([, text]) => typeof text === "string");
  return Object.fromEntries(texts) as Record<string, string>;
}

/** Tries it, and writes it where it answers or the person wants it anyway. */
async function tryAndWrite(
  ports: AddingPorts,
  draft: ServerDraft,
  options: AddOptions,
  { onDraft, keep }: AddHooks,
): Promise<AddedOne> {
  const { values, recognised, sent, ...added } = draft;
  const { name, entry, file, missing } = added;
  if (options.dryRun)
    return {
      ...added,
      tools: recognised.trial?.tools ?? null,
      needsSignIn: recognised.trial?.needsSignIn ?? false,
    };
  if (sent !== null) throw refuseSent(added, sent);
  if (missing.length > 0 && !options.force)
    throw incomplete(added, recognised.isForeign && receiverOf(entry) !== null);
  onDraft?.(added);
  await recognised.prepare?.(entry);
  let trial = untried;
  if (missing.length === 0)
    trial = await tryServerEntry(ports, name, entry, values, file, recognised);
  const tried = { ...added, ...trial };
  if (trial.problem !== null && !trial.needsSignIn && !options.force) throw failed(tried);
  const { environment } = ports.place;
  const names = unkeptSecrets(entry, values, environment);
  const secretPlace =
    names.length === 0 ? "env" : (options.secrets ?? (await keep?.(name, names)) ?? "env");
  if (secretPlace === "env") {
    await addServerEntry(file, name, entry);
    await ports.trustWritten(file, [name]);
    return { ...tried, isWritten: true };
  }
  const secrets = Object.fromEntries(names.map((variable) => [variable, values[variable] ?? ""]));
  const written = await keepSecrets(name, entry, secrets, secretPlace, environment);
  await addServerEntry(file, name, written.entry);
  await ports.trustWritten(file, [name]);
  const variables = tried.variables.filter((variable) => !names.includes(variable.name));
  return { ...tried, ...written, variables, isWritten: true };
}

const untried: Trial = { tools: null, needsSignIn: false, problem: null };
const anyway = "To write it anyway, add --force.";

/** A variable that is set is not enough for what leaves this machine. */
function incomplete(
  { name, missing, form, entry, variables }: AddedOne,
  isSent: boolean,
): PlaneError {
  const secretNames = variables
    .map((variable) => variable.name)
    .filter((variable) => !isSent && missing.includes(variable));
  const otherKeys = missing.filter((key) => !secretNames.includes(key));
  const remedies = otherKeys.map((key) => `Say it with --set ${key}=….`);
  if (secretNames.length > 0)
    remedies.unshift(`Set ${secretNames.join(" and ")} in the environment or with --env-file.`);
  const message = `'${name}' needs ${missing.join(" and ")}. ${remedies.join(" ")} ${anyway}`;
  return new PlaneError("USAGE", message, { data: { server: name, missing, form, entry } });
}

function failed({ name, problem, entry }: AddedOne): PlaneError {
  return new PlaneError("SERVER_UNAVAILABLE", `'${name}' was not added: ${problem} ${anyway}`, {
    data: { server: name, entry },
  });
}

async function tryServerEntry(
  { place: setup, tryServer }: AddingPorts,
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
  const environment = { ...setup.environment, ...values };
  const { definition, problems } = readServerEntry(name, entry, environment);
  if (definition === undefined || problems.length > 0)
    return { ...untried, problem: `${problems.join("; ")}.` };
  try {
    const directory = dirname(isAbsolute(file) ? file : resolve(setup.directory, file));
    const resolved = withPlaces(await resolveSecrets(definition, { directory }), directory);
    // Its file may be the first in its directory.
    const isMissing = resolved.cwd === directory && !existsSync(directory);
    const cwd = isMissing ? startDirectory(setup.dataDirectory) : (resolved.cwd ?? directory);
    return await tryServer(name, { ...resolved, cwd }, { environment, directory });
  } catch (thrown) {
    return { ...untried, problem: toPlaneError(thrown).message };
  }
}
