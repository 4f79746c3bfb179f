import type { Environment } from "../../../../src/config/editing.ts";
import { withoutUndefined } from "../../../../src/lib/json/plain-data.ts";
import { PlaneError } from "../../../../src/model/errors.ts";
import {
  asLiteral,
  asName,
  asOneOf,
  asShown,
  asVariable,
  Foreign,
  fieldOf,
  fieldsOf,
  findSecretReference,
  foreign,
  foreignTextOf,
  isForeignObject,
  isSame,
  isTrue,
  itemsOf,
  joined,
  matches,
  objectsOf,
  type Piece,
  spelled,
  splitAt,
  writeText,
} from "../../../../src/model/foreign.ts";
import type { JsonObject } from "../../../../src/model/json.ts";
import { actsOnTheHost } from "../../../../src/model/servers/host-variables.ts";
import { type EntryInput, type InputValues, inputPieces } from "./inputs.ts";
import { type Options, optionProblem, said } from "./runtime-options.ts";

/** A server as a registry describes it: `server.json`. */
export type RegistryServer = {
  name: string;
  version: string;
  status: "active" | "deprecated" | "deleted";
  /** As it was read. */
  written: Foreign;
  title: Foreign<string> | undefined;
  description: Foreign<string> | undefined;
  packages: Foreign[];
  remotes: Foreign[];
};

/** One way to run or reach a server. */
export type Way = {
  via: string;
  /** What it starts or reaches, for people; of a package that is used, its name. */
  what: string;
  inputs: EntryInput[];
  build(values: InputValues, environment: Environment): JsonObject;
  /** Why it cannot be used here. */
  unusable?: string;
  /** A bundle that has to be fetched first. */
  bundle?: { url: Foreign<string>; sha256: string };
  /** Where a server is reached, as the registry writes it. */
  url?: Foreign<string>;
};

const official = "io.modelcontextprotocol.registry/official";

/** Null where it is none. Registries wrap it together with what they know themselves. */
export function parseRegistryServer(given: Foreign): RegistryServer | null {
  const inner = fieldOf(given, "server");
  const server = isForeignObject(inner) ? inner : given;
  const name = asName(fieldOf(server, "name"), "server");
  const version = asName(fieldOf(server, "version"), "version");
  if (name === undefined || version === undefined) return null;
  const known = ["active", "deprecated", "deleted"] as const;
  const status = [
    fieldOf(fieldOf(fieldOf(given, "_meta"), official), "status"),
    fieldOf(server, "status"),
  ]
    .map((one) => asOneOf(one, known))
    .find((one) => one !== undefined);
  return {
    name,
    version,
    status: status ?? "active",
    written: given,
    title: foreignTextOf(fieldOf(server, "title")),
    description: foreignTextOf(fieldOf(server, "description")),
    packages: objectsOf(fieldOf(server, "packages")),
    remotes: objectsOf(fieldOf(server, "remotes")),
  };
}

/** Is it one of the versions that are not the newest? */
export function isOldVersion(given: Foreign): boolean {
  const latest = spelled(fieldOf(fieldOf(fieldOf(given, "_meta"), official), "isLatest"));
  return latest !== undefined && isSame(latest, foreign("false"));
}

/** What only a person's own configuration may say: it would run programs and read secrets of the machine that adds the server. */
export function refuseSecretReferences(written: Foreign, what: string, remedy = onlyOwn): void {
  const kind = findSecretReference(written);
  if (kind === null) return;
  const why = `it refers to \${${kind}:…}, which ${kind === "command" ? "runs a program" : "reads a secret"} of this machine`;
  throw new PlaneError("USAGE", `${what} is refused: ${why}. ${remedy}`);
}

const onlyOwn = "Only your own configuration may do that.";

export function waysOf({ packages, remotes, version }: RegistryServer): Way[] {
  return [...packages.map((one) => packageWay(one, version)), ...remotes.map(remoteWay)];
}

/** `fill`: its values, each in pieces; none where it is left out. `written`: what its author fixes of them. */
type Fields = {
  inputs: EntryInput[];
  written: Foreign<string>;
  fill(values: InputValues, environment: Environment): Piece[][];
};
type Named = Fields & { name: string | undefined; shown: string };

const kinds = ["npm", "pypi", "oci", "nuget", "mcpb"] as const;
type Kind = (typeof kinds)[number];

function packageWay(given: Foreign, serverVersion: string): Way {
  const type =
    foreignTextOf(fieldOf(given, "registryType")) ?? foreignTextOf(fieldOf(given, "registry_type"));
  const via = type && asOneOf(type, kinds);
  const identifier = foreignTextOf(fieldOf(given, "identifier")) ?? foreign("");
  const version = foreignTextOf(fieldOf(given, "version")) ?? foreign(serverVersion);
  const runtime = objectsOf(fieldOf(given, "runtimeArguments")).map(argumentFields);
  const own = objectsOf(fieldOf(given, "packageArguments")).map(argumentFields);
  const env = objectsOf(fieldOf(given, "environmentVariables")).map((one) =>
    namedFields(one, "variable"),
  );
  const sha256 = asName(fieldOf(given, "fileSha256"), "sha256");
  const what =
    via === undefined || via === "mcpb"
      ? undefined
      : asName(identifier, via === "oci" ? "image" : via);
  const fixed = asName(version, "version");
  return {
    via: via ?? asShown(type ?? foreign("unknown")),
    what: what ?? asShown(identifier),
    inputs: unique([...runtime, ...own, ...env].flatMap((one) => one.inputs)),
    ...whyUnusable(given, {
      via,
      what,
      fixed,
      sha256,
      env,
      options: runtime.map(({ known }) => known),
    }),
    ...(via === "mcpb" && sha256 !== undefined ? { bundle: { url: identifier, sha256 } } : {}),
    build(values, environment) {
      if (via === undefined || what === undefined || fixed === undefined) return {};
      const filled = (fields: readonly Fields[]) =>
        fields.flatMap((one) => one.fill(values, environment)).map(writeText);
      const variables = texts(env, values, environment);
      const started = launch(
        via,
        { what, version: fixed, runtime: filled(runtime), own: filled(own) },
        variables,
      );
      return { ...started, ...mapUnder("env", variables) };
    },
  };
}

type Launch = { what: string; version: string; runtime: string[]; own: string[] };

/** The version is part of what is started: what was looked at stays what runs. */
function launch(
  via: Kind,
  { what, version, runtime, own }: Launch,
  env: Readonly<Record<string, string>>,
): JsonObject {
  if (via === "npm")
    return {
      command: "npx",
      args: [...(runtime.includes("-y") ? [] : ["-y"]), ...runtime, `${what}@${version}`, ...own],
    };
  if (via === "pypi") return { command: "uvx", args: [...runtime, `${what}@${version}`, ...own] };
  if (via === "nuget")
    return { command: "dnx", args: [...runtime, `${what}@${version}`, "--yes", ...own] };
  const image = /[:@][^/]*$/.test(what) ? what : `${what}:${version}`;
  if (runtime.length === 0)
    return { container: { image }, ...(own.length > 0 ? { args: own } : {}) };
  // Options of the runtime that its author asks for only fit the runtime itself.
  const named = Object.keys(env).flatMap((name) => ["-e", name]);
  return { command: "docker", args: ["run", "-i", "--rm", ...named, ...runtime, image, ...own] };
}

type Facts = {
  via: Kind | undefined;
  what: string | undefined;
  fixed: string | undefined;
  sha256: string | undefined;
  env: readonly Named[];
  options: readonly Options[];
};

function whyUnusable(
  given: Foreign,
  { via, what, fixed, sha256, env, options }: Facts,
): { unusable?: string } {
  const shown = (key: string) => asShown(fieldOf(given, key));
  const transport = foreignTextOf(fieldOf(fieldOf(given, "transport"), "type")) ?? foreign("stdio");
  if (via === undefined)
    return {
      unusable: `packages of the kind '${shown("registryType") || shown("registry_type")}' are not known`,
    };
  // It would become an option of the program that fetches it, or fetch something else.
  if (via !== "mcpb" && what === undefined)
    return { unusable: `'${shown("identifier")}' is not a valid package name` };
  if (fixed === undefined) return { unusable: `'${shown("version")}' is not a valid version` };
  if (asOneOf(transport, ["stdio"]) === undefined)
    return { unusable: `it has to be started as a service of its own (${asShown(transport)})` };
  if (via === "mcpb" && sha256 === undefined)
    return { unusable: "the registry gives no checksum of the bundle" };
  const wrong = env.find(({ name }) => name === undefined);
  if (wrong) return { unusable: `'${wrong.shown}' is not a valid variable name` };
  const refused = optionProblem(via, options);
  if (refused !== null) return { unusable: refused };
  const acting =
    via === "oci" && options.length > 0
      ? env.find(({ name = "" }) => actsOnTheHost(name))
      : undefined;
  return acting ? { unusable: `its variable ${acting.shown} would act on docker itself` } : {};
}

function remoteWay(given: Foreign): Way {
  const url = foreignTextOf(fieldOf(given, "url")) ?? foreign("");
  const address = template(url, fieldOf(given, "variables"));
  const headers = objectsOf(fieldOf(given, "headers")).map((one) => namedFields(one, "header"));
  const wrong = headers.find(({ name }) => name === undefined);
  const isWeb = matches(url, /^https?:\/\//i);
  return {
    via: "remote",
    what: asShown(url),
    url,
    inputs: unique([...address.inputs, ...headers.flatMap((one) => one.inputs)]),
    ...(!isWeb && { unusable: "its address is not one of HTTP" }),
    ...(isWeb && wrong && { unusable: `'${wrong.shown}' is not a valid header name` }),
    build(values, environment) {
      const [filled] = address.fill(values, environment);
      return {
        url: filled === undefined ? asLiteral(url) : writeText(filled),
        ...(asOneOf(fieldOf(given, "type"), ["sse"]) && { transport: "sse" }),
        ...mapUnder("headers", texts(headers, values, environment)),
      };
    },
  };
}

const mapUnder = (key: string, map: Readonly<Record<string, string>>): JsonObject =>
  Object.keys(map).length > 0 ? { [key]: { ...map } } : {};

function texts(
  fields: readonly Named[],
  values: InputValues,
  environment: Environment,
): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(({ name, fill }) => {
      const [value] = fill(values, environment);
      return value === undefined || name === undefined ? [] : [[name, writeText(value)] as const];
    }),
  );
}

function namedFields(given: Foreign, kind: "variable" | "header"): Named {
  const name = fieldOf(given, "name");
  return {
    name: asName(name, kind),
    shown: asShown(name),
    ...keyValue(given, foreignTextOf(name), kind),
  };
}

/** `--flag=value`, or a word of its own. */
function argumentFields(given: Foreign): Fields & { known: Options } {
  const isNamed = asOneOf(fieldOf(given, "type"), ["named"]) !== undefined;
  const name = isNamed ? foreignTextOf(fieldOf(given, "name")) : undefined;
  const { inputs, fill, written } = keyValue(
    given,
    name ?? foreignTextOf(fieldOf(given, "valueHint")),
    "argument",
  );
  const spell = (value: Piece[]): Piece[][] => {
    if (name === undefined) return [value];
    return matches(name, /^--/) ? [[name, "=", ...value]] : [[name], value];
  };
  const known = { name, value: written };
  return {
    inputs,
    written,
    known,
    fill: (values, environment) => fill(values, environment).flatMap(spell),
  };
}

/** A value that its author fixed, with variables in braces, or one that a person gives. */
function keyValue(
  given: Foreign,
  name: Foreign<string> | undefined,
  kind: "variable" | "header" | "argument",
): Fields {
  const fixed = foreignTextOf(fieldOf(given, "value"));
  if (fixed !== undefined) return template(fixed, fieldOf(given, "variables"));
  const input = { ...inputOf(name ?? foreign("argument"), given), isVariable: kind === "variable" };
  return {
    inputs: [input],
    written: fixedPart(input),
    fill: (values, environment) => inputPieces(input, values, environment).map((one) => [one]),
  };
}

function template(fixed: Foreign<string>, variables: Foreign): Fields {
  const known = fieldsOf(variables).flatMap(([name, one]) =>
    isForeignObject(one) ? [{ name, input: inputOf(name, one) }] : [],
  );
  const parts = splitAt(fixed, /\{([^{}]+)\}/g).map((part) => {
    if (part instanceof Foreign) return part;
    return known.find(({ name }) => isSame(name, part.name))?.input ?? ["{", part.name, "}"];
  });
  return {
    inputs: known.map(({ input }) => input),
    written: joined(
      ...parts.flatMap((part) =>
        part instanceof Foreign || Array.isArray(part) ? part : fixedPart(part),
      ),
    ),
    fill(values, environment) {
      const pieces = parts.map((part) => {
        if (part instanceof Foreign || Array.isArray(part)) return [part].flat();
        return inputPieces(part, values, environment).slice(0, 1);
      });
      return pieces.some((one) => one.length === 0) ? [] : [pieces.flat()];
    },
  };
}

/** A secret is a variable of this machine, so that no person says it here. */
function fixedPart({ default: usual = [], isSecret }: EntryInput): Foreign<string> {
  return usual.length > 0 || isSecret ? joined(...usual) : foreign(said);
}

function inputOf(name: Foreign<string>, given: Foreign): EntryInput {
  const field = (key: string) => foreignTextOf(fieldOf(given, key));
  const description = field("description") ?? field("placeholder");
  const usual = field("value") ?? field("default");
  const choices = itemsOf(fieldOf(given, "choices")).map(asShown);
  const type = asOneOf(fieldOf(given, "format"), ["number", "boolean"]);
  return {
    key: asVariable(name),
    ...withoutUndefined({
      description: description && asShown(description),
      choices: choices.length > 0 ? choices : undefined,
      default: usual && [usual],
      type,
    }),
    isRequired: isTrue(fieldOf(given, "isRequired")),
    isSecret: isTrue(fieldOf(given, "isSecret")),
    isMany: isTrue(fieldOf(given, "isRepeated")),
  };
}

function unique(inputs: readonly EntryInput[]): EntryInput[] {
  return inputs.filter(({ key }, at) => inputs.findIndex((one) => one.key === key) === at);
}
