import { yieldEvery } from "@toolplane/core/lib/async/pause";
import { matchesGlob } from "@toolplane/core/lib/text/glob";
import { isObject, type UnknownObject } from "@toolplane/core/model/json";
import type { OperationFilter } from "@toolplane/core/model/servers/server";
import { type ApiBody, legacyBody, readBody } from "./bodies.ts";
import {
  type ApiDocument,
  DocumentProblem,
  listIn,
  objectOrEmpty,
  type Resolve,
  textIn,
} from "./document.ts";
import { argumentName, createNames, nameFromPath } from "./names.ts";
import { isJson } from "./schemas.ts";
import { type Requirement, readSchemes, type SecurityScheme } from "./security.ts";

type Place = "path" | "query" | "header" | "cookie";

export type Parameter = {
  /** What callers name it. */
  argument: string;
  name: string;
  place: Place;
  required: boolean;
  description: string | undefined;
  schema: unknown;
  style: string;
  explode: boolean;
  allowReserved: boolean;
  /** Its value is a text of this kind. */
  mediaType: string | undefined;
};

export type ApiOperation = {
  name: string;
  method: string;
  path: string;
  title: string | undefined;
  description: string | undefined;
  deprecated: boolean;
  parameters: Parameter[];
  /** What credentials of the document are called; only the plane sets them. */
  keys: readonly { place: string; name: string }[];
  body: ApiBody | null;
  /** Of the answers that mean success, as JSON. */
  results: unknown[];
  /** Alternatives; null where the document says nothing. */
  security: Requirement[] | null;
  /** Where it says so itself. */
  servers: unknown[];
};

const methods = ["get", "head", "post", "put", "patch", "delete", "options"];

export type ApiOperations = {
  operations: ApiOperation[];
  schemes: ReadonlyMap<string, SecurityScheme>;
  leftOut: number;
};

/** Parameters of one operation, and of all. Many may share a path item that has them all. */
const maxParameters = { ofOne: 500, ofAll: 250_000 };

/** In slices: a document may have thousands. */
export async function readOperations(
  document: ApiDocument,
  resolve: Resolve,
  filter: OperationFilter | undefined,
): Promise<ApiOperations> {
  const { root } = document;
  const schemes = readSchemes(document, resolve);
  const names = createNames();
  const operations: ApiOperation[] = [];
  let leftOut = 0;
  let parameters = 0;
  const turns = yieldEvery();
  for (const [path, given] of Object.entries(objectOrEmpty(root.paths))) {
    if (!path.startsWith("/")) continue;
    const item = resolve.object(given);
    for (const method of methods) {
      const operation = item[method];
      if (!isObject(operation)) continue;
      if (turns.isOver()) await turns.next();
      const name = names(textIn(operation.operationId) ?? nameFromPath(method, path));
      if (!passes(filter, { method, path, tags: listIn(operation.tags) })) {
        leftOut += 1;
        continue;
      }
      const context = { document, resolve, schemes, item, operation, method, path, name };
      parameters += listIn(item.parameters).length + listIn(operation.parameters).length;
      if (parameters > maxParameters.ofAll) throw tooManyParameters();
      operations.push(readOperation(context));
    }
  }
  return { operations, schemes, leftOut };
}

function tooManyParameters(): DocumentProblem {
  const most = maxParameters.ofAll.toLocaleString("en");
  return new DocumentProblem(
    `has more than ${most} parameters in all; name the operations you need with 'operations'`,
  );
}

type Context = {
  document: ApiDocument;
  resolve: Resolve;
  schemes: ReadonlyMap<string, SecurityScheme>;
  item: UnknownObject;
  operation: UnknownObject;
  method: string;
  path: string;
  name: string;
};

function readOperation(context: Context): ApiOperation {
  const { document, resolve, item, operation, method, path, name } = context;
  const isOld = document.dialect === "2.0";
  const given = mergeParameters(resolve, item, operation);
  const parameters = readParameters(context, given);
  const taken = new Set(parameters.map(({ argument }) => argument));
  const mayHaveBody = method !== "get" && method !== "head";
  const body = isOld
    ? legacyBody(given, listIn(operation.consumes ?? document.root.consumes), resolve, taken)
    : readBody(resolve.object(operation.requestBody), resolve, taken);
  const security = operation.security ?? document.root.security;
  return {
    name,
    method: method.toUpperCase(),
    path,
    title: textIn(operation.summary),
    description: textIn(operation.description) ?? textIn(item.description),
    deprecated: operation.deprecated === true,
    parameters,
    keys: [...context.schemes.values()].flatMap((one) => (one.kind === "apiKey" ? [one] : [])),
    body: mayHaveBody ? body : null,
    results: resultsOf(objectOrEmpty(operation.responses), resolve, isOld),
    security: Array.isArray(security)
      ? security.map((one) => objectOrEmpty(one) as Requirement)
      : null,
    servers: listIn(operation.servers ?? item.servers),
  };
}

/** An operation's own parameters come before those of its path. */
function mergeParameters(
  resolve: Resolve,
  item: UnknownObject,
  operation: UnknownObject,
): UnknownObject[] {
  const merged = new Map<string, UnknownObject>();
  const listed = [...listIn(item.parameters), ...listIn(operation.parameters)];
  for (const given of listed.slice(0, maxParameters.ofOne)) {
    const parameter = resolve.object(given);
    if (textIn(parameter.name) !== undefined)
      merged.set(JSON.stringify([parameter.in, parameter.name]), parameter);
  }
  return [...merged.values()];
}

/** Ours to set, or the connection's. */
const ownHeaders =
  /^(accept|content-type|authorization|host|content-length|transfer-encoding|connection|cookie|te|upgrade|expect)$/i;

function readParameters(
  { path, schemes, document }: Context,
  given: readonly UnknownObject[],
): Parameter[] {
  const names = new Set<string>();
  const isCredential = (place: string, name: string) =>
    [...schemes.values()].some(
      (one) => one.kind === "apiKey" && one.place === place && one.name === name,
    );
  return given.flatMap((parameter) => {
    const { in: place, name } = parameter as { in: Place; name: string };
    if (!["path", "query", "header", "cookie"].includes(place) || isCredential(place, name))
      return [];
    if (place === "header" && ownHeaders.test(name)) return [];
    if (place === "path" && !path.includes(`{${name}}`)) return [];
    const plain = argumentName(name);
    const argument = [plain, `${place}_${plain}`].find((one) => !names.has(one));
    if (argument === undefined) return [];
    names.add(argument);
    const [content] = Object.entries(objectOrEmpty(parameter.content));
    const schema = content
      ? objectOrEmpty(content[1]).schema
      : document.dialect === "2.0"
        ? parameter
        : parameter.schema;
    return {
      argument,
      name,
      place,
      schema,
      mediaType: content?.[0],
      required: place === "path" || parameter.required === true,
      description: textIn(parameter.description),
      allowReserved: parameter.allowReserved === true,
      ...styleOf(parameter, place),
    };
  });
}

const formats: Readonly<Record<string, string>> = {
  ssv: "spaceDelimited",
  pipes: "pipeDelimited",
  tsv: "tabDelimited",
};

function styleOf(parameter: UnknownObject, place: Place): Pick<Parameter, "style" | "explode"> {
  const usual = place === "query" || place === "cookie" ? "form" : "simple";
  if (parameter.schema === undefined && parameter.type !== undefined) {
    const format = textIn(parameter.collectionFormat) ?? "csv";
    return { style: formats[format] ?? usual, explode: format === "multi" };
  }
  const style = textIn(parameter.style) ?? usual;
  const explode = typeof parameter.explode === "boolean" ? parameter.explode : style === "form";
  return { style, explode };
}

function resultsOf(responses: UnknownObject, resolve: Resolve, isOld: boolean): unknown[] {
  const isGood = ([status]: [string, unknown]) => /^2(\d\d|XX)$/i.test(status);
  const good = Object.entries(responses).filter(isGood);
  const given =
    good.length > 0 ? good : Object.entries(responses).filter(([status]) => status === "default");
  return given.flatMap(([, response]) => {
    const { schema, content } = resolve.object(response);
    if (isOld) return isObject(schema) && schema.type !== "file" ? [schema] : [];
    const json = Object.entries(objectOrEmpty(content)).find(([type]) => isJson(type));
    const found = json && objectOrEmpty(json[1]).schema;
    return found === undefined ? [] : [found];
  });
}

function passes(
  filter: OperationFilter | undefined,
  operation: { method: string; path: string; tags: unknown[] },
) {
  if (filter === undefined) return true;
  const { method, path, tags } = operation;
  return (
    fits(
      filter.methods?.map((one) => one.toLowerCase()),
      [method],
    ) &&
    fits(filter.paths, [path]) &&
    fits(
      filter.tags,
      tags.filter((one) => typeof one === "string"),
    )
  );
}

/** One of the globs fits, and none of those that begin with an exclamation mark. */
function fits(globs: readonly string[] | undefined, values: readonly string[]): boolean {
  if (globs === undefined) return true;
  const matches = (glob: string) => values.some((value) => matchesGlob(glob, value));
  const wanted = globs.filter((one) => !one.startsWith("!"));
  const refused = globs.filter((one) => one.startsWith("!")).map((one) => one.slice(1));
  return (
    !refused.some(matches) && (wanted.length === 0 ? refused.length > 0 : wanted.some(matches))
  );
}
