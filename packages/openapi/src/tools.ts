import { yieldEvery } from "@toolplane/core/lib/async/pause";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { cutText } from "@toolplane/core/lib/text/cut-text";
import { isObject, type Json, type JsonObject } from "@toolplane/core/model/json";
import type { ApiBody } from "./bodies.ts";
import type { ApiOperation, Parameter } from "./operations.ts";
import type { Direction, Schemas } from "./schemas.ts";

const maxDescription = 2_000;
/** Schemas of one tool, and of all of them: an API of a thousand operations must still fit a catalogue. */
const maxNodesPerTool = 600;
const minNodesPerTool = 30;
const maxNodes = 60_000;

/** How a tool is listed. */
export type ListedTool = {
  name: string;
  title?: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations: JsonObject;
};

/** In slices: a document may have thousands of operations. */
export async function describeTools(
  operations: readonly ApiOperation[],
  schemas: Schemas,
): Promise<ListedTool[]> {
  const fairShare = Math.floor(maxNodes / Math.max(1, operations.length));
  const budget = Math.max(minNodesPerTool, Math.min(maxNodesPerTool, fairShare));
  const tools: ListedTool[] = [];
  const turns = yieldEvery();
  for (const operation of operations) {
    if (turns.isOver()) await turns.next();
    tools.push(describeTool(operation, schemas, budget));
  }
  return tools;
}

function describeTool(operation: ApiOperation, schemas: Schemas, budget: number): ListedTool {
  const { name, title, method } = operation;
  const outputSchema = describeResults(operation.results, schemas, Math.ceil(budget / 2));
  const isRead = method === "GET" || method === "HEAD" || method === "OPTIONS";
  return {
    name,
    ...withoutUndefined({ title: title && cutText(title, 200) }),
    description: describe(operation),
    inputSchema: describeInput(operation, schemas, budget),
    ...withoutUndefined({ outputSchema }),
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: method === "DELETE",
      idempotentHint: isRead || method === "PUT" || method === "DELETE",
      openWorldHint: true,
    },
  };
}

function describe(operation: ApiOperation): string {
  const { title, description, method, path, deprecated } = operation;
  const prose = [title, description === title ? undefined : description]
    .filter((text) => text !== undefined)
    .join("\n\n");
  const paragraphs = [
    deprecated ? "Deprecated." : null,
    prose === "" ? null : cutText(prose, maxDescription).trimEnd(),
    `${method} ${path}`,
    pagingHint(operation),
  ];
  return paragraphs.filter((paragraph) => paragraph !== null).join("\n\n");
}

const pageParameter =
  /^(page|page_?(number|token|key)|offset|start|skip|cursor|after|before|starting_after|ending_before|marker|continue|next_?token|\$skip(token)?)$/i;
const sizeParameter =
  /^(per_?page|page_?size|limit|max_?results|count|size|take|first|top|\$top)$/i;

/** How to get more than the first page. */
function pagingHint({ method, parameters }: ApiOperation): string | null {
  if (method !== "GET") return null;
  const queryParameters = parameters.filter(({ location }) => location === "query");
  const pages = queryParameters
    .filter(({ name }) => pageParameter.test(name))
    .map(({ argument }) => `'${argument}'`);
  const size = queryParameters.find(({ name }) => sizeParameter.test(name));
  if (pages.length === 0) return size ? `'${size.argument}' limits how many are returned.` : null;
  const sizeHint = size ? `; '${size.argument}' sets how many a page has` : "";
  return `The answer comes in pages: ask for another one with ${pages.join(" or ")}${sizeHint}.`;
}

function describeInput(
  { parameters, body }: ApiOperation,
  schemas: Schemas,
  budget: number,
): JsonObject {
  const { convert, conversion } = schemas.begin("input");
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const parameter of parameters) {
    properties[parameter.argument] = describeParameter(parameter, convert);
    if (parameter.required) required.push(parameter.argument);
  }
  if (body?.flat) addFlat(body, body.flat, convert, properties, required);
  else if (body) {
    properties.body = withDescription(bodySchema(body, convert), body.description);
    if (body.required) required.push("body");
  }
  const schema: JsonObject = { type: "object", properties };
  if (required.length > 0) schema.required = required;
  schema.additionalProperties = false;
  return schemas.finish(schema, conversion, budget);
}

type Convert = (node: unknown) => JsonObject | boolean;

function addFlat(
  body: ApiBody,
  flat: NonNullable<ApiBody["flat"]>,
  convert: Convert,
  properties: JsonObject,
  required: string[],
) {
  for (const [argument, { name, schema, encoding }] of flat) {
    const isFile = body.kind === "multipart" && isFileType(encoding.contentType);
    properties[argument] = isFile ? withBytes(convert(schema)) : (convert(schema) as Json);
    // Where the body may be left out, so may each of its parts.
    if (body.required && body.requiredNames.has(name)) required.push(argument);
  }
}

function isFileType(contentType: unknown): boolean {
  return (
    typeof contentType === "string" && /octet-stream|^(image|audio|video)\//i.test(contentType)
  );
}

function bodySchema({ kind, schema }: ApiBody, convert: Convert): Json {
  if (kind === "binary") return withBytes({ type: "string" });
  // What is no JSON is written by the caller.
  if (kind === "text") return { type: "string" };
  return convert(schema) as Json;
}

function withBytes(schema: JsonObject | boolean): JsonObject {
  const described = isObject(schema) ? (schema as JsonObject) : { type: "string" };
  return { ...described, contentEncoding: "base64" };
}

function describeParameter({ schema, description }: Parameter, convert: Convert): Json {
  return withDescription(convert(schema ?? {}) as Json, description);
}

function withDescription(schema: Json, description: string | undefined): Json {
  if (description === undefined || !isObject(schema)) return schema;
  return { ...(schema as JsonObject), description: cutText(description, maxDescription / 2) };
}

/** One of them is the answer. */
function describeResults(
  results: readonly unknown[],
  schemas: Schemas,
  budget: number,
): JsonObject | undefined {
  if (results.length === 0) return undefined;
  const direction: Direction = "output";
  const { convert, conversion } = schemas.begin(direction);
  const converted = results.slice(0, 4).map((result) => convert(result));
  const distinctSchemas = new Map(converted.map((schema) => [JSON.stringify(schema), schema]));
  const alternatives = [...distinctSchemas.values()];
  const [first] = alternatives;
  if (!isObject(first) || Object.keys(first).length === 0) return undefined;
  const anyOf = { anyOf: alternatives as Json[] };
  const schema = alternatives.length === 1 ? (first as JsonObject) : anyOf;
  const finished = schemas.finish(schema, conversion, budget);
  if (finished.type !== undefined) return finished;
  // Older clients refuse a list of tools with an output that is not said to be an object.
  if (!describesObject(finished, finished.$defs)) return undefined;
  return { type: "object", ...finished };
}

function describesObject(schema: unknown, definitions: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, allOf, anyOf, oneOf, $ref } = schema;
  const alternatives = [anyOf, oneOf].find(Array.isArray);
  if (alternatives)
    return alternatives.every((alternative) => describesObject(alternative, definitions));
  const name = typeof $ref === "string" ? $ref.slice("#/$defs/".length) : undefined;
  if (name !== undefined && isObject(definitions)) return objectType(definitions[name]);
  return type === "object" || Array.isArray(allOf);
}

function objectType(schema: unknown): boolean {
  return isObject(schema) && (schema.type === "object" || Array.isArray(schema.allOf));
}
