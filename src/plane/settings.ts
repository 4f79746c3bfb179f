import { dirname } from "node:path";
import { keepGood } from "../config/keep-good.ts";
import { type ConfigSource, loadConfig, requireSafe } from "../config/load-config.ts";
import { resolveSecrets } from "../config/secrets/resolve-secrets.ts";
import type { Config } from "../model/config.ts";
import type { Path } from "../model/path.ts";
import type { ServerDefinition } from "../model/server.ts";
import { withPlaces } from "./servers.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration in force, and what only those know who have read its files. */
export async function createSettings(source: ConfigSource, environment: Environment) {
  const load = async () => {
    const loaded = await loadConfig(source, environment);
    requireSafe(loaded.config);
    return loaded;
  };
  let current = await load();
  const directoryOf = (server: string) => current.directoryOf(server);
  return {
    config: (): Config => current.config,
    fileOf: (path: Path) => current.merged.originOf(path)?.file,
    directoryOf,
    sources: () => current.sources(),
    secretValues: () => [...current.variables.values()],
    secretsOf: async (name: string, definition: ServerDefinition) =>
      withPlaces(await resolveSecrets(definition, { directory: directoryOf(name) }), directoryOf(name)),
    /** Read when it is needed, as every secret. */
    async vaultKey(): Promise<string | undefined> {
      const { vaultKey } = current.config;
      const directory = dirname(current.merged.originOf(["vaultKey"])?.file ?? "");
      return vaultKey === undefined ? undefined : resolveSecrets(vaultKey, { directory });
    },
    /** Reads everything again. `take` puts it in force; a server that has become unreadable stays as it was. */
    async readAgain(): Promise<{ config: Config; take(): void }> {
      const next = await load();
      const config = keepGood(current.config, next.config);
      return {
        config,
        take() {
          current = { ...next, config };
        },
      };
    },
  };
}
