import type { Environment } from "@toolplane/core/config/editing";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { PlaneError } from "@toolplane/core/model/errors";
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
} from "@toolplane/core/model/foreign";
import type { JsonObject } from "@toolplane/core/model/json";
import { actsOnTheHost } from "@toolplane/core/model/servers/host-variables";
import { withoutEmpty } from "../without-empty.ts";
import { type EntryInput, type InputValues, inputPieces } from "./inputs.ts";
import { launchPackage, type PackageKind, packageKinds } from "./launch-package.ts";
import { type FetchOption, optionProblem, saidByPerson } from "./runtime-options.ts";

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
export function parseRegistryServer(document: Foreign): RegistryServer | null {
  const inner = fieldOf(document, "server");
  const server = isForeignObject(inner) ? inner : document;
  const name = asName(fieldOf(server, "name"), "server");
  const version = asName(fieldOf(server, "version"), "version");
  if (name === undefined || version === undefined) return null;
  const statuses = ["active", "deprecated", "deleted"] as const;
  const status = [
    fieldOf(fieldOf(fieldOf(document, "_meta"), official), "status"),
    fieldOf(server, "status"),
  ]
    .map((reported) => asOneOf(reported, statuses))
    .find((reported) => reported !== undefined);
  return {
    name,
    version,
    status: status ?? "active",
    written: document,
    title: foreignTextOf(fieldOf(server, "title")),
    description: foreignTextOf(fieldOf(server, "description")),
    packages: objectsOf(fieldOf(server, "packages")),
    remotes: objectsOf(fieldOf(server, "remotes")),
  };
}

/** Is it one of the versions that are not the newest? */
export function isOldVersion(document: Foreign): boolean {
  const latest = spelled(fieldOf(fieldOf(fieldOf(document, "_meta"), official), "isLatest"));
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
  return [
    ...packages.map((packageEntry) => packageWay(packageEntry, version)),
    ...remotes.map(remoteWay),
  ];
}

/** `fill`: its values, each in pieces; none where it is left out. `written`: what its author fixes of them. */
type Fields = {
  inputs: EntryInput[];
  written: Foreign<string>;
  fill(values: InputValues, environment: Environment): Piece[][];
};
type NamedFields = Fields & { name: string | undefined; shown: string };

function packageWay(packageEntry: Foreign, serverVersion: string): Way {
  const type =
    foreignTextOf(fieldOf(packageEntry, "registryType")) ??
    foreignTextOf(fieldOf(packageEntry, "registry_type"));
  const via = type && asOneOf(type, packageKinds);
  const identifier = foreignTextOf(fieldOf(packageEntry, "identifier")) ?? foreign("");
  const version = foreignTextOf(fieldOf(packageEntry, "version")) ?? foreign(serverVersion);
  const runtimeArguments = objectsOf(fieldOf(packageEntry, "runtimeArguments")).map(argumentFields);
  const packageArguments = objectsOf(fieldOf(packageEntry, "packageArguments")).map(argumentFields);
  const env = objectsOf(fieldOf(packageEntry, "environmentVariables")).map((variable) =>
    namedFields(variable, "variable"),
  );
  const sha256 = asName(fieldOf(packageEntry, "fileSha256"), "sha256");
  const what = packageName(via, identifier);
  const fixed = asName(version, "version");
  return {
    via: via ?? asShown(type ?? foreign("unknown")),
    what: what ?? asShown(identifier),
    inputs: unique(
      [...runtimeArguments, ...packageArguments, ...env].flatMap((fields) => fields.inputs),
    ),
    ...whyUnusable(packageEntry, {
      via,
      what,
      fixed,
      sha256,
      env,
      options: runtimeArguments.map(({ option }) => option),
    }),
    ...withoutUndefined({
      bundle: via === "mcpb" && sha256 !== undefined ? { url: identifier, sha256 } : undefined,
    }),
    build(values, environment) {
      if (via === undefined || what === undefined || fixed === undefined) return {};
      const filledArguments = (fields: readonly Fields[]) =>
        fields.flatMap((argument) => argument.fill(values, environment)).map(writeText);
      const variables = texts(env, values, environment);
      const launchEntry = launchPackage(
        via,
        {
          what,
          version: fixed,
          runtimeArguments: filledArguments(runtimeArguments),
          packageArguments: filledArguments(packageArguments),
        },
        variables,
      );
      return { ...launchEntry, ...withoutEmpty({ env: variables }) };
    },
  };
}

function packageName(
  via: PackageKind | undefined,
  identifier: Foreign<string>,
): string | undefined {
  if (via === undefined || via === "mcpb") return undefined;
  return asName(identifier, via === "oci" ? "image" : via);
}

type PackageFacts = {
  via: PackageKind | undefined;
  what: string | undefined;
  fixed: string | undefined;
  sha256: string | undefined;
  env: readonly NamedFields[];
  options: readonly FetchOption[];
};

function whyUnusable(
  packageEntry: Foreign,
  { via, what, fixed, sha256, env, options }: PackageFacts,
): { unusable?: string } {
  const shownField = (key: string) => asShown(fieldOf(packageEntry, key));
  const transport =
    foreignTextOf(fieldOf(fieldOf(packageEntry, "transport"), "type")) ?? foreign("stdio");
  if (via === undefined)
    return {
      unusable: `packages of the kind '${shownField("registryType") || shownField("registry_type")}' are not known`,
    };
  // It would become an option of the program that fetches it, or fetch something else.
  if (via !== "mcpb" && what === undefined)
    return { unusable: `'${shownField("identifier")}' is not a valid package name` };
  if (fixed === undefined) return { unusable: `'${shownField("version")}' is not a valid version` };
  if (asOneOf(transport, ["stdio"]) === undefined)
    return { unusable: `it has to be started as a service of its own (${asShown(transport)})` };
  if (via === "mcpb" && sha256 === undefined)
    return { unusable: "the registry gives no checksum of the bundle" };
  const invalidVariable = env.find(({ name }) => name === undefined);
  if (invalidVariable)
    return { unusable: `'${invalidVariable.shown}' is not a valid variable name` };
  const problem = optionProblem(via, options);
  if (problem !== null) return { unusable: problem };
  if (via !== "oci" || options.length === 0) return {};
  const hostVariable = env.find(({ name = "" }) => actsOnTheHost(name));
  if (hostVariable === undefined) return {};
  return { unusable: `its variable ${hostVariable.shown} would act on docker itself` };
}

function remoteWay(remote: Foreign): Way {
  const url = foreignTextOf(fieldOf(remote, "url")) ?? foreign("");
  const address = template(url, fieldOf(remote, "variables"));
  const headers = objectsOf(fieldOf(remote, "headers")).map((header) =>
    namedFields(header, "header"),
  );
  return {
    via: "remote",
    what: asShown(url),
    url,
    inputs: unique([...address.inputs, ...headers.flatMap((header) => header.inputs)]),
    ...withoutUndefined({ unusable: remoteProblem(url, headers) }),
    build(values, environment) {
      const [filled] = address.fill(values, environment);
      return withoutEmpty({
        url: filled === undefined ? asLiteral(url) : writeText(filled),
        transport: asOneOf(fieldOf(remote, "type"), ["sse"]),
        headers: texts(headers, values, environment),
      });
    },
  };
}

function remoteProblem(url: Foreign<string>, headers: readonly NamedFields[]): string | undefined {
  if (!matches(url, /^https?:\/\//i)) return "its address is not one of HTTP";
  const invalidHeader = headers.find(({ name }) => name === undefined);
  return invalidHeader && `'${invalidHeader.shown}' is not a valid header name`;
}

function texts(
  fields: readonly NamedFields[],
  values: InputValues,
  environment: Environment,
): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(({ name, fill }) => {
      const [pieces] = fill(values, environment);
      if (pieces === undefined || name === undefined) return [];
      return [[name, writeText(pieces)] as const];
    }),
  );
}

function namedFields(field: Foreign, kind: "variable" | "header"): NamedFields {
  const name = fieldOf(field, "name");
  return {
    name: asName(name, kind),
    shown: asShown(name),
    ...keyValue(field, foreignTextOf(name), kind),
  };
}

/** `--flag=value`, or a word of its own. */
function argumentFields(argument: Foreign): Fields & { option: FetchOption } {
  const isNamed = asOneOf(fieldOf(argument, "type"), ["named"]) !== undefined;
  const name = isNamed ? foreignTextOf(fieldOf(argument, "name")) : undefined;
  const { inputs, fill, written } = keyValue(
    argument,
    name ?? foreignTextOf(fieldOf(argument, "valueHint")),
    "argument",
  );
  const spell = (pieces: Piece[]): Piece[][] => {
    if (name === undefined) return [pieces];
    return matches(name, /^--/) ? [[name, "=", ...pieces]] : [[name], pieces];
  };
  const option = { name, value: written };
  return {
    inputs,
    written,
    option,
    fill: (values, environment) => fill(values, environment).flatMap(spell),
  };
}

/** A value that its author fixed, with variables in braces, or one that a person gives. */
function keyValue(
  field: Foreign,
  name: Foreign<string> | undefined,
  kind: "variable" | "header" | "argument",
): Fields {
  const fixed = foreignTextOf(fieldOf(field, "value"));
  if (fixed !== undefined) return template(fixed, fieldOf(field, "variables"));
  const input = { ...inputOf(name ?? foreign("argument"), field), isVariable: kind === "variable" };
  return {
    inputs: [input],
    written: fixedPart(input),
    fill: (values, environment) => inputPieces(input, values, environment).map((piece) => [piece]),
  };
}

function template(fixed: Foreign<string>, variables: Foreign): Fields {
  const namedInputs = fieldsOf(variables)
    .filter(([, variable]) => isForeignObject(variable))
    .map(([name, variable]) => ({ name, input: inputOf(name, variable) }));
  const parts = splitAt(fixed, /\{([^{}]+)\}/g).map((part) => {
    if (part instanceof Foreign) return part;
    return namedInputs.find(({ name }) => isSame(name, part.name))?.input ?? ["{", part.name, "}"];
  });
  return {
    inputs: namedInputs.map(({ input }) => input),
    written: joined(
      ...parts.flatMap((part) =>
        part instanceof Foreign || Array.isArray(part) ? part : fixedPart(part),
      ),
    ),
    fill(values, environment) {
      const filledParts = parts.map((part) => {
        if (part instanceof Foreign || Array.isArray(part)) return [part].flat();
        return inputPieces(part, values, environment).slice(0, 1);
      });
      if (filledParts.some((pieces) => pieces.length === 0)) return [];
      return [filledParts.flat()];
    },
  };
}

/** A secret is a variable of this machine, so that no person says it here. */
function fixedPart({ default: defaults = [], isSecret }: EntryInput): Foreign<string> {
  if (defaults.length > 0 || isSecret) return joined(...defaults);
  return foreign(saidByPerson);
}

function inputOf(name: Foreign<string>, declared: Foreign): EntryInput {
  const textField = (key: string) => foreignTextOf(fieldOf(declared, key));
  const description = textField("description") ?? textField("placeholder");
  const defaultValue = textField("value") ?? textField("default");
  const choices = itemsOf(fieldOf(declared, "choices")).map(asShown);
  const type = asOneOf(fieldOf(declared, "format"), ["number", "boolean"]);
  return {
    key: asVariable(name),
    ...withoutUndefined({
      description: description && asShown(description),
      choices: choices.length > 0 ? choices : undefined,
      default: defaultValue && [defaultValue],
      type,
    }),
    isRequired: isTrue(fieldOf(declared, "isRequired")),
    isSecret: isTrue(fieldOf(declared, "isSecret")),
    isMany: isTrue(fieldOf(declared, "isRepeated")),
  };
}

function unique(inputs: readonly EntryInput[]): EntryInput[] {
  return inputs.filter(
    ({ key }, index) => inputs.findIndex((input) => input.key === key) === index,
  );
}
