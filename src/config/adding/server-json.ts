import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../model/json.ts";
import type { Environment } from "../environment.ts";
import { type EntryInput, type InputValues, inputValue, literal, variableName } from "./inputs.ts";

/** A server as a registry describes it: `server.json`. */
export type RegistryServer = {
  name: string;
  title: string | null;
  description: string;
  version: string;
  status: string;
  packages: UnknownObject[];
  remotes: UnknownObject[];
};

/** One way to run or reach a server. */
export type Way = {
  via: string;
  what: string;
  inputs: EntryInput[];
  build(values: InputValues, environment: Environment): JsonObject;
  /** Why it cannot be used here. */
  unusable?: string;
  /** A bundle that has to be fetched first. */
  bundle?: { url: string; sha256: string };
};

/** Null where it is none. Registries wrap it together with what they know themselves. */
export function parseRegistryServer(given: unknown): RegistryServer | null {
  const wrapped = isObject(given) && isObject(given.server) ? given : { server: given };
  const server = wrapped.server;
  if (!isObject(server) || typeof server.name !== "string" || typeof server.version !== "string") return null;
  const meta = isObject(wrapped._meta) ? wrapped._meta["io.modelcontextprotocol.registry/official"] : {};
  const status = isObject(meta) ? text(meta.status) : undefined;
  return {
    name: server.name,
    title: text(server.title) ?? null,
    description: text(server.description) ?? "",
    version: server.version,
    status: status ?? text(server.status) ?? "active",
    packages: objects(server.packages),
    remotes: objects(server.remotes),
  };
}

export function waysOf({ packages, remotes, version }: RegistryServer): Way[] {
  return [...packages.map((one) => packageWay(one, version)), ...remotes.map(remoteWay)];
}

type Fields = { inputs: EntryInput[]; fill(values: InputValues, environment: Environment): string[] };

function packageWay(given: UnknownObject, serverVersion: string): Way {
  const via = text(given.registryType) ?? text(given.registry_type) ?? "unknown";
  const identifier = text(given.identifier) ?? "";
  const version = text(given.version) ?? serverVersion;
  const runtime = objects(given.runtimeArguments).map(argumentFields);
  const own = objects(given.packageArguments).map(argumentFields);
  const env = objects(given.environmentVariables).map((one) => ({ name: text(one.name) ?? "", ...keyValue(one) }));
  const inputs = unique([...runtime, ...own, ...env].flatMap((one) => one.inputs));
  const transport = isObject(given.transport) ? (text(given.transport.type) ?? "stdio") : "stdio";
  const sha256 = text(given.fileSha256);
  return {
    via,
    what: identifier,
    inputs,
    ...unusable(via, transport, { identifier, sha256 }),
    ...(via === "mcpb" && sha256 !== undefined ? { bundle: { url: identifier, sha256 } } : {}),
    build(values, environment) {
      const filled = (fields: readonly Fields[]) => fields.flatMap((one) => one.fill(values, environment));
      const variables = env.flatMap((one) => {
        const [value] = one.fill(values, environment);
        return value === undefined || one.name === "" ? [] : [[one.name, value] as const];
      });
      const started = launch(via, { identifier, version, runtime: filled(runtime), own: filled(own) }, variables);
      return { ...started, ...(variables.length > 0 ? { env: Object.fromEntries(variables) } : {}) };
    },
  };
}

type Launch = { identifier: string; version: string; runtime: string[]; own: string[] };

/** The version is part of what is started: what was looked at stays what runs. */
function launch(
  via: string,
  { identifier, version, runtime, own }: Launch,
  env: readonly (readonly [string, string])[],
) {
  if (via === "npm")
    return {
      command: "npx",
      args: [...(runtime.includes("-y") ? [] : ["-y"]), ...runtime, `${identifier}@${version}`, ...own],
    };
  if (via === "pypi") return { command: "uvx", args: [...runtime, `${identifier}@${version}`, ...own] };
  if (via === "nuget") return { command: "dnx", args: [...runtime, `${identifier}@${version}`, "--yes", ...own] };
  const image = /[:@][^/]*$/.test(identifier) ? identifier : `${identifier}:${version}`;
  if (runtime.length === 0) return { container: { image }, ...(own.length > 0 ? { args: own } : {}) };
  // Options of the runtime that its author asks for only fit the runtime itself.
  const named = env.flatMap(([name]) => ["-e", name]);
  return { command: "docker", args: ["run", "-i", "--rm", ...named, ...runtime, image, ...own] };
}

function unusable(
  via: string,
  transport: string,
  { identifier, sha256 }: { identifier: string; sha256: string | undefined },
) {
  if (!["npm", "pypi", "oci", "nuget", "mcpb"].includes(via))
    return { unusable: `packages of the kind '${via}' are not known` };
  // It would become an option of the program that fetches it.
  if (!/^[@A-Za-z0-9]/.test(identifier)) return { unusable: `'${identifier}' is no name of a package` };
  if (transport !== "stdio") return { unusable: `it has to be started as a service of its own (${transport})` };
  if (via === "mcpb" && !/^[0-9a-f]{64}$/.test(sha256 ?? ""))
    return { unusable: "the registry gives no checksum of the bundle" };
  return {};
}

function remoteWay(given: UnknownObject): Way {
  const url = text(given.url) ?? "";
  const variables = isObject(given.variables) ? given.variables : {};
  const address = template(url, variables);
  const headers = objects(given.headers).map((one) => ({ name: text(one.name) ?? "", ...keyValue(one, "header") }));
  return {
    via: "remote",
    what: url,
    inputs: unique([...address.inputs, ...headers.flatMap((one) => one.inputs)]),
    ...(/^https?:\/\//i.test(url) ? {} : { unusable: "its address is not one of HTTP" }),
    build(values, environment) {
      const sent = headers.flatMap((one) => {
        const [value] = one.fill(values, environment);
        return value === undefined || one.name === "" ? [] : [[one.name, value] as const];
      });
      return {
        url: address.fill(values, environment)[0] ?? url,
        ...(given.type === "sse" ? { transport: "sse" } : {}),
        ...(sent.length > 0 ? { headers: Object.fromEntries(sent) } : {}),
      };
    },
  };
}

/** `--flag=value`, or a word of its own. */
function argumentFields(given: UnknownObject): Fields {
  const name = given.type === "named" ? (text(given.name) ?? "") : "";
  const { inputs, fill } = keyValue(
    { ...given, name: name.replace(/^-+/, "") || (text(given.valueHint) ?? "argument") },
    "argument",
  );
  const spell = (value: string) =>
    name === "" ? [value] : name.startsWith("--") ? [`${name}=${value}`] : [name, value];
  return { inputs, fill: (values, environment) => fill(values, environment).flatMap(spell) };
}

/** A value that its author fixed, with variables in braces, or one that a person gives. */
function keyValue(given: UnknownObject, kind: "variable" | "header" | "argument" = "variable"): Fields {
  const fixed = text(given.value);
  if (fixed !== undefined) return template(fixed, isObject(given.variables) ? given.variables : {});
  const input = { ...inputOf(text(given.name) ?? "", given), isVariable: kind === "variable" };
  return { inputs: [input], fill: (values, environment) => inputValue(input, values, environment) };
}

function template(fixed: string, variables: UnknownObject): Fields {
  const inputs = Object.entries(variables).flatMap(([name, one]) =>
    isObject(one) ? [{ name, ...inputOf(name, one) }] : [],
  );
  return {
    inputs: inputs.map(({ name: _, ...input }) => input),
    fill(values, environment) {
      const parts = fixed.split(/(\{[^{}]+\})/).map((part) => {
        const input = inputs.find(({ name }) => part === `{${name}}`);
        return input === undefined ? literal(part) : inputValue(input, values, environment)[0];
      });
      return parts.includes(undefined) ? [] : [parts.join("")];
    },
  };
}

function inputOf(name: string, given: UnknownObject): EntryInput {
  const choices = Array.isArray(given.choices) ? given.choices.map(String) : undefined;
  return {
    key: variableName(name),
    ...withoutUndefined({
      description: text(given.description) ?? text(given.placeholder),
      choices,
      default: text(given.value) ?? text(given.default),
    }),
    isRequired: given.isRequired === true,
    isSecret: given.isSecret === true,
    isMany: given.isRepeated === true,
    ...(given.format === "number" || given.format === "boolean" ? { type: given.format } : {}),
  };
}

function unique(inputs: readonly EntryInput[]): EntryInput[] {
  return inputs.filter(({ key }, at) => inputs.findIndex((one) => one.key === key) === at);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function objects(value: unknown): UnknownObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
