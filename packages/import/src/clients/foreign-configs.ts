import { addedFormats, splitCommand } from "@toolplane/core/config/editing";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { errorText } from "@toolplane/core/lib/text/error-text";
import { spell } from "@toolplane/core/lib/text/spell";
import { PlaneError } from "@toolplane/core/model/errors";
import type { FileFormat } from "@toolplane/core/model/extensions/extension";
import {
  isObject,
  type JsonObject,
  listOrEmpty,
  objectOrEmpty,
  type UnknownObject,
} from "@toolplane/core/model/json";
import { actsOnTheHost } from "@toolplane/core/model/servers/host-variables";

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
    const config = isObject(data) ? readAdded(format, data, file) : null;
    if (isObject(config?.mcpServers)) return mapOf(format.name, config.mcpServers, unchangedEntry);
  }
  if (Array.isArray(data) && data.some(isMetaMcp)) return listOf("metamcp", data, metaMcp);
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
  if (isObject(servers)) return mapOf("file", servers, unchangedEntry);
  return null;
}

function readAdded({ name, read }: FileFormat, data: UnknownObject, file: string) {
  try {
    return read(structuredClone(data), file);
  } catch (thrown) {
    const message = `The extension that reads files of ${name} failed at '${file}': ${errorText(thrown)}`;
    throw new PlaneError("USAGE", message, { data: { file }, cause: thrown });
  }
}

type ReadEntry = (name: string, entry: UnknownObject) => ForeignServer | { reason: string };

const unchangedEntry: ReadEntry = (name, entry) => ({ name, entry });
const hasAnyKey = (entries: readonly UnknownObject[], keys: readonly string[]) =>
  entries.some((entry) => keys.some((key) => entry[key] !== undefined));

function dialectOf(
  data: UnknownObject,
  entries: readonly UnknownObject[],
): [source: string, read: ReadEntry] {
  const isPorter = /mcporter/.test(spell(data.$schema)) || Array.isArray(data.imports);
  if (
    isPorter ||
    hasAnyKey(entries, ["baseUrl", "base_url", "bearerTokenEnv", "lifecycle", "tokenCacheDir"])
  )
    return ["mcporter", porter];
  const text = JSON.stringify(entries);
  if (
    data.nativeMCPServers !== undefined ||
    hasAnyKey(entries, ["custom_instructions", "disabled_resources"]) ||
    /\$\{cmd:/.test(text)
  )
    return ["mcp-hub", hub];
  if (entries.some(isMetaMcp) || hasAnyKey(entries, ["bearerToken", "oauth_client_info"]))
    return ["metamcp", metaMcp];
  return ["file", unchangedEntry];
}

function mapOf(source: string, servers: UnknownObject, read: ReadEntry): ForeignConfig {
  return collect(source, Object.entries(servers), read);
}

function listOf(source: string, servers: readonly unknown[], read: ReadEntry): ForeignConfig {
  const named = servers
    .filter(isObject)
    .map((entry, index) => [spell(entry.name ?? `server-${index + 1}`), entry] as const);
  return collect(source, named, read);
}

function collect(
  source: string,
  servers: Iterable<readonly [string, unknown]>,
  read: ReadEntry,
): ForeignConfig {
  const config: ForeignConfig = { source, servers: [], skipped: [] };
  for (const [name, entry] of servers) {
    const server = isObject(entry) ? read(name, entry) : { reason: "the entry is not an object" };
    if ("reason" in server) config.skipped.push({ name, reason: `${source}: ${server.reason}` });
    else config.servers.push(server);
  }
  return config;
}

function bearer(token: unknown): UnknownObject {
  if (typeof token !== "string" || token === "") return {};
  return { Authorization: `Bearer ${token}` };
}
const objectsOf = (field: unknown): UnknownObject[] => listOrEmpty(field).filter(isObject);
const textOf = (field: unknown): string | undefined =>
  typeof field === "string" ? field : undefined;
const textsOf = (field: unknown): string[] =>
  listOrEmpty(field).filter((element) => typeof element === "string");
const mapTexts = (field: unknown, change: (text: string) => string): unknown => {
  if (typeof field === "string") return change(field);
  if (Array.isArray(field)) return field.map((element) => mapTexts(element, change));
  if (!isObject(field)) return field;
  return Object.fromEntries(
    Object.entries(field).map(([key, inner]) => [key, mapTexts(inner, change)]),
  );
};

/** mcporter: `baseUrl`, `$env:NAME`, a command that may hold its arguments. */
const porter: ReadEntry = (name, written) => {
  const entry = mapTexts(written, (text) =>
    text.replaceAll(/\$env:([A-Za-z_]\w*)/g, "${$1}"),
  ) as UnknownObject;
  const { command, args } = entry;
  const argv = typeof command === "string" && args === undefined ? splitCommand(command) : null;
  const server: ForeignServer = {
    name,
    entry: {
      ...entry,
      command: argv ?? command,
      url: entry.url ?? entry.baseUrl ?? entry.base_url,
      headers: {
        ...bearer(entry.bearerToken ?? entry.bearer_token),
        ...objectOrEmpty(entry.headers),
      },
      bearer_token_env_var: entry.bearerTokenEnv ?? entry.bearer_token_env,
      enabled_tools: entry.allowedTools ?? entry.allowed_tools,
      disabled_tools: entry.blockedTools ?? entry.blocked_tools,
    },
  };
  if (entry.auth === "oauth") server.extra = { auth: { type: "oauth" } };
  return server;
};

/** mcp-hub: an empty variable is that of the environment, `${cmd: …}` what a command prints. */
const hub: ReadEntry = (name, written) => {
  const entry = mapTexts(written, (text) =>
    text.replaceAll(/\$\{cmd:([^{}]+)\}/g, (_, command: string) => `\${command:${command.trim()}}`),
  );
  const env = Object.entries(objectOrEmpty(objectOrEmpty(entry).env)).map(([variable, content]) => [
    variable,
    content === null || content === "" ? `\${${variable}:-}` : content,
  ]);
  return { name, entry: { ...objectOrEmpty(entry), env: Object.fromEntries(env) } };
};

/** MetaMCP writes its kinds in capitals. */
const isMetaMcp = (entry: unknown) =>
  isObject(entry) && /^(STDIO|SSE|STREAMABLE_HTTP|streamable_?http)$/.test(spell(entry.type));

const metaMcp: ReadEntry = (name, entry) => {
  const type = spell(entry.type).toLowerCase().replace("streamablehttp", "streamable_http");
  const client = objectOrEmpty(entry.oauth_client_info);
  const auth = withoutUndefined({
    type: "oauth",
    clientId: textOf(client.client_id),
    clientSecret: textOf(client.client_secret),
    scopes: textOf(client.scope)?.split(/\s+/).filter(Boolean),
  });
  const server: ForeignServer = {
    name,
    entry: {
      ...entry,
      type,
      headers: { ...bearer(entry.bearerToken), ...objectOrEmpty(entry.headers) },
    },
  };
  if (entry.oauth_client_info !== undefined) server.extra = { auth };
  return server;
};

/** LiteLLM: `auth_type` with `auth_value`, `os.environ/NAME`. */
const liteLlm: ReadEntry = (name, written) => {
  if (written.spec_path !== undefined)
    return {
      reason:
        "it is made of an OpenAPI document (spec_path); write that as 'openapi' in an entry of its own",
    };
  const entry = mapTexts(written, (text) =>
    text.replaceAll(/os\.environ\/([A-Za-z_]\w*)/g, "${$1}"),
  ) as UnknownObject;
  const { auth_type: kind, mcp_info } = entry;
  const credential = entry.auth_value ?? entry.authentication_token;
  const headers: Record<string, UnknownObject> = {
    bearer_token: bearer(credential),
    authorization: { Authorization: credential },
    token: { Authorization: `token ${credential}` },
    basic: { Authorization: `Basic ${credential}` },
    api_key: { "X-API-Key": credential },
  };
  const credentialHeaders = typeof credential === "string" ? (headers[spell(kind)] ?? {}) : {};
  const auth = withoutUndefined({
    type: "oauth",
    clientId: textOf(entry.client_id),
    clientSecret: textOf(entry.client_secret),
    scopes: Array.isArray(entry.scopes) ? textsOf(entry.scopes) : undefined,
  });
  const server: ForeignServer = {
    name,
    entry: {
      ...entry,
      type: entry.transport,
      headers: {
        ...credentialHeaders,
        ...objectOrEmpty(entry.static_headers),
        ...objectOrEmpty(entry.headers),
      },
      enabled_tools: entry.allowed_tools,
      disabled_tools: entry.disallowed_tools,
      description: entry.description ?? objectOrEmpty(mcp_info).description,
    },
  };
  if (kind === "oauth2") server.extra = { auth };
  return server;
};

const isDockerEntry = (entry: unknown) =>
  isObject(entry) &&
  (typeof entry.image === "string" ||
    entry.type === "poci" ||
    typeof objectOrEmpty(entry.remote).url === "string");

function docker(servers: Iterable<readonly [string, unknown]>): ForeignConfig {
  return collect("docker", servers, (name, written) => {
    if (written.type === "poci") return { reason: "its tools are containers of their own (poci)" };
    const askedVariables = new Set<string>();
    // `{{server.key|filter}}` is a value that the person gives.
    const entry = mapTexts(written, (text) =>
      text.replaceAll(/\{\{\s*([^{}|\s]+)(?:[|\s][^{}]*)?\}\}/g, (_, key: string) => {
        askedVariables.add(variableOf(key));
        return `\${${variableOf(key)}}`;
      }),
    ) as UnknownObject;
    const secretVariables = objectsOf(entry.secrets).flatMap(({ env }) => textOf(env) ?? []);
    const { url, transport_type: type, headers } = objectOrEmpty(entry.remote);
    const about = { description: entry.description };
    const needs = [
      ...secretVariables.map((secret) => ({ name: secret, isSecret: true })),
      ...[...askedVariables].map((variable) => ({ name: variable, isSecret: false })),
    ];
    if (url !== undefined) return { name, entry: { url, type, headers, ...about }, needs };
    const env = Object.fromEntries([
      ...objectsOf(entry.env).map(({ name: variable, value }) => [spell(variable), value ?? ""]),
      ...secretVariables.map((variable) => [variable, `\${${variable}}`]),
    ]);
    const hostVariable = Object.keys(env).find(actsOnTheHost);
    if (hostVariable !== undefined)
      return { reason: `its variable ${hostVariable} would act on docker itself` };
    const args = ["run", "-i", "--rm", "--init"];
    if (entry.disableNetwork === true) args.push("--network", "none");
    if (typeof entry.user === "string" && entry.user !== "") args.push("-u", entry.user);
    args.push(
      ...Object.keys(env).flatMap((variable) => ["-e", variable]),
      ...textsOf(entry.volumes).flatMap((volume) => ["-v", volume]),
      spell(entry.image),
      ...textsOf(entry.command),
    );
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
  const config: ForeignConfig = { source: "supergateway", servers: [], skipped: [] };
  for (const line of lines) {
    const argv = splitCommand(line.trim());
    const entry = argv && wrappedServer(argv);
    const base = entry ? nameOf(entry) : "supergateway";
    let name = base;
    for (let count = 2; config.servers.some((server) => server.name === name); count++)
      name = `${base}-${count}`;
    if (entry) config.servers.push({ name, entry });
    else
      config.skipped.push({ name, reason: "supergateway: its command line cannot be understood" });
  }
  return config;
}

function wrappedServer(argv: readonly string[]): UnknownObject | null {
  const wrapperIndex = argv.findIndex((argument) =>
    /(^|\/)supergateway(@[^\s/]+)?$/.test(argument),
  );
  const env = argv.slice(0, Math.max(wrapperIndex, 0)).flatMap((assignment) => {
    const [, name, content = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(assignment) ?? [];
    if (name === undefined) return [];
    return [[name, variables(content)]];
  });
  const flags = new Map<string, string[]>();
  for (let index = wrapperIndex + 1; index < argv.length; index++) {
    const [flag = "", attached] = (argv[index] ?? "").split(/=(.*)/s, 2);
    if (!flag.startsWith("--")) continue;
    const next = argv[index + 1];
    const argument = attached ?? (next?.startsWith("--") ? undefined : next);
    if (attached === undefined && argument !== undefined) index += 1;
    flags.set(flag, [...(flags.get(flag) ?? []), variables(argument ?? "")]);
  }
  const lastValueOf = (flag: string) => flags.get(flag)?.at(-1);
  const headers = Object.fromEntries(
    (flags.get("--header") ?? []).map((header) => header.split(/:\s*(.*)/s, 2) as [string, string]),
  );
  const url = lastValueOf("--streamableHttp") ?? lastValueOf("--sse");
  if (url !== undefined) {
    const type = lastValueOf("--streamableHttp") === undefined ? "sse" : "http";
    return { url, type, headers: { ...headers, ...bearer(lastValueOf("--oauth2Bearer")) } };
  }
  const command = splitCommand(lastValueOf("--stdio") ?? "");
  if (command === null || command.length === 0) return null;
  return { command, env: Object.fromEntries(env) };
}

/** `$NAME` of the shell. */
const variables = (text: string) => text.replaceAll(/\$([A-Za-z_]\w*)/g, "${$1}");

function nameOfHost(host: string): string | undefined {
  if (/^[\d.]+$/.test(host)) return host.replaceAll(".", "-");
  const parts = host.split(".").filter((part) => !/^(www|mcp|api)$/.test(part));
  return parts.length > 1 ? parts.at(-2) : parts[0];
}

/** `uvx mcp-server-git` is `git`, `https://mcp.linear.app/sse` is `linear`. */
function nameOf({ url, command }: UnknownObject): string {
  if (typeof url === "string") {
    const host = /^[a-z]+:\/\/([^/:?#]+)/i.exec(url)?.[1] ?? "server";
    return nameOfHost(host) || "server";
  }
  const [program = "server", ...args] = textsOf(command);
  const isLauncher = /^(npx|bunx|uvx|pipx|pnpm|yarn|uv|node|python3?|deno|bun)$/.test(program);
  const target = isLauncher
    ? args.find((argument) => !argument.startsWith("-") && !/^(run|dlx|exec)$/.test(argument))
    : program;
  const baseName = (target ?? program).split(/[\\/]/).at(-1) ?? "";
  const plain = baseName.replace(/(?<=.)@.*$/s, "").replace(/\.\w+$/, "");
  return plain.replace(/^(mcp-)?server-|^mcp-/, "").replace(/-mcp(-server)?$/, "") || "server";
}
