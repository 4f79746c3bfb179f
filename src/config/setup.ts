import { lazily } from "../lib/async/lazily.ts";
import { exposedTo } from "../lib/private-directory.ts";
import { didYouMean, nearest } from "../lib/text/nearest.ts";
import { type Config, type ConfigProblem, renderProblems } from "../model/config/config.ts";
import {
  noTrust,
  type ProjectTrust,
  type Setup,
  type SetupAdding,
  type SetupEntries,
  type SetupRules,
  type TrustLine,
  trustLinesOf,
} from "../model/config/setup.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import type { Removals } from "./edit/undo-removal.ts";
import { explain } from "./explain.ts";
import { findingServers } from "./found-servers.ts";
import type { LoadImport } from "./import-package.ts";
import { checkModelEntry, checkServerEntry, type LoadedConfig } from "./load-config.ts";
import { configSchema } from "./schemas.ts";
import { maskSecrets } from "./secrets/mask.ts";
import { showReferences } from "./secrets/references.ts";
import { createPlace, newFile, type SetupOptions, type SetupPlace } from "./setup-place.ts";
import { createTrustAnswers } from "./trust/answers.ts";
import type { PulledFile } from "./trust/pulled-files.ts";

/** Each verb is one command, so what only one needs is loaded by it. */
export function createSetup(options: SetupOptions, loadImport: LoadImport): Setup {
  const { files: namedFiles, directory, environment } = options;
  const place = createPlace(options, (files) =>
    findingServers({ named: namedFiles, files, directory, environment }, loadImport),
  );
  let removalsOnce: Promise<Removals> | undefined;
  const removals = () =>
    (removalsOnce ??= import("./edit/undo-removal.ts").then(({ createRemovals }) =>
      createRemovals(),
    ));
  const editing = editingVerbs(place, removals);
  const toolsets = toolsetVerbs(place, removals);
  const adding = addingVerbs(place, options, loadImport);
  return {
    ...readingVerbs(place),
    ...editing,
    ...toolsets,
    ...modelVerbs(place),
    ...adding,
    ...entryVerbs({ ...editing, ...toolsets, ...adding }),
    ...ruleVerbs(place),
    undoRemoval: async (kind, name) => (await removals()).undo(kind, name),
    trust: trustVerbs(place),
    clients: async () => (await loadImport()).clientStatus(place.where),
    async importClients(names, how) {
      // Extensions add formats of files. A configuration that cannot be read adds none, and is no reason to stop.
      await place.load().catch(() => undefined);
      const { ofUser, ...report } = await (await loadImport()).importClients(place, names, how);
      await trustWritten(place, report.path, ofUser);
      return report;
    },
    connectClient: async (...request) => (await loadImport()).connectClient(place, ...request),
    disconnectClient: async (...request) =>
      (await loadImport()).disconnectClient(place, ...request),
  };
}

function readingVerbs({
  load,
  present,
  fileAt,
  dataDirectory,
}: SetupPlace): Pick<Setup, "check" | "show" | "explain" | "schema" | "readManifest"> {
  return {
    async check() {
      try {
        const { config } = await load();
        const problems = [
          ...config.problems,
          ...withoutServers(config),
          ...exposed(dataDirectory, config),
        ];
        return {
          ok: problems.every(({ severity }) => severity !== "error"),
          files: config.files,
          problems,
        };
      } catch (thrown) {
        if (!(thrown instanceof PlaneError) || !Array.isArray(thrown.data.problems)) throw thrown;
        return { ok: false, files: present(), problems: thrown.data.problems };
      }
    },
    async show() {
      const { config, variables, merged } = await load();
      const { problems: _, files, ...values } = config;
      const shown = showReferences(values, variables, merged.values) as JsonObject;
      return maskSecrets({ files, ...shown }) as JsonObject;
    },
    async explain(key) {
      const { merged, config, waiting } = await load();
      return explain(key, { ...merged, settings: [...merged.settings, ...waiting] }, config);
    },
    schema: configSchema,
    async readManifest(file) {
      const { readDocument } = await import("./text/read-document.ts");
      const { document, problems } = await readDocument(fileAt(file));
      const errors = problems.filter(({ severity }) => severity === "error");
      if (document && errors.length === 0) return document.data;
      throw new PlaneError("USAGE", renderProblems(errors), { data: { problems: errors } });
    },
  };
}

/** A toolset is changed in the file that has it, the last one that counts. */
function toolsetVerbs(
  { load, lastFile }: SetupPlace,
  removals: () => Promise<Removals>,
): Pick<Setup, "written" | "putToolset" | "removeToolset"> {
  const toolsets = () => import("./edit/toolset-entries.ts");
  const files = () =>
    load().then(
      ({ config, ofClients }) => config.files.filter((file) => !ofClients.includes(file)),
      () => [lastFile()],
    );
  const fileWith = async (name: string) => {
    const { readToolsetEntries } = await toolsets();
    return (
      (await files()).findLast((file) =>
        readToolsetEntries(file).some((toolset) => toolset.name === name),
      ) ?? lastFile()
    );
  };
  return {
    async written() {
      const { readToolsetEntries } = await toolsets();
      const { readServerEntries } = await import("./edit/server-entries.ts");
      const entriesByName = (entries: readonly { name: string; entry: unknown }[]) =>
        Object.fromEntries(
          entries.flatMap(({ name, entry }) =>
            isObject(entry) ? [[name, entry as JsonObject]] : [],
          ),
        );
      const writtenFiles = await files();
      return {
        servers: entriesByName(writtenFiles.flatMap(readServerEntries)),
        toolsets: entriesByName(writtenFiles.flatMap(readToolsetEntries)),
      };
    },
    async putToolset(name, definition) {
      const path = await fileWith(name);
      await (await toolsets()).putToolsetEntry(path, name, definition);
      return { path };
    },
    async removeToolset(name) {
      const path = await fileWith(name);
      const { removeToolsetEntry } = await toolsets();
      return (await removals()).remove("toolsets", path, name, () =>
        removeToolsetEntry(path, name),
      );
    },
  };
}

/** A model is changed in the file that has it, the last one that counts. */
function modelVerbs({ load, lastFile, environment }: SetupPlace): Pick<Setup, "putModel"> {
  return {
    async putModel(name, definition) {
      const problems = checkModelEntry(name, definition, environment);
      if (problems.length > 0)
        throw new PlaneError("USAGE", `Nothing is written: ${problems.join(" ")}`, {
          data: { model: name, problems },
        });
      const { readData, setInFile } = await import("./edit/edit-file.ts");
      const { withLock } = await import("./edit/write-file.ts");
      const files = await load().then(
        ({ config }) => config.files,
        () => [lastFile()],
      );
      const hasModel = (file: string) => {
        const data = readData(file);
        return isObject(data) && isObject(data.models) && Object.hasOwn(data.models, name);
      };
      const path = files.findLast(hasModel) ?? lastFile();
      await withLock(path, () => setInFile(path, ["models", name], definition));
      return { path };
    },
  };
}

function editingVerbs(
  place: SetupPlace,
  removals: () => Promise<Removals>,
): Pick<Setup, "init" | "addServer" | "putServer" | "editServer" | "removeServer"> {
  const { load, lastFile, fileAt, environment } = place;
  const entries = () => import("./edit/server-entries.ts");
  const putServer: Setup["putServer"] = async (name, definition) => {
    const { hasServerEntry, putServerEntry } = await entries();
    const problems = checkServerEntry(name, definition, environment);
    if (problems.length > 0)
      throw new PlaneError("USAGE", `This entry cannot be used: ${problems.join("; ")}.`, {
        data: { server: name, problems },
      });
    const definingFile = await load().then(definedIn(name), () => undefined);
    if (definingFile !== undefined && !hasServerEntry(definingFile, name))
      throw new PlaneError(
        "NOT_FOUND",
        `'${name}' stands in ${definingFile} in a form that is edited by hand.`,
        {
          data: { server: name, file: definingFile },
        },
      );
    const path = definingFile ?? lastFile();
    await putServerEntry(path, name, definition);
    await trustWritten(place, path, [name]);
    return { path };
  };
  return {
    putServer,
    async editServer(name, change) {
      const loaded = await load();
      requireNotFound(name, loaded);
      const path = definedIn(name)(loaded) ?? lastFile();
      const { readServerEntries } = await entries();
      const writtenServers = readServerEntries(path);
      const entry = writtenServers.find((serverEntry) => serverEntry.name === name)?.entry;
      if (!isObject(entry)) {
        const names = writtenServers.map((serverEntry) => serverEntry.name);
        const near = nearest(name, names, 1);
        const hint = didYouMean(near, "'toolplane servers list' shows the servers.");
        throw new PlaneError("NOT_FOUND", `No server '${name}' in ${path}. ${hint}`, {
          data: { server: name, file: path },
        });
      }
      return putServer(name, change(structuredClone(entry) as JsonObject));
    },
    async init({ file = newFile, force, servers }) {
      const { writeStarter } = await import("./edit/starter.ts");
      const path = fileAt(file);
      writeStarter(path, servers, force);
      await trustWritten(place, path, Object.keys(servers));
      return { path };
    },
    async addServer(name, definition, file) {
      const path = file === undefined ? lastFile() : fileAt(file);
      await (await entries()).addServerEntry(path, name, definition);
      await trustWritten(place, path, [name]);
      return { path };
    },
    async removeServer(name, file) {
      const loaded = file === undefined ? await load() : null;
      if (loaded) requireNotFound(name, loaded);
      const path =
        file === undefined ? ((loaded && definedIn(name)(loaded)) ?? lastFile()) : fileAt(file);
      const { removeServerEntry } = await entries();
      return (await removals()).remove("servers", path, name, () => removeServerEntry(path, name));
    },
  };
}

function addingVerbs(
  place: SetupPlace,
  { tryServer = async () => notTried }: SetupOptions,
  loadImport: LoadImport,
): SetupAdding {
  const adding = async () => {
    const { createAdding } = await loadImport();
    const trustNames = (file: string, names: readonly string[]) => trustWritten(place, file, names);
    return createAdding({ place, tryServer, trustWritten: trustNames });
  };
  return lazily(adding, ["addServers", "searchServers", "updateServers", "tryEntry"]);
}

type EntryPorts = Pick<Setup, "written" | "putServer" | "tryEntry">;

function entryVerbs({ written, putServer, tryEntry }: EntryPorts): SetupEntries {
  const loadMasking = () => import("./edit/masked-entry.ts");
  return {
    async shownServer(name) {
      const entry = (await written()).servers[name];
      if (entry !== undefined) return (await loadMasking()).maskEntry(name, entry);
      throw new PlaneError("NOT_FOUND", `No file has an entry '${name}' that can be edited here.`, {
        data: { server: name },
      });
    },
    async saveServer(name, entry, { from = name, isTrial = false }) {
      const { servers } = await written();
      if (from !== name && servers[name] !== undefined)
        throw new PlaneError(
          "CONFLICT",
          `There is a server '${name}' already. Choose another name.`,
          {
            data: { server: name },
          },
        );
      const unmasked = (await loadMasking()).unmaskEntry(entry, from, servers[from] ?? {});
      if (isTrial) return tryEntry(name, unmasked);
      await putServer(name, unmasked);
      return null;
    },
  };
}

function ruleVerbs(place: SetupPlace): SetupRules {
  const verbs = async () => (await import("./edit/policy-rules.ts")).createRuleVerbs(place);
  return lazily(verbs, ["writtenRules", "tryRules", "saveRules"]);
}

const notTried = { tools: null, needsSignIn: false, problem: null };

function trustVerbs({ load, project, directory, dataDirectory }: SetupPlace): Setup["trust"] {
  const show = async (): Promise<ProjectTrust> => (await load()).trust ?? noTrust(directory);
  return {
    show,
    async unanswered() {
      const { answer } = project().read();
      return trustLinesOf(await show()).filter(({ hash }) => answer(hash) === undefined);
    },
    answer: (lines, trusted) => project().remember(lines, trusted),
    revoke: async () => createTrustAnswers(dataDirectory).forget(directory),
    list: () => createTrustAnswers(dataDirectory).list(),
  };
}

/** Who writes an entry has seen what it starts, reads and works in. */
async function trustWritten(
  place: SetupPlace,
  file: string | null,
  names: readonly string[],
): Promise<void> {
  const loaded = file === null || names.length === 0 ? null : await place.load().catch(() => null);
  if (file === null || !loaded?.trust) return;
  const isWritten = ({ name }: TrustLine) =>
    names.includes(name) && definedIn(name)(loaded) === file;
  const isNeeded = ({ needs }: PulledFile) =>
    needs !== "settings" &&
    "server" in needs &&
    names.includes(needs.server) &&
    definedIn(needs.server)(loaded) === file;
  const { servers, own: ownLines } = loaded.trust;
  const lines = [...servers, ...ownLines].filter(isWritten);
  await place
    .project()
    .remember([...lines, ...loaded.pulled.filter(isNeeded).map(({ line }) => line)], true);
}

/** Allowed, and hardly ever what was meant. */
function withoutServers({
  servers,
  broken,
  untrusted,
  tools,
  manifests,
  files,
}: Config): ConfigProblem[] {
  const entryNames = [servers, broken, untrusted, tools, manifests].flatMap((section) =>
    Object.keys(section),
  );
  if (entryNames.length > 0) return [];
  const hint = "Add one: toolplane servers add NAME -- COMMAND, or toolplane import.";
  const message = "no server is configured";
  return [{ file: files.at(-1) ?? "", line: null, path: "", severity: "warning", message, hint }];
}

/** What other users of the machine can change. */
function exposed(dataDirectory: string | undefined, { files }: Config): ConfigProblem[] {
  return exposedTo(dataDirectory ?? "", files).map(({ path: file, what: message, remedy }) => ({
    file,
    line: null,
    path: "",
    severity: "warning",
    message,
    hint: `Close it: ${remedy}`,
  }));
}

function definedIn(name: string): (loaded: LoadedConfig) => string | undefined {
  return ({ merged: { settings }, waiting, ofClients }) =>
    [...settings, ...waiting].find(
      ({ path, origin }) =>
        path[0] === "servers" && path[1] === name && !ofClients.includes(origin.file),
    )?.origin.file;
}

/** What was found in a client is the client's. */
function requireNotFound(
  name: string,
  { config: { foundIn }, merged, ofClients }: LoadedConfig,
): void {
  const file = merged.originOf(["servers", name])?.file ?? "";
  if (!ofClients.includes(file)) return;
  const clients = (foundIn?.[name] ?? []).join(" and ");
  const message = `'${name}' was found in ${clients} and stands in ${file}, which is not changed here. Change it there, or take it over with 'toolplane connect' or 'toolplane import'.`;
  throw new PlaneError("USAGE", message, { data: { server: name, file } });
}
