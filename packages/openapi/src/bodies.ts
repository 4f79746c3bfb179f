import {
  isObject,
  listOrEmpty,
  objectOrEmpty,
  type UnknownObject,
} from "@toolplane/core/model/json";
import { type Resolve, textIn } from "./document.ts";
import { argumentName } from "./names.ts";
import { isBinary, isJson } from "./schemas.ts";

/** How one property of a form is written. */
export type Property = {
  name: string;
  schema: unknown;
  isBinary: boolean;
  encoding: UnknownObject;
};

export type ApiBody = {
  mediaType: string;
  kind: "json" | "form" | "multipart" | "binary" | "text";
  required: boolean;
  description: string | undefined;
  schema: unknown;
  /** By the name of the argument, where each property is an argument of its own. */
  flat: ReadonlyMap<string, Property> | null;
  /** Those that must be given. */
  requiredNames: ReadonlySet<string>;
  /** By their own names, for forms. */
  properties: ReadonlyMap<string, Property>;
};

/** In the order of our liking. */
const bodyKinds: readonly [ApiBody["kind"], (mediaType: string) => boolean][] = [
  ["json", isJson],
  ["form", (type) => /^application\/x-www-form-urlencoded/i.test(type)],
  ["multipart", (type) => /^multipart\//i.test(type)],
  ["text", (type) => /^text\/|[/+](xml|yaml|csv)\b/i.test(type)],
  ["binary", () => true],
];

export function readBody(
  requestBody: UnknownObject,
  resolve: Resolve,
  takenArguments: ReadonlySet<string>,
): ApiBody | null {
  const contents = Object.entries(objectOrEmpty(requestBody.content));
  for (const [kind, isKind] of bodyKinds) {
    const content = contents.find(([type]) => isKind(type));
    if (content === undefined) continue;
    const [mediaType, mediaObject] = content;
    const { schema = {}, encoding } = resolve.object(mediaObject);
    // `*/*` and `application/*` leave the choice to us.
    const isAny = mediaType.includes("*");
    const facts = {
      mediaType: isAny ? "application/json" : mediaType,
      kind: isAny ? ("json" as const) : kind,
      required: requestBody.required === true,
      description: textIn(requestBody.description),
      schema,
    };
    return withProperties(facts, objectOrEmpty(encoding), resolve, takenArguments);
  }
  return null;
}

/** Swagger 2.0: one parameter is the body, or each is a field of a form. */
export function legacyBody(
  parameters: readonly UnknownObject[],
  consumes: readonly unknown[],
  resolve: Resolve,
  takenArguments: ReadonlySet<string>,
): ApiBody | null {
  const mediaTypes = consumes.filter((type) => typeof type === "string");
  const bodyParameter = parameters.find((parameter) => parameter.in === "body");
  if (bodyParameter) {
    const mediaType = mediaTypes.find(isJson) ?? mediaTypes[0] ?? "application/json";
    const facts = {
      mediaType,
      kind: bodyKinds.find(([, isKind]) => isKind(mediaType))?.[0] ?? "json",
      required: bodyParameter.required === true,
      description: textIn(bodyParameter.description),
      schema: bodyParameter.schema ?? {},
    };
    return withProperties(facts, {}, resolve, takenArguments);
  }
  const fields = parameters.filter((parameter) => parameter.in === "formData");
  if (fields.length === 0) return null;
  const isMultipart =
    fields.some((field) => field.type === "file") ||
    mediaTypes.some((type) => /^multipart\//i.test(type));
  return withProperties(
    formFacts(fields, isMultipart),
    formEncoding(fields),
    resolve,
    takenArguments,
  );
}

function formFacts(fields: readonly UnknownObject[], isMultipart: boolean): Facts {
  const properties = Object.fromEntries(fields.map((field) => [String(field.name), field]));
  const required = fields.filter((field) => field.required === true).map(({ name }) => name);
  return {
    mediaType: isMultipart ? "multipart/form-data" : "application/x-www-form-urlencoded",
    kind: isMultipart ? "multipart" : "form",
    required: required.length > 0,
    description: undefined,
    schema: { type: "object", properties, required },
  };
}

function formEncoding(fields: readonly UnknownObject[]): UnknownObject {
  return Object.fromEntries(
    fields.map(({ name, collectionFormat }) => [
      String(name),
      { style: "form", explode: collectionFormat === "multi" },
    ]),
  );
}

type Facts = Omit<ApiBody, "flat" | "properties" | "requiredNames">;

function withProperties(
  facts: Facts,
  encoding: UnknownObject,
  resolve: Resolve,
  takenArguments: ReadonlySet<string>,
): ApiBody {
  const { merged, isPlain } = collectOnce(facts.schema, resolve);
  const requiredNames = merged.required;
  const isLarge = merged.properties.size > maxFlat;
  if (isLarge && facts.kind === "json")
    return { ...facts, properties: new Map(), flat: null, requiredNames };
  const properties = new Map<string, Property>();
  for (const [name, schema] of merged.properties) {
    const node = resolve.object(schema);
    if (node.readOnly === true) continue;
    properties.set(name, {
      name,
      schema,
      isBinary: isBinary(node) || isBinary(resolve.object(node.items)),
      encoding: objectOrEmpty(encoding[name]),
    });
  }
  const isFlat =
    isPlain &&
    !isLarge &&
    !merged.isOpen &&
    properties.size > 0 &&
    facts.kind !== "binary" &&
    facts.kind !== "text";
  const flat = isFlat ? flatten(properties, takenArguments) : null;
  return { ...facts, properties, flat, requiredNames };
}

type Merged = {
  properties: Map<string, unknown>;
  required: Set<string>;
  isOpen: boolean;
  members: number;
};

const maxMembers = 50;
/** A larger body is one argument: operations that share it then refer to it, and do not each repeat its properties. */
const maxFlat = 100;

type Collected = { merged: Merged; isPlain: boolean };

/** Of a schema that many operations share. */
const collected = new WeakMap<UnknownObject, Collected>();

function collectOnce(schema: unknown, resolve: Resolve): Collected {
  const node = resolve.object(schema);
  const previous = collected.get(node);
  if (previous) return previous;
  const merged: Merged = { properties: new Map(), required: new Set(), isOpen: false, members: 0 };
  const properties = { merged, isPlain: collect(node, resolve, merged) };
  collected.set(node, properties);
  return properties;
}

/** The properties of an object, also of one that is put together; false where there is a choice. */
function collect(schema: unknown, resolve: Resolve, merged: Merged): boolean {
  const node = resolve.object(schema);
  merged.members += 1;
  if (merged.members > maxMembers) return false;
  const { type, properties, required, allOf, additionalProperties } = node;
  if (
    node.nullable === true ||
    ["oneOf", "anyOf", "not", "if", "patternProperties"].some((key) => key in node)
  )
    return false;
  const isObjectType =
    type === undefined || type === "object" || (Array.isArray(type) && type.join() === "object");
  if (!isObjectType) return false;
  if (additionalProperties === true || isObject(additionalProperties)) merged.isOpen = true;
  for (const [name, property] of Object.entries(objectOrEmpty(properties)))
    merged.properties.set(name, property);
  for (const name of listOrEmpty(required)) if (typeof name === "string") merged.required.add(name);
  return listOrEmpty(allOf).every((member) => collect(member, resolve, merged));
}

/** Null where a name would mean two things. */
function flatten(
  properties: ReadonlyMap<string, Property>,
  takenArguments: ReadonlySet<string>,
): Map<string, Property> | null {
  const flat = new Map<string, Property>();
  for (const [name, property] of properties) {
    const argument = argumentName(name);
    if (takenArguments.has(argument) || flat.has(argument)) return null;
    flat.set(argument, property);
  }
  return flat;
}
