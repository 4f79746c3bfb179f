import { isObject, type Json, type JsonObject, type UnknownObject } from "../../model/json.ts";
import { type ClientName, clientOf } from "./clients.ts";
import { ownName } from "./is-ourselves.ts";
import {
  type EntrySource,
  neededVariable,
  type Translated,
  TranslationProblem,
  translateVariables,
} from "./translate-variables.ts";

/** One server of another client in our own form, or the reason why it cannot be one. */
export function translateEntry(
  entry: unknown,
  source: EntrySource,
): ({ definition: JsonObject } & Translated) | { reason: string } {
  const translated: Translated = { changes: new Map(), needed: new Map() };
  try {
    if (!isObject(entry)) throw new TranslationProblem("the entry is not an object");
    for (const [key, reason] of Object.entries(untranslatable)) {
      if (entry[key] !== undefined) throw new TranslationProblem(reason);
    }
    const flat = flattened(entry);
    const secrets = storedSecrets(flat.env_keys, source, translated);
    const definition = { ...reached(flat, secrets), ...common(flat, source.client) };
    const value = translateVariables(definition, source, translated) as JsonObject;
    return { definition: value, ...translated };
  } catch (thrown) {
    if (thrown instanceof TranslationProblem) return { reason: thrown.message };
    throw thrown;
  }
}

/** A server that we offer, in the words of a client; null when it cannot use one of that kind. */
export function gatewayEntry(client: ClientName, server: JsonObject, isList: boolean): JsonObject | null {
  const { names = {}, types = {}, extra = {}, isCommandList, hasNoUrls } = clientOf(client).dialect ?? {};
  const isRemote = server.url !== undefined;
  if (isRemote && hasNoUrls) return null;
  const type = isRemote ? types.http : types.stdio;
  const { args = [], ...rest } = server;
  const words = Array.isArray(args) ? args : [];
  const called = isCommandList && !isRemote ? { ...rest, command: [server.command ?? "", ...words] } : server;
  const renamed = Object.entries(called).map(([key, value]) => [names[key] ?? key, value]);
  return {
    ...(isList ? { name: ownName } : {}),
    ...extra,
    ...(type === undefined ? {} : { type }),
    ...Object.fromEntries(renamed),
  };
}

const untranslatable: Readonly<Record<string, string>> = {
  envFile: "it reads its environment from a file (envFile); put the variables into 'env' instead",
  headersHelper: "a command makes its headers (headersHelper)",
};

/** The usual names for what clients call differently. */
function flattened(entry: UnknownObject): UnknownObject {
  const { command = entry.cmd, requestOptions } = entry;
  const env = entry.env ?? entry.environment ?? entry.envs;
  const headers = entry.headers ?? (isObject(requestOptions) ? requestOptions.headers : undefined);
  const flat = { ...entry, command, env, headers };
  if (Array.isArray(command)) return { ...flat, command: command[0], args: command.slice(1) };
  // Zed used to keep the whole command line under `command`.
  if (isObject(command)) return { ...flat, command: command.path, args: command.args, env: command.env };
  return flat;
}

/** goose keeps the values of these in the keychain under names that only it knows. */
function storedSecrets(names: unknown, { client }: EntrySource, into: Translated): JsonObject {
  const known = Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  return Object.fromEntries(
    known.map((name) => {
      const description = `${clientOf(client).title} keeps it in the keychain`;
      return [name, `\${${neededVariable(name, { description, isSecret: true }, into)}}`];
    }),
  );
}

/** How the server is started or found. */
function reached(entry: UnknownObject, secrets: JsonObject): JsonObject {
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl ?? entry.uri;
  if (typeof entry.command === "string" && entry.command !== "") {
    return defined({
      command: entry.command,
      args: list(entry.args),
      env: { ...forwarded(entry.env_vars), ...secrets, ...texts(entry.env) },
      cwd: text(entry.cwd),
    });
  }
  if (typeof url !== "string") throw new TranslationProblem(notReached(entry));
  if (/^[a-z+.-]+:/i.test(url) && !/^(https?|wss?):/i.test(url)) {
    throw new TranslationProblem(`its url starts with '${url.split(":")[0]}:' and not with http:`);
  }
  const transport = entry.url === undefined && entry.httpUrl !== undefined ? "http" : transports.get(entry.type);
  return defined({ url, transport, headers: headersOf(entry) });
}

function notReached(entry: UnknownObject): string {
  if (entry.source === "extension" || entry.settings !== undefined) return "an extension of the client provides it";
  const isBuiltIn = /^(builtin|platform|frontend|inline_python)$/.test(String(entry.type));
  return isBuiltIn ? "it is part of the client" : "it has neither a command nor a url";
}

const transports = new Map<unknown, string>([
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
  ["streamable_http", "http"],
  ["sse", "sse"],
  ["ws", "websocket"],
  ["websocket", "websocket"],
]);

/** Codex names the variables that hold secret headers. */
function headersOf(entry: UnknownObject): JsonObject {
  const token = text(entry.bearer_token_env_var);
  const secret = Object.entries(texts(entry.env_http_headers)).map(([name, variable]) => [name, `\${${variable}}`]);
  return {
    ...texts(entry.headers),
    ...texts(entry.http_headers),
    ...Object.fromEntries(secret),
    ...(token === undefined ? {} : { Authorization: `Bearer \${${token}}` }),
  };
}

function common(entry: UnknownObject, client: ClientName): JsonObject {
  const isOff = entry.disabled === true || entry.enabled === false;
  const { timeoutUnitMs = 1, isCommandList } = clientOf(client).dialect ?? {};
  const { startup, request } = isObject(entry.timeout) ? entry.timeout : {};
  // OpenCode's one number is the time to connect and list.
  const [call, connect] = isCommandList ? [request, startup ?? entry.timeout] : [entry.timeout, undefined];
  return defined({
    description: text(entry.description),
    enabled: isOff ? false : undefined,
    timeoutMs: milliseconds(entry.tool_timeout_sec, 1000) ?? milliseconds(call, timeoutUnitMs),
    connectTimeoutMs:
      milliseconds(entry.startup_timeout_sec, 1000) ??
      milliseconds(entry.startup_timeout_ms ?? entry.connectionTimeout ?? connect, 1),
    allow_tools: list(entry.enabled_tools ?? entry.includeTools ?? entry.available_tools ?? chosen(entry)),
    deny_tools: list(entry.disabled_tools ?? entry.excludeTools ?? entry.disabledTools),
  });
}

/** Copilot lists the tools that may be used; `*` means all of them. */
function chosen({ tools }: UnknownObject): unknown {
  return Array.isArray(tools) && !tools.includes("*") ? tools : undefined;
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
  return Object.fromEntries(Object.entries(fields).flatMap(([key, value]) => (isGiven(value) ? [[key, value]] : [])));
}
