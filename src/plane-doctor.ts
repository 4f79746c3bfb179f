import { workingDirectory } from "./config/environment.ts";
import type { Config } from "./model/config.ts";
import { toPlaneError } from "./model/errors.ts";
import type { ServerDefinition } from "./model/server.ts";
import type { DoctorReport } from "./model/setup.ts";
import { translateTools } from "./registry/sources/mcp.ts";
import { examineServer } from "./servers/doctor/examine-server.ts";

type Means = {
  environment: Readonly<Record<string, string | undefined>>;
  secretsOf(definition: ServerDefinition): Promise<ServerDefinition>;
};

/** All at once: a server that hangs delays the report, not the others. */
export async function examineServers(
  names: readonly string[],
  config: Config,
  means: Means,
): Promise<DoctorReport> {
  const examine = async (name: string) => {
    const checks = await examineServer(name, await subjectOf(name, config, means), {
      environment: means.environment,
      directory: workingDirectory(),
      takeTools: translateTools,
    });
    return { name, ok: checks.every(({ ok }) => ok), checks };
  };
  return { servers: await Promise.all(names.map(examine)) };
}

async function subjectOf(name: string, config: Config, { secretsOf }: Means) {
  const definition = config.servers[name];
  if (definition === undefined) return { broken: config.broken[name] ?? "it is not configured" };
  return secretsOf(definition).catch((thrown) => ({ broken: toPlaneError(thrown).message }));
}
