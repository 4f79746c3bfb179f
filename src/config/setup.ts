import { join, resolve } from "node:path";
import { homeDirectory } from "../lib/home-directory.ts";
import { stableJson } from "../lib/stable-json.ts";
import { renderProblems } from "../model/config.ts";
import { PlaneError } from "../model/errors.ts";
import { isObject, type JsonObject } from "../model/json.ts";
import type { ImportOptions, ImportReport, Setup } from "../model/setup.ts";
import { configSchema } from "./config-schema.ts";
import { explain } from "./explain.ts";
import { checkServerEntry, type LoadedConfig, loadConfig } from "./load-config.ts";
import { defaultConfigFiles, isConfiguredByVariables, noConfigFound } from "./locations.ts";
import type { Environment } from "./secrets/expand-environment.ts";
import { maskSecrets } from "./secrets/mask.ts";
import { showReferences } from "./secrets/used-variables.ts";

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
    files.length > 0
      ? files.map((file) => resolve(directory, file))
      : defaultConfigFiles(directory, environment);
  const load = async (): Promise<LoadedConfig> => {
    const found = present();
    const isConfigured = found.length > 0 || isConfiguredByVariables(environment);
    return loadConfig(isConfigured ? found : noConfigFound(directory, environment), environment);
  };
  const lastFile = () => present().at(-1) ?? join(directory, newFile);

  return {
    async check() {
      try {
        const { problems, files: read } = (await load()).config;
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
        throw new PlaneError(
          "NOT_FOUND",
          `'${name}' stands in ${defined} in a form that is edited by hand.`,
          {
            data: { server: name, file: defined },
          },
        );
      await putServerEntry(path, name, definition);
      return { path };
    },
    async removeServer(name, file) {
      const { removeServerEntry } = await import("./edit/server-entries.ts");
      const path = file === undefined ? await definingFile(name, load, lastFile) : resolve(directory, file);
      await removeServerEntry(path, name);
      return { path };
    },
    clients: async () => (await import("./clients/clients.ts")).clientNames(),
    importClients: (clients, options) => importInto(join(directory, newFile), clients, options),
    async connectClient(client) {
      const { connectClient } = await import("./clients/connect-client.ts");
      // A client that starts us without a configuration would only see us fail.
      await load();
      const [command, ...args] = program;
      const configs = present().flatMap((file) => ["--config", file]);
      return connectClient(client, where, { command, args: [...args, "mcp", ...configs] });
    },
    disconnectClient: async (client) =>
      (await import("./clients/connect-client.ts")).disconnectClient(client, where),
  };

  async function importInto(
    file: string,
    clients: readonly string[],
    { dryRun, file: to }: ImportOptions,
  ): Promise<ImportReport> {
    const { findClientServers } = await import("./clients/import-clients.ts");
    const { addServerEntry } = await import("./edit/server-entries.ts");
    const { found, servers, skipped } = findClientServers(clients, where);
    const path = to === undefined ? file : resolve(directory, to);
    const imported: string[] = [];
    for (const { name, definition } of servers) {
      try {
        if (!dryRun) await addServerEntry(path, name, definition);
        imported.push(name);
      } catch (thrown) {
        if (!(thrown instanceof PlaneError)) throw thrown;
        skipped.push({ name, reason: thrown.message });
      }
    }
    const holdSecrets = servers
      .filter(({ name, definition }) => imported.includes(name) && holdsSecret(definition))
      .map(({ name }) => name);
    return { found, imported, skipped, holdSecrets, path: dryRun || imported.length === 0 ? null : path };
  }
}

/** The file that defines a server; undefined when none does. */
function definedIn(name: string): (loaded: LoadedConfig) => string | undefined {
  return ({ merged: { values, originOf } }) =>
    isObject(values.servers) && values.servers[name] !== undefined
      ? originOf(["servers", name])?.file
      : undefined;
}

async function definingFile(
  name: string,
  load: () => Promise<LoadedConfig>,
  fallback: () => string,
): Promise<string> {
  return definedIn(name)(await load()) ?? fallback();
}

/** What would have to be masked is a secret in clear. */
function holdsSecret(definition: JsonObject): boolean {
  return (
    stableJson(maskSecrets({ servers: { it: definition } })) !== stableJson({ servers: { it: definition } })
  );
}
