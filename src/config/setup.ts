import { dirname, join, resolve } from "node:path";
import { homeDirectory } from "../lib/home-directory.ts";
import { nearest } from "../lib/nearest.ts";
import { stableJson } from "../lib/stable-json.ts";
import { type Config, type ConfigProblem, renderProblems } from "../model/config.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type Json, type JsonObject } from "../model/json.ts";
import { type Path, renderPath } from "../model/path.ts";
import { defaultTimeoutMs } from "../model/server.ts";
import type {
  ClientConnection,
  ConnectOptions,
  Explanation,
  ImportOptions,
  ImportReport,
  Setup,
} from "../model/setup.ts";
import type { Environment } from "./environment.ts";
import { checkServerEntry, type LoadedConfig, loadConfig } from "./load-config.ts";
import { defaultConfigFiles, noConfigFound, projectFiles, userFiles } from "./locations.ts";
import type { Merged } from "./merge-settings.ts";
import { configSchema } from "./schemas.ts";
import { maskSecrets } from "./secrets/mask.ts";
import { showReferences } from "./secrets/references.ts";
import { isConfiguredByVariables } from "./shapes/environment-settings.ts";
import type { Setting } from "./shapes/reading.ts";

/** Every value at or below a key, with where it was read. `git.timeout` finds `servers.git.timeoutMs`. */
function explain(asked: string, merged: Merged, config: Config): Explanation[] {
  const key = asked.replace(/^mcpServers(?=\.|$)/, "servers");
  const named = merged.settings.map((setting) => ({ name: renderPath(setting.path), setting }));
  const isAtOrBelow = (name: string) => name === key || name.startsWith(`${key}.`);
  const [found = []] = [
    named.filter(({ name }) => isAtOrBelow(name)),
    named.filter(({ name }) => isAtOrBelow(withoutSection(name))),
    named.filter(
      ({ name, setting }) => withoutSection(name).startsWith(key) || setting.origin.path.endsWith(`.${key}`),
    ),
  ].filter((matches) => matches.length > 0);
  if (found.length > 0) return found.map(({ name, setting }) => explainSetting(name, setting));
  const known = named.map(({ name }) => name);
  return [explainDefault(key, config, merged) ?? explainUnset(key, config) ?? unknownKey(key, known)];
}

function explainSetting(key: string, { path, value, origin }: Setting): Explanation {
  return { key, value: maskSecrets(value, path), origin };
}

/** A value that nobody wrote and that is in force all the same. */
function explainDefault(key: string, config: Config, merged: Merged): Explanation | undefined {
  for (const [path, value] of valuesIn(config, [])) {
    const name = renderPath(path);
    if (name !== key && withoutSection(name) !== key) continue;
    const origin = originForAll(path, merged) ?? { file: "default", line: null, path: name };
    return { key: name, value: maskSecrets(value, path), origin };
  }
  return undefined;
}

/** What a server has because the top level says it for all of them. */
function originForAll([section, , key, ...inner]: Path, { originOf, settings }: Merged) {
  const isShared = section === "servers" && (key === "env" || key === "inheritEnv");
  const isSaid = settings.some(({ path }) => path[0] === key && (inner.length === 0 || path[1] === inner[0]));
  return isShared && isSaid ? originOf([key, ...inner]) : undefined;
}

/** Defaults that are decided where they are used, because something else may say more. */
const laterDefaults: Readonly<Record<string, Json>> = { "mcpServers.timeoutMs": defaultTimeoutMs };

/** A key that the schema knows and that has no value of its own. */
function explainUnset(key: string, config: Config): Explanation | undefined {
  const server = [...Object.keys(config.servers), ...Object.keys(config.broken)].find(
    (name) => key.startsWith(`servers.${name}.`) || key.startsWith(`${name}.`),
  );
  const inside = server === undefined ? key : key.slice(key.indexOf(`${server}.`) + server.length + 1);
  const path = inside.split(".");
  const found = keyIn(configSchema(), server === undefined ? path : ["mcpServers", server, ...path]);
  if (found === undefined || (server === undefined && path[0] === "mcpServers")) return undefined;
  const name = server === undefined ? key : `servers.${server}.${inside}`;
  const value = found.default ?? laterDefaults[server === undefined ? key : `mcpServers.${inside}`] ?? null;
  return { key: name, value: value as Json, origin: { file: "default", line: null, path: name } };
}

/** The part of a JSON Schema that a path leads to. */
function keyIn(schema: JsonObject, [part, ...rest]: readonly string[]): JsonObject | undefined {
  if (part === undefined) return schema;
  const { properties, additionalProperties, anyOf } = schema;
  const inner = isObject(properties) && Object.hasOwn(properties, part) ? properties[part] : additionalProperties;
  if (isObject(inner)) return keyIn(inner as JsonObject, rest);
  const others = (Array.isArray(anyOf) ? anyOf : []).filter(isObject) as JsonObject[];
  return others.map((one) => keyIn(one, [part, ...rest])).find((found) => found !== undefined);
}

function* valuesIn(value: unknown, path: Path): Generator<[Path, unknown]> {
  for (const [key, inner] of Object.entries(isObject(value) ? value : {})) {
    yield [[...path, key], inner];
    yield* valuesIn(inner, [...path, key]);
  }
}

function withoutSection(path: string): string {
  return path.slice(path.indexOf(".") + 1);
}

function unknownKey(key: string, known: readonly string[]): never {
  const near = nearest(key, [...known, ...known.map(withoutSection)], 2);
  const hint =
    near.length === 0
      ? "'toolplane config show' prints everything."
      : `Did you mean ${near.map((one) => `'${one}'`).join(" or ")}?`;
  throw new PlaneError("NOT_FOUND", `Nothing in the configuration is called '${key}'. ${hint}`);
}

export type SetupOptions = {
  /** In order; the default ones when empty. */
  files: readonly string[];
  directory: string;
  environment: Environment;
  platform: NodeJS.Platform;
  /** The command line that runs this program. */
  program: readonly [command: string, ...args: string[]];
};

const newFile = "toolplane.json";

/** What is loaded is loaded when it is asked for: each of these is one command. */
export function createSetup({ files, directory, environment, platform, program }: SetupOptions): Setup {
  const where = { platform, home: homeDirectory() ?? "/", directory, environment };
  const present = () =>
    files.length > 0 ? files.map((file) => resolve(directory, file)) : defaultConfigFiles(directory, environment);
  const load = async (): Promise<LoadedConfig> => {
    const found = present();
    const isConfigured = found.length > 0 || isConfiguredByVariables(environment);
    return loadConfig(isConfigured ? found : noConfigFound(directory, environment), environment);
  };
  const lastFile = () => present().at(-1) ?? join(directory, newFile);

  return {
    async check() {
      try {
        const { config } = await load();
        const { files: read } = config;
        const problems = [...config.problems, ...withoutServers(config)];
        return { ok: problems.every(({ severity }) => severity !== "error"), files: read, problems };
      } catch (thrown) {
        if (!(thrown instanceof PlaneError) || !Array.isArray(thrown.data.problems)) throw thrown;
        return { ok: false, files: present(), problems: thrown.data.problems };
      }
    },
    async show() {
      const { config, variables, merged } = await load();
      const { problems: _, files: read, ...values } = config;
      const shown = showReferences(values, variables, merged.values) as JsonObject;
      return maskSecrets({ files: read, ...shown }) as JsonObject;
    },
    async explain(key) {
      const { merged, config } = await load();
      return explain(key, merged, config);
    },
    schema: configSchema,
    async readManifest(file) {
      const { readDocument } = await import("./text/read-document.ts");
      const { document, problems } = await readDocument(resolve(directory, file));
      const errors = problems.filter(({ severity }) => severity === "error");
      if (document && errors.length === 0) return document.data;
      throw new PlaneError("USAGE", renderProblems(errors), { data: { problems: errors } });
    },
    async init({ file = newFile, force, servers }) {
      const { writeStarter } = await import("./edit/starter.ts");
      const path = resolve(directory, file);
      writeStarter(path, servers, force);
      return { path };
    },
    async addServer(name, definition, file) {
      const { addServerEntry } = await import("./edit/server-entries.ts");
      const path = file === undefined ? lastFile() : resolve(directory, file);
      await addServerEntry(path, name, definition);
      return { path };
    },
    async putServer(name, definition) {
      const { hasServerEntry, putServerEntry } = await import("./edit/server-entries.ts");
      const problems = checkServerEntry(name, definition, environment);
      if (problems.length > 0)
        throw new PlaneError("USAGE", `This entry cannot be used: ${problems.join("; ")}.`, {
          data: { server: name, problems },
        });
      const defined = await load().then(definedIn(name), () => undefined);
      const path = defined ?? lastFile();
      if (defined !== undefined && !hasServerEntry(defined, name))
        throw new PlaneError("NOT_FOUND", `'${name}' stands in ${defined} in a form that is edited by hand.`, {
          data: { server: name, file: defined },
        });
      await putServerEntry(path, name, definition);
      return { path };
    },
    async removeServer(name, file) {
      const { removeServerEntry } = await import("./edit/server-entries.ts");
      const path = file === undefined ? await definingFile(name, load, lastFile) : resolve(directory, file);
      await removeServerEntry(path, name);
      return { path };
    },
    clients: async () => (await import("./clients/client-files.ts")).clientStatus(where),
    importClients: (clients, options) => importInto(join(directory, newFile), clients, options),
    connectClient: connect,
    disconnectClient: async (client, options) =>
      (await import("./clients/disconnect-client.ts")).disconnectClient(client, where, options),
  };

  async function connect(client: string, options: ConnectOptions = {}): Promise<ClientConnection> {
    const { connectClient } = await import("./clients/connect-client.ts");
    const { hasProjectScope } = await import("./clients/client-files.ts");
    const { knownClient } = await import("./clients/clients.ts");
    const found = present();
    // A client that starts us without a configuration would only see us fail.
    if (found.length > 0) await load();
    const [own] = files.length > 0 ? [] : projectFiles(directory).filter((file) => found.includes(file));
    const isProject = own !== undefined && directory !== where.home && hasProjectScope(knownClient(client));
    const scope = options.scope ?? (isProject ? "project" : "user");
    const usual = scope === "project" ? join(directory, newFile) : (userFiles(environment)[0] ?? newFile);
    const native = [...projectFiles(directory), ...(scope === "project" ? [] : userFiles(environment))];
    const into =
      options.file === undefined
        ? ((files.length > 0 ? found.at(-1) : native.find((file) => found.includes(file))) ?? usual)
        : resolve(directory, options.file);
    const isHere = (file: string) => dirname(file) === directory && directory !== where.home;
    const [command, ...args] = program;
    const report = await connectClient(client, where, {
      ...{ scope, keep: options.keep ?? false, dryRun: options.dryRun ?? false, into, files: found },
      workspace: scope === "project" || isHere(into) ? directory : null,
      gateway(config) {
        if (config.length === 0 && !isConfiguredByVariables(environment)) noConfigFound(directory, environment);
        return { command, args: [...args, "mcp", ...config.flatMap((file) => ["--config", file])] };
      },
    });
    return { ...report, isForEveryProject: scope === "user" && report.config.some(isHere) };
  }

  async function importInto(
    file: string,
    clients: readonly string[],
    { dryRun, file: to }: ImportOptions,
  ): Promise<ImportReport> {
    const { findClientServers, holdsSecret } = await import("./clients/import-clients.ts");
    const { addServerEntry, readServerEntries } = await import("./edit/server-entries.ts");
    const path = to === undefined ? file : resolve(directory, to);
    const { servers, ...report } = findClientServers(clients, where);
    const { skipped } = report;
    const present = readServerEntries(path);
    const imported: string[] = [];
    for (const { name, definition } of servers) {
      const isThere = present.some(
        (server) => server.name === name && stableJson(server.entry) === stableJson(definition),
      );
      try {
        if (isThere) skipped.push({ name, reason: `${path} has it already` });
        else if (!dryRun) await addServerEntry(path, name, definition);
        if (!isThere) imported.push(name);
      } catch (thrown) {
        if (!(thrown instanceof PlaneError)) throw thrown;
        skipped.push({ name, reason: thrown.message });
      }
    }
    const holdSecrets = servers
      .filter(({ name, definition }) => imported.includes(name) && holdsSecret(definition))
      .map(({ name }) => name);
    const isImported = (server: string) => imported.includes(server);
    return {
      ...{ ...report, imported, holdSecrets, path: dryRun || imported.length === 0 ? null : path },
      renamed: report.renamed.filter(({ name }) => isImported(name)),
      translated: report.translated.filter(({ server }) => isImported(server)),
      variables: report.variables.filter(({ servers: users }) => users.some(isImported)),
    };
  }
}

/** Allowed, and hardly ever what was meant. */
function withoutServers({ servers, broken, tools, manifests, files }: Config): ConfigProblem[] {
  const named = [servers, broken, tools, manifests].flatMap((section) => Object.keys(section));
  if (named.length > 0) return [];
  const hint = "Add one: toolplane servers add NAME -- COMMAND, or toolplane import.";
  const message = "no server is configured";
  return [{ file: files.at(-1) ?? "", line: null, path: "", severity: "warning", message, hint }];
}

/** The file that defines a server; undefined when none does. */
function definedIn(name: string): (loaded: LoadedConfig) => string | undefined {
  return ({ merged: { values, originOf } }) =>
    isObject(values.servers) && values.servers[name] !== undefined ? originOf(["servers", name])?.file : undefined;
}

async function definingFile(name: string, load: () => Promise<LoadedConfig>, fallback: () => string): Promise<string> {
  return definedIn(name)(await load()) ?? fallback();
}
