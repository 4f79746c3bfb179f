import { addedFormats, splitCommand } from "../../../../src/config/editing.ts";
import { errorText } from "../../../../src/lib/text/error-text.ts";
import { spell } from "../../../../src/lib/text/spell.ts";
import { PlaneError } from "../../../../src/model/errors.ts";
import type { FileFormat } from "../../../../src/model/extensions/extension.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../../../src/model/json.ts";
import { actsOnTheHost } from "../../../../src/model/servers/host-variables.ts";

/** A server as another program writes it, in the usual words; `extra` is what only our own entry can say. */
export type ForeignServer = {
  name: string;
  entry: unknown;
  extra?: JsonObject;
  /** Values that the other program asked for. */
  needs?: { name: string; isSecret: boolean }[];
};
export type ForeignConfig = {
  /** The program whose file it is; `file` for one that every client could have. */
  source: string;
  servers: ForeignServer[];
  skipped: { name: string; reason: string }[];
};

/** Programs whose files are named, and not looked for: a person decides which of them count. */
export const foreignSources: readonly string[] = [
  "mcporter",
  "mcp-hub",
  "metamcp",
  "litellm",
  "docker",
  "supergateway",
];

/** By what is in it; null where no servers of a known form are. */
export function readForeignData(data: unknown, file = ""): ForeignConfig | null {
  for (const format of addedFormats()) {
    const found = isObject(data) ? readAdded(format, data, file) : null;
    if (isObject(found?.mcpServers)) return mapOf(format.name, found.mcpServers, asItIs);
  }
  if (Array.isArray(data)) return data.some(isMetaMcp) ? listOf("metamcp", data, metaMcp) : null;
  if (!isObject(data)) return null;
  const { mcpServers, mcp_servers, registry, servers } = data;
  if (isObject(registry) && Object.values(registry).some(isDockerEntry))
    return docker(Object.entries(registry));
  if (isDockerEntry(data) && typeof data.name === "string") return docker([[data.name, data]]);
  if (isObject(mcp_servers)) return mapOf("litellm", mcp_servers, liteLlm);
  if (Array.isArray(mcpServers)) return listOf("metamcp", mcpServers, metaMcp);
  if (isObject(mcpServers)) {
    const [source, read] = dialectOf(data, Object.values(mcpServers).filter(isObject));
    return mapOf(source, mcpServers, read);
  }
  return isObject(servers) ? mapOf("file", servers, asItIs) : null;
}

function readAdded({ name, read }: FileFormat, data: UnknownObject, file: string) {
  try {
    return read(structuredClone(data), file);
  } catch (thrown) {
    const message = `The extension that reads files of ${name} failed at '${file}': ${errorText(thrown)}`;
    throw new PlaneError("USAGE", message, { data: { file }, cause: thrown });
  }
}

type Read = (name: string, entry: UnknownObject) => ForeignServer | { reason: string };

const asItIs: Read = (name, entry) => ({ name, entry });
const has = (entries: readonly UnknownObject[], keys: readonly string[]) =>
  entries.some((entry) => keys.some((key) => entry[key] !== undefined));

function dialectOf(
  data: UnknownObject,
  entries: readonly UnknownObject[],
): [source: string, read: Read] {
  const isPorter = /mcporter/.test(spell(data.$schema)) || Array.isArray(data.imports);
  if (
    isPorter ||
    has(entries, ["baseUrl", "base_url", "bearerTokenEnv", "lifecycle", "tokenCacheDir"])
  )
    return ["mcporter", porter];
  const text = JSON.stringify(entries);
  if (
    data.nativeMCPServers !== undefined ||
    has(entries, ["custom_instructions", "disabled_resources"]) ||
    /\$\{cmd:/.test(text)
  )
    return ["mcp-hub", hub];
  return entries.some(isMetaMcp) || has(entries, ["bearerToken", "oauth_client_info"])
    ? ["metamcp", metaMcp]
    : ["file", asItIs];
}

function mapOf(source: string, servers: UnknownObject, read: Read): ForeignConfig {
  return collect(source, Object.entries(servers), read);
}

function listOf(source: string, servers: readonly unknown[], read: Read): ForeignConfig {
  const named = servers
    .filter(isObject)
    .map((entry, at) => [spell(entry.name ?? `server-${at + 1}`), entry] as const);
  return collect(source, named, read);
}

function collect(
  source: string,
  servers: Iterable<readonly [string, unknown]>,
  read: Read,
): ForeignConfig {
  const found: ForeignConfig = { source, servers: [], skipped: [] };
  for (const [name, entry] of servers) {
    const made = isObject(entry) ? read(name, entry) : { reason: "the entry is not an object" };
    if ("reason" in made) found.skipped.push({ name, reason: `${source}: ${made.reason}` });
    else found.servers.push(made);
  }
  return found;
}

const bearer = (token: unknown): UnknownObject =>
  typeof token === "string" && token !== "" ? { Authorization: `Bearer ${token}` } : {};
const objectOf = (value: unknown): UnknownObject => (isObject(value) ? value : {});
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
const mapTexts = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change)]),
  );
};

/** mcporter: `baseUrl`, `$env:NAME`, a command that may hold its arguments. */
const porter: Read = (name, given) => {
  const entry = mapTexts(given, (text) =>
    text.replaceAll(/\$env:([A-Za-z_]\w*)/g, "${$1}"),
  ) as UnknownObject;
  const { command, args } = entry;
  const words = typeof command === "string" && args === undefined ? splitCommand(command) : null;
  return {
    name,
    entry: {
      ...entry,
      command: words ?? command,
      url: entry.url ?? entry.baseUrl ?? entry.base_url,
      headers: { ...bearer(entry.bearerToken ?? entry.bearer_token), ...objectOf(entry.headers) },
      bearer_token_env_var: entry.bearerTokenEnv ?? entry.bearer_token_env,
      enabled_tools: entry.allowedTools ?? entry.allowed_tools,
      disabled_tools: entry.blockedTools ?? entry.blocked_tools,
    },
    ...(entry.auth === "oauth" ? { extra: { auth: { type: "oauth" } } } : {}),
  };
};

/** mcp-hub: an empty variable is that of the environment, `${cmd: …}` what a command prints. */
const hub: Read = (name, given) => {
  const entry = mapTexts(given, (text) =>
    text.replaceAll(/\$\{cmd:([^{}]+)\}/g, (_, command: string) => `\${command:${command.trim()}}`),
  );
  const env = Object.entries(objectOf(objectOf(entry).env)).map(([variable, value]) => [
    variable,
    value === null || value === "" ? `\${${variable}:-}` : value,
  ]);
  return { name, entry: { ...objectOf(entry), env: Object.fromEntries(env) } };
};

/** MetaMCP writes its kinds in capitals. */
const isMetaMcp = (entry: unknown) =>
  isObject(entry) && /^(STDIO|SSE|STREAMABLE_HTTP|streamable_?http)$/.test(spell(entry.type));

const metaMcp: Read = (name, entry) => {
  const type = spell(entry.type).toLowerCase().replace("streamablehttp", "streamable_http");
  const client = objectOf(entry.oauth_client_info);
  const auth = {
    type: "oauth",
    ...(typeof client.client_id === "string" && { clientId: client.client_id }),
    ...(typeof client.client_secret === "string" && { clientSecret: client.client_secret }),
    ...(typeof client.scope === "string" && { scopes: client.scope.split(/\s+/).filter(Boolean) }),
  };
  return {
    name,
    entry: {
      ...entry,
      type,
      headers: { ...bearer(entry.bearerToken), ...objectOf(entry.headers) },
    },
    ...(entry.oauth_client_info === undefined ? {} : { extra: { auth } }),
  };
};

/** LiteLLM: `auth_type` with `auth_value`, `os.environ/NAME`. */
const liteLlm: Read = (name, given) => {
  if (given.spec_path !== undefined)
    return {
      reason:
        "it is made of an OpenAPI document (spec_path); write that as 'openapi' in an entry of its own",
    };
  const entry = mapTexts(given, (text) =>
    text.replaceAll(/os\.environ\/([A-Za-z_]\w*)/g, "${$1}"),
  ) as UnknownObject;
  const { auth_type: kind, mcp_info } = entry;
  const value = entry.auth_value ?? entry.authentication_token;
  const headers: Record<string, UnknownObject> = {
    bearer_token: bearer(value),
    authorization: { Authorization: value },
    token: { Authorization: `token ${value}` },
    basic: { Authorization: `Basic ${value}` },
    api_key: { "X-API-Key": value },
  };
  const known = typeof value === "string" ? (headers[spell(kind)] ?? {}) : {};
  const auth = {
    type: "oauth",
    ...(typeof entry.client_id === "string" && { clientId: entry.client_id }),
    ...(typeof entry.client_secret === "string" && { clientSecret: entry.client_secret }),
    ...(Array.isArray(entry.scopes) && { scopes: textsOf(entry.scopes) }),
  };
  return {
    name,
    entry: {
      ...entry,
      type: entry.transport,
      headers: { ...known, ...objectOf(entry.static_headers), ...objectOf(entry.headers) },
      enabled_tools: entry.allowed_tools,
      disabled_tools: entry.disallowed_tools,
      description: entry.description ?? objectOf(mcp_info).description,
    },
    ...(kind === "oauth2" ? { extra: { auth } } : {}),
  };
};

const isDockerEntry = (entry: unknown) =>
  isObject(entry) &&
  (typeof entry.image === "string" ||
    entry.type === "poci" ||
    typeof objectOf(entry.remote).url === "string");

function docker(servers: Iterable<readonly [string, unknown]>): ForeignConfig {
  return collect("docker", servers, (name, given) => {
    if (given.type === "poci") return { reason: "its tools are containers of their own (poci)" };
    const asked = new Set<string>();
    // `{{server.key|filter}}` is a value that the person gives.
    const entry = mapTexts(given, (text) =>
      text.replaceAll(/\{\{\s*([^{}|\s]+)(?:[|\s][^{}]*)?\}\}/g, (_, key: string) => {
        asked.add(variableOf(key));
        return `\${${variableOf(key)}}`;
      }),
    ) as UnknownObject;
    const secrets = (Array.isArray(entry.secrets) ? entry.secrets : []).filter(isObject);
    const ofSecrets = secrets.flatMap(({ env }) => (typeof env === "string" ? [env] : []));
    const { url, transport_type: type, headers } = objectOf(entry.remote);
    const about = { description: entry.description };
    const needs = [
      ...ofSecrets.map((secret) => ({ name: secret, isSecret: true })),
      ...[...asked].map((value) => ({ name: value, isSecret: false })),
    ];
    if (url !== undefined) return { name, entry: { url, type, headers, ...about }, needs };
    const said = (Array.isArray(entry.env) ? entry.env : []).filter(isObject);
    const env = Object.fromEntries([
      ...said.map(({ name: variable, value }) => [spell(variable), value ?? ""]),
      ...ofSecrets.map((variable) => [variable, `\${${variable}}`]),
    ]);
    const acting = Object.keys(env).find(actsOnTheHost);
    if (acting !== undefined)
      return { reason: `its variable ${acting} would act on docker itself` };
    const args = [
      "run",
      "-i",
      "--rm",
      "--init",
      ...(entry.disableNetwork === true ? ["--network", "none"] : []),
      ...(typeof entry.user === "string" && entry.user !== "" ? ["-u", entry.user] : []),
      ...Object.keys(env).flatMap((variable) => ["-e", variable]),
      ...textsOf(entry.volumes).flatMap((volume) => ["-v", volume]),
      spell(entry.image),
      ...textsOf(entry.command),
    ];
    return { name, entry: { command: "docker", args, env, ...about }, needs };
  });
}

/** `my-server.api_key` is `MY_SERVER_API_KEY`. */
const variableOf = (key: string) =>
  key
    .replaceAll(/\W+/g, "_")
    .toUpperCase()
    .replace(/^(?=\d)/, "_");

export function hasSupergateway(text: string): boolean {
  const start = text.search(/(?:^|[\s/"'])supergateway(?:@[^\s/"']+)?\s/);
  return start >= 0 && /--(?:stdio|sse|streamableHttp)\b/.test(text.slice(start));
}

/** Command lines of supergateway: what they wrap, without the wrapping. */
export function readSupergateway(text: string): ForeignConfig {
  const lines = text
    .replaceAll(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .filter(hasSupergateway);
  const found: ForeignConfig = { source: "supergateway", servers: [], skipped: [] };
  for (const line of lines) {
    const words = splitCommand(line.trim());
    const entry = words && wrapped(words);
    const base = entry ? nameOf(entry) : "supergateway";
    let name = base;
    for (let count = 2; found.servers.some((other) => other.name === name); count++)
      name = `${base}-${count}`;
    if (entry) found.servers.push({ name, entry });
    else
      found.skipped.push({ name, reason: "supergateway: its command line cannot be understood" });
  }
  return found;
}

function wrapped(words: readonly string[]): UnknownObject | null {
  const at = words.findIndex((word) => /(^|\/)supergateway(@[^\s/]+)?$/.test(word));
  const env = words.slice(0, Math.max(at, 0)).flatMap((word) => {
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(word) ?? [];
    return name === undefined ? [] : [[name, variables(value ?? "")]];
  });
  const flags = new Map<string, string[]>();
  for (let place = at + 1; place < words.length; place++) {
    const [flag = "", attached] = (words[place] ?? "").split(/=(.*)/s, 2);
    if (!flag.startsWith("--")) continue;
    const next = words[place + 1];
    const value = attached ?? (next?.startsWith("--") ? undefined : next);
    if (attached === undefined && value !== undefined) place += 1;
    flags.set(flag, [...(flags.get(flag) ?? []), variables(value ?? "")]);
  }
  const one = (flag: string) => flags.get(flag)?.at(-1);
  const headers = Object.fromEntries(
    (flags.get("--header") ?? []).map((header) => header.split(/:\s*(.*)/s, 2) as [string, string]),
  );
  const url = one("--streamableHttp") ?? one("--sse");
  if (url !== undefined) {
    const type = one("--streamableHttp") === undefined ? "sse" : "http";
    return { url, type, headers: { ...headers, ...bearer(one("--oauth2Bearer")) } };
  }
  const command = splitCommand(one("--stdio") ?? "");
  return command === null || command.length === 0
    ? null
    : { command, env: Object.fromEntries(env) };
}

/** `$NAME` of the shell. */
const variables = (text: string) => text.replaceAll(/\$([A-Za-z_]\w*)/g, "${$1}");

/** `uvx mcp-server-git` is `git`, `https://mcp.linear.app/sse` is `linear`. */
function nameOf({ url, command }: UnknownObject): string {
  if (typeof url === "string") {
    const host = /^[a-z]+:\/\/([^/:?#]+)/i.exec(url)?.[1] ?? "server";
    const parts = host.split(".").filter((part) => !/^(www|mcp|api)$/.test(part));
    return (
      (/^[\d.]+$/.test(host)
        ? host.replaceAll(".", "-")
        : parts.length > 1
          ? parts.at(-2)
          : parts[0]) || "server"
    );
  }
  const [program = "server", ...args] = textsOf(command);
  const runs = /^(npx|bunx|uvx|pipx|pnpm|yarn|uv|node|python3?|deno|bun)$/.test(program);
  const meant = runs
    ? args.find((word) => !word.startsWith("-") && !/^(run|dlx|exec)$/.test(word))
    : program;
  const last = (meant ?? program).split(/[\\/]/).at(-1) ?? "";
  const plain = last.replace(/(?<=.)@.*$/s, "").replace(/\.\w+$/, "");
  return plain.replace(/^(mcp-)?server-|^mcp-/, "").replace(/-mcp(-server)?$/, "") || "server";
}
