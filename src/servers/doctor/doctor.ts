import { workingDirectory } from "../../config/environment.ts";
import { createHider } from "../../lib/hide-values.ts";
import { once } from "../../lib/once.ts";
import type { Config } from "../../model/config.ts";
import { toPlaneError } from "../../model/errors.ts";
import type { ServerDefinition } from "../../model/server.ts";
import type { DoctorCheck, DoctorReport } from "../../model/setup.ts";
import type { Servers } from "../servers-contract.ts";
import { inheritedSecrets } from "../transports/child-environment.ts";
import { examineServer } from "./examine-server.ts";
import { readLoginShell } from "./login-shell.ts";
import type { TakeTools } from "./tools.ts";

type Means = {
  environment: Readonly<Record<string, string | undefined>>;
  secretsOf(name: string, definition: ServerDefinition): Promise<ServerDefinition>;
  /** Reads what a server lists, as the catalogue does. */
  takeTools: TakeTools;
  /** Values that no report may show. */
  secretValues(): readonly string[];
  /** How the plane itself gets on with them. */
  servers: Pick<Servers, "discover" | "status">;
};

/** All at once: a server that hangs delays the report, not the others. */
export async function examineServers(
  names: readonly string[],
  config: Config,
  means: Means,
): Promise<DoctorReport> {
  // Asked of none, it only takes over what is known from before: what was started once is installed.
  await means.servers.discover([]);
  const statuses = new Map(means.servers.status().map((status) => [status.name, status]));
  const loginShell = once(() => readLoginShell(means.environment));
  const examine = async (name: string) => {
    const subject = await subjectOf(name, config, means);
    const options = {
      environment: means.environment,
      directory: workingDirectory(),
      takeTools: means.takeTools,
      isInstalled: (statuses.get(name)?.listedAt ?? null) !== null,
      installing: statuses.get(name)?.installing,
      loginShell,
    };
    const found = await examineServer(name, subject, options).catch(crashed);
    const hide = createHider([
      ...means.secretValues(),
      ...referenced(config.servers[name], subject),
      ...inheritedSecrets(means.environment, config.servers[name]?.inheritEnv),
    ]);
    const checks = found.map((check) => ({
      ...check,
      detail: hide(check.detail),
      fix: check.fix && hide(check.fix),
    }));
    return { name, ok: checks.every(({ ok }) => ok), checks };
  };
  return { servers: await Promise.all(names.map(examine)) };
}

/** What cannot even be examined is a finding of its own, and none for the others. */
function crashed(thrown: unknown): DoctorCheck[] {
  const { message } = toPlaneError(thrown);
  return [{ name: "configuration", ok: false, detail: message, fix: "Correct what the message names." }];
}

/** Values that became secret by being read from somewhere else. */
function referenced(
  written: ServerDefinition | undefined,
  subject: ServerDefinition | { broken: string },
): string[] {
  if (written === undefined || "broken" in subject) return [];
  const before = new Set(textsOf(written));
  return textsOf(subject).filter((text) => !before.has(text));
}

function textsOf({ args, env, headers, auth, url }: ServerDefinition): string[] {
  return [...args, ...Object.values(env), ...Object.values(headers), auth?.token ?? "", url ?? ""];
}

async function subjectOf(name: string, config: Config, { secretsOf }: Means) {
  const definition = config.servers[name];
  if (definition === undefined) return { broken: config.broken[name] ?? "it is not configured" };
  return secretsOf(name, definition).catch((thrown) => ({ broken: toPlaneError(thrown).message }));
}
