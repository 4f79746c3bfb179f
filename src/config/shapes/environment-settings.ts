import type { ConfigProblem } from "../../model/config/config.ts";
import { createReading, type Field, type Reading, type Setting } from "./reading.ts";
import { readServerFields } from "./server.ts";
import { translateFields } from "./tools-mcp-block.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** In this order: what the first one sets, the others cannot. */
const prefixes = ["TOOLPLANE_MCP_", "ATLAS_MCP_"];

const keys = {
  SERVER_COMMAND: "command",
  SERVER_ARGS: "args",
  SERVER_URL: "url",
  SERVER_CWD: "cwd",
  SERVER_TRANSPORT: "transport",
  ENABLED: "enabled",
  TIMEOUT_SECONDS: "timeout_seconds",
  HEALTH_CHECK_INTERVAL: "health_check_interval",
  ALLOW_TOOLS: "allow_tools",
  DENY_TOOLS: "deny_tools",
} as const satisfies Record<string, string>;

/** The one server that environment variables may describe or override. Each value names its variable. */
export function settingsFromEnvironment(environment: Environment): {
  settings: Setting[];
  problems: ConfigProblem[];
} {
  const reading = createReading(([name]) => ({
    file: "environment",
    line: null,
    path: String(name ?? ""),
  }));
  const name = variable(environment, "DEFAULT_SERVER");
  const fields = Object.entries(keys).flatMap(([suffix, key]): Field[] => {
    const found = variable(environment, suffix);
    return found ? [{ key, value: found.value, source: [found.name] }] : [];
  });
  const [first] = fields;
  if (first) readFields(reading, name?.value, fields, first);
  forceApproval(reading, environment);
  const { settings, problems } = reading;
  return { settings, problems };
}

/** Does a variable describe a server? One that only makes calls wait configures nothing to be called. */
export function isConfiguredByVariables(environment: Environment): boolean {
  return settingsFromEnvironment(environment).settings.some(({ path }) => path[0] === "servers");
}

const forced = "FORCE_TOOL_APPROVAL_GLOBALLY";

/** An administrator's word for every call, whatever the files say. */
function forceApproval(reading: Reading, environment: Environment): void {
  const said = environment[forced]?.trim().toLowerCase() ?? "";
  if (!/^(?:1|true|yes|on)$/.test(said)) return;
  reading.set(["policy", "askAlways"], true, [forced]);
}

function readFields(
  reading: Reading,
  name: string | undefined,
  fields: readonly Field[],
  first: Field,
): void {
  const isComplete = fields.some(({ key }) => key === "command" || key === "url");
  if (isComplete || name !== undefined)
    return readServerFields(
      reading,
      name ?? "default",
      translateFields(reading, fields),
      first.source,
    );
  for (const { source } of fields)
    reading.warn(source, "no server is named that it is for", `Set ${prefixes[0]}DEFAULT_SERVER.`);
}

/** A variable that is empty counts as not set. */
function variable(
  environment: Environment,
  suffix: string,
): { name: string; value: string } | undefined {
  for (const name of prefixes.map((prefix) => prefix + suffix)) {
    const value = environment[name]?.trim();
    if (value) return { name, value };
  }
  return undefined;
}
