import { yieldEvery } from "@toolplane/core/lib/async/pause";
import { matchesGlob } from "@toolplane/core/lib/text/glob";
import {
  isObject,
  listOrEmpty,
  objectOrEmpty,
  type UnknownObject,
} from "@toolplane/core/model/json";
import type { OperationFilter } from "@toolplane/core/model/servers/server";
import { type ApiBody, legacyBody, readBody } from "./bodies.ts";
import { type ApiDocument, DocumentProblem, type Resolve, textIn } from "./document.ts";
import { argumentName, createNames, nameFromPath } from "./names.ts";
import { isJson } from "./schemas.ts";
import { type Requirement, readSchemes, type SecurityScheme } from "./security.ts";

type ParameterLocation = "path" | "query" | "header" | "cookie";
const parameterLocations: readonly string[] = ["path", "query", "header", "cookie"];

export type Parameter = {
  /** What callers name it. */
  argument: string;
  name: string;
  location: ParameterLocation;
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
  keys: readonly { location: string; name: string }[];
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
  const uniqueName = createNames();
  const operations: ApiOperation[] = [];
  let leftOut = 0;
  let parameters = 0;
  const turns = yieldEvery();
  const paths = objectOrEmpty(root.paths);
  for (const path of Object.keys(paths)) {
    if (!path.startsWith("/")) continue;
    const pathItem = resolve.object(paths[path]);
    for (const method of methods) {
      const operation = pathItem[method];
      if (!isObject(operation)) continue;
      if (turns.isOver()) await turns.next();
      const name = uniqueName(textIn(operation.operationId) ?? nameFromPath(method, path));
      if (!passes(filter, { method, path, tags: listOrEmpty(operation.tags) })) {
        leftOut += 1;
        continue;
      }
      const context = { document, resolve, schemes, pathItem, operation, method, path, name };
      parameters +=
        listOrEmpty(pathItem.parameters).length + listOrEmpty(operation.parameters).length;
      if (parameters > maxParameters.ofAll) throw tooManyParameters();
      operations.push(readOperation(context));
    }
  }
  return { operations, schemes, leftOut };
}

function tooManyParameters(): DocumentProblem {
  const limit = maxParameters.ofAll.toLocaleString("en");
  return new DocumentProblem(
    `has more than ${limit} parameters in all; name the operations you need with 'operations'`,
  );
}

type Context = {
  document: ApiDocument;
  resolve: Resolve;
  schemes: ReadonlyMap<string, SecurityScheme>;
  pathItem: UnknownObject;
  operation: UnknownObject;
  method: string;
  path: string;
  name: string;
};

function readOperation(context: Context): ApiOperation {
  const { document, resolve, schemes, pathItem, operation, method, path, name } = context;
  const isOld = document.dialect === "2.0";
  const declaredParameters = mergeParameters(resolve, pathItem, operation);
  const parameters = readParameters(context, declaredParameters);
  const takenArguments = new Set(parameters.map(({ argument }) => argument));
  const consumes = listOrEmpty(operation.consumes ?? document.root.consumes);
  const body = isOld
    ? legacyBody(declaredParameters, consumes, resolve, takenArguments)
    : readBody(resolve.object(operation.requestBody), resolve, takenArguments);
  const mayHaveBody = method !== "get" && method !== "head";
  return {
    name,
    method: method.toUpperCase(),
    path,
    title: textIn(operation.summary),
    description: textIn(operation.description) ?? textIn(pathItem.description),
    deprecated: operation.deprecated === true,
    parameters,
    keys: [...schemes.values()].filter((scheme) => scheme.kind === "apiKey"),
    body: mayHaveBody ? body : null,
    results: resultsOf(objectOrEmpty(operation.responses), resolve, isOld),
    security: readSecurity(operation.security ?? document.root.security),
    servers: listOrEmpty(operation.servers ?? pathItem.servers),
  };
}

function readSecurity(security: unknown): Requirement[] | null {
  if (!Array.isArray(security)) return null;
  return security.map((requirement) => objectOrEmpty(requirement) as Requirement);
}

/** An operation's own parameters come before those of its path. */
function mergeParameters(
  resolve: Resolve,
  pathItem: UnknownObject,
  operation: UnknownObject,
): UnknownObject[] {
  const merged = new Map<string, UnknownObject>();
  const declared = [...listOrEmpty(pathItem.parameters), ...listOrEmpty(operation.parameters)];
  for (const reference of declared.slice(0, maxParameters.ofOne)) {
    const parameter = resolve.object(reference);
    if (textIn(parameter.name) !== undefined)
      merged.set(JSON.stringify([parameter.in, parameter.name]), parameter);
  }
  return [...merged.values()];
}

/** Ours to set, or the connection's. */
const reservedHeaders =
  /^(accept|content-type|authorization|host|content-length|transfer-encoding|connection|cookie|te|upgrade|expect)$/i;

function readParameters(
  { path, schemes, document }: Context,
  declaredParameters: readonly UnknownObject[],
): Parameter[] {
  const takenArguments = new Set<string>();
  const isCredential = (location: string, name: string) =>
    [...schemes.values()].some(
      (scheme) => scheme.kind === "apiKey" && scheme.location === location && scheme.name === name,
    );
  return declaredParameters.flatMap((parameter) => {
    const { in: location, name } = parameter as { in: ParameterLocation; name: string };
    if (!parameterLocations.includes(location) || isCredential(location, name)) return [];
    if (location === "header" && reservedHeaders.test(name)) return [];
    if (location === "path" && !path.includes(`{${name}}`)) return [];
    const plainName = argumentName(name);
    const argument = [plainName, `${location}_${plainName}`].find(
      (candidate) => !takenArguments.has(candidate),
    );
    if (argument === undefined) return [];
    takenArguments.add(argument);
    return {
      argument,
      name,
      location,
      ...schemaOf(parameter, document.dialect),
      required: location === "path" || parameter.required === true,
      description: textIn(parameter.description),
      allowReserved: parameter.allowReserved === true,
      ...styleOf(parameter, location),
    };
  });
}

function schemaOf(
  parameter: UnknownObject,
  dialect: ApiDocument["dialect"],
): Pick<Parameter, "schema" | "mediaType"> {
  const [content] = Object.entries(objectOrEmpty(parameter.content));
  if (content) return { schema: objectOrEmpty(content[1]).schema, mediaType: content[0] };
  return { schema: dialect === "2.0" ? parameter : parameter.schema, mediaType: undefined };
}

const legacyStyles: Readonly<Record<string, string>> = {
  ssv: "spaceDelimited",
  pipes: "pipeDelimited",
  tsv: "tabDelimited",
};

function styleOf(
  parameter: UnknownObject,
  location: ParameterLocation,
): Pick<Parameter, "style" | "explode"> {
  const defaultStyle = location === "query" || location === "cookie" ? "form" : "simple";
  if (parameter.schema === undefined && parameter.type !== undefined) {
    const format = textIn(parameter.collectionFormat) ?? "csv";
    return { style: legacyStyles[format] ?? defaultStyle, explode: format === "multi" };
  }
  const style = textIn(parameter.style) ?? defaultStyle;
  const explode = typeof parameter.explode === "boolean" ? parameter.explode : style === "form";
  return { style, explode };
}

function resultsOf(responses: UnknownObject, resolve: Resolve, isOld: boolean): unknown[] {
  return successes(responses).flatMap((response) => {
    const { schema, content } = resolve.object(response);
    if (isOld) return isObject(schema) && schema.type !== "file" ? [schema] : [];
    const json = Object.entries(objectOrEmpty(content)).find(([type]) => isJson(type));
    const jsonSchema = json && objectOrEmpty(json[1]).schema;
    return jsonSchema === undefined ? [] : [jsonSchema];
  });
}

function successes(responses: UnknownObject): unknown[] {
  const statuses = Object.keys(responses);
  const successful = statuses.filter((status) => /^2(\d\d|XX)$/i.test(status));
  const described =
    successful.length > 0 ? successful : statuses.filter((status) => status === "default");
  return described.map((status) => responses[status]);
}

function passes(
  filter: OperationFilter | undefined,
  operation: { method: string; path: string; tags: unknown[] },
) {
  if (filter === undefined) return true;
  const methodGlobs = filter.methods?.map((glob) => glob.toLowerCase());
  const tags = operation.tags.filter((tag) => typeof tag === "string");
  return (
    fits(methodGlobs, [operation.method]) &&
    fits(filter.paths, [operation.path]) &&
    fits(filter.tags, tags)
  );
}

/** One of the globs fits, and none of those that begin with an exclamation mark. */
function fits(globs: readonly string[] | undefined, texts: readonly string[]): boolean {
  if (globs === undefined) return true;
  const fitsOne = (glob: string) => texts.some((text) => matchesGlob(glob, text));
  const excluded = globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1));
  if (excluded.some(fitsOne)) return false;
  const included = globs.filter((glob) => !glob.startsWith("!"));
  if (included.length === 0) return excluded.length > 0;
  return included.some(fitsOne);
}
