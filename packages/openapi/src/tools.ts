import { yieldEvery } from "@toolplane/core/lib/async/pause";
import { cutText } from "@toolplane/core/lib/text/cut-text";
import { isObject, type Json, type JsonObject } from "@toolplane/core/model/json";
import type { ApiBody } from "./bodies.ts";
import type { ApiOperation, Parameter } from "./operations.ts";
import type { Direction, Schemas } from "./schemas.ts";

const maxDescription = 2_000;
/** Schemas of one tool, and of all of them: an API of a thousand operations must still fit a catalogue. */
const perTool = { most: 600, least: 30, ofAll: 60_000 };

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
  const { most, least, ofAll } = perTool;
  const budget = Math.max(
    least,
    Math.min(most, Math.floor(ofAll / Math.max(1, operations.length))),
  );
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
    ...(title !== undefined && { title: cutText(title, 200) }),
    description: describe(operation),
    inputSchema: describeInput(operation, schemas, budget),
    ...(outputSchema !== undefined && { outputSchema }),
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
  const said = [title, description === title ? undefined : description].filter(
    (one) => one !== undefined,
  );
  const hint = pagingHint(operation);
  const lines = [
    ...(deprecated ? ["Deprecated."] : []),
    ...(said.length === 0 ? [] : [cutText(said.join("\n\n"), maxDescription).trimEnd()]),
    `${method} ${path}`,
    ...(hint === null ? [] : [hint]),
  ];
  return lines.join("\n\n");
}

const pageWords =
  /^(page|page_?(number|token|key)|offset|start|skip|cursor|after|before|starting_after|ending_before|marker|continue|next_?token|\$skip(token)?)$/i;
const sizeWords = /^(per_?page|page_?size|limit|max_?results|count|size|take|first|top|\$top)$/i;

/** How to get more than the first page. */
function pagingHint({ method, parameters }: ApiOperation): string | null {
  if (method !== "GET") return null;
  const query = parameters.filter(({ place }) => place === "query");
  const pages = query
    .filter(({ name }) => pageWords.test(name))
    .map(({ argument }) => `'${argument}'`);
  const size = query.find(({ name }) => sizeWords.test(name));
  if (pages.length === 0) return size ? `'${size.argument}' limits how many are returned.` : null;
  const many = size ? `; '${size.argument}' sets how many a page has` : "";
  return `The answer comes in pages: ask for another one with ${pages.join(" or ")}${many}.`;
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
  const schema = {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return schemas.finish(schema, conversion, budget);
}

type Convert = (node: unknown) => JsonObject | boolean;

function addFlat(
  body: ApiBody,
  flat: NonNullable<ApiBody["flat"]>,
  convert: Convert,
  into: JsonObject,
  required: string[],
) {
  for (const [argument, { name, schema, encoding }] of flat) {
    const isFile = body.kind === "multipart" && isFileType(encoding.contentType);
    into[argument] = isFile ? withBytes(convert(schema)) : (convert(schema) as Json);
    // Where the body may be left out, so may each of its parts.
    if (body.required && body.needed.has(name)) required.push(argument);
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
  return {
    ...(isObject(schema) ? (schema as JsonObject) : { type: "string" }),
    contentEncoding: "base64",
  };
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
  const known = new Map(
    results.slice(0, 4).map((result) => [JSON.stringify(convert(result)), convert(result)]),
  );
  const [first, ...others] = [...known.values()];
  if (!isObject(first) || Object.keys(first).length === 0) return undefined;
  const schema =
    others.length === 0 ? (first as JsonObject) : { anyOf: [...known.values()] as Json[] };
  const whole = schemas.finish(schema, conversion, budget);
  if (whole.type !== undefined) return whole;
  // Older clients refuse a list of tools with an output that is not said to be an object.
  return describesObject(whole, whole.$defs) ? { type: "object", ...whole } : undefined;
}

function describesObject(schema: unknown, definitions: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, allOf, anyOf, oneOf, $ref } = schema;
  const alternatives = [anyOf, oneOf].find(Array.isArray);
  if (alternatives) return alternatives.every((one) => describesObject(one, definitions));
  const name = typeof $ref === "string" ? $ref.slice("#/$defs/".length) : undefined;
  if (name !== undefined && isObject(definitions)) return objectType(definitions[name]);
  return type === "object" || Array.isArray(allOf);
}

function objectType(schema: unknown): boolean {
  return isObject(schema) && (schema.type === "object" || Array.isArray(schema.allOf));
}
