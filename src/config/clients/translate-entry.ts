import { isObject, type Json, type JsonObject, type UnknownObject } from "../../model/json.ts";
import { type EntrySource, TranslationProblem, translateVariables } from "./translate-variables.ts";

/** One server of another client in our own form, or the reason why it cannot be one. */
export function translateEntry(
  entry: unknown,
  source: EntrySource,
): { definition: JsonObject } | { reason: string } {
  try {
    if (!isObject(entry)) throw new TranslationProblem("the entry is not an object");
    for (const [key, reason] of Object.entries(untranslatable)) {
      if (entry[key] !== undefined) throw new TranslationProblem(reason);
    }
    const flat = { ...entry, ...nestedCommand(entry.command) };
    const definition = { ...reached(flat), ...common(flat) };
    return { definition: translateVariables(definition, source) as JsonObject };
  } catch (thrown) {
    if (thrown instanceof TranslationProblem) return { reason: thrown.message };
    throw thrown;
  }
}

const untranslatable: Readonly<Record<string, string>> = {
  envFile: "it reads its environment from a file (envFile); put the variables into 'env' instead",
  headersHelper: "a command makes its headers (headersHelper)",
};

/** Zed used to keep the whole command line under `command`. */
function nestedCommand(command: unknown): UnknownObject {
  return isObject(command) ? { command: command.path, args: command.args, env: command.env } : {};
}

/** How the server is started or found. */
function reached(entry: UnknownObject): JsonObject {
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl;
  if (typeof entry.command === "string" && entry.command !== "") {
    return defined({
      command: entry.command,
      args: list(entry.args),
      env: { ...forwarded(entry.env_vars), ...texts(entry.env) },
      cwd: text(entry.cwd),
    });
  }
  if (typeof url !== "string") {
    throw new TranslationProblem(
      entry.source === "extension" || entry.settings !== undefined
        ? "an extension of the client provides it"
        : "it has neither a command nor a url",
    );
  }
  if (/^[a-z+.-]+:/i.test(url) && !/^(https?|wss?):/i.test(url)) {
    throw new TranslationProblem(`its url starts with '${url.split(":")[0]}:' and not with http:`);
  }
  const transport =
    entry.url === undefined && entry.httpUrl !== undefined ? "http" : transports.get(entry.type);
  return defined({ url, transport, headers: headersOf(entry) });
}

const transports = new Map<unknown, string>([
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
  ["sse", "sse"],
  ["ws", "websocket"],
  ["websocket", "websocket"],
]);

/** Codex names the variables that hold secret headers. */
function headersOf(entry: UnknownObject): JsonObject {
  const token = text(entry.bearer_token_env_var);
  const secret = Object.entries(texts(entry.env_http_headers)).map(([name, variable]) => [
    name,
    `\${${variable}}`,
  ]);
  return {
    ...texts(entry.headers),
    ...texts(entry.http_headers),
    ...Object.fromEntries(secret),
    ...(token === undefined ? {} : { Authorization: `Bearer \${${token}}` }),
  };
}

function common(entry: UnknownObject): JsonObject {
  const isOff = entry.disabled === true || entry.enabled === false;
  return defined({
    description: text(entry.description),
    enabled: isOff ? false : undefined,
    timeoutMs: milliseconds(entry.tool_timeout_sec, 1000) ?? milliseconds(entry.timeout, 1),
    connectTimeoutMs:
      milliseconds(entry.startup_timeout_sec, 1000) ?? milliseconds(entry.startup_timeout_ms, 1),
    allow_tools: list(entry.enabled_tools ?? entry.includeTools),
    deny_tools: list(entry.disabled_tools ?? entry.excludeTools ?? entry.disabledTools),
  });
}

/** Codex passes on variables by name; one that is not set is no reason to leave the server out. */
function forwarded(names: unknown): JsonObject {
  const known = Array.isArray(names) ? names.map((entry) => (isObject(entry) ? entry.name : entry)) : [];
  const variables = known.filter((name) => typeof name === "string");
  return Object.fromEntries(variables.map((name) => [name, `\${${name}:-}`]));
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function texts(value: unknown): JsonObject {
  if (!isObject(value)) return {};
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && typeof inner !== "object");
  return Object.fromEntries(entries.map(([key, inner]) => [key, String(inner)]));
}

function list(value: unknown): Json | undefined {
  return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined;
}

function milliseconds(value: unknown, factor: number): number | undefined {
  return typeof value === "number" && value > 0 ? Math.round(value * factor) : undefined;
}

/** Without what is not there. */
function defined(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  const isGiven = (value: Json | undefined): value is Json =>
    value !== undefined && !(isObject(value) && Object.keys(value).length === 0);
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (isGiven(value) ? [[key, value]] : [])),
  );
}
