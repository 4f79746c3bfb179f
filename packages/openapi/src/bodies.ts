import { isObject, type UnknownObject } from "@toolplane/core/model/json";
import { listIn, objectOrEmpty, type Resolve, textIn } from "./document.ts";
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
  needed: ReadonlySet<string>;
  /** By their own names, for forms. */
  properties: ReadonlyMap<string, Property>;
};

/** In the order of our liking. */
const kinds: readonly [ApiBody["kind"], (mediaType: string) => boolean][] = [
  ["json", isJson],
  ["form", (type) => /^application\/x-www-form-urlencoded/i.test(type)],
  ["multipart", (type) => /^multipart\//i.test(type)],
  ["text", (type) => /^text\/|[/+](xml|yaml|csv)\b/i.test(type)],
  ["binary", () => true],
];

export function readBody(
  requestBody: UnknownObject,
  resolve: Resolve,
  taken: ReadonlySet<string>,
): ApiBody | null {
  const content = Object.entries(objectOrEmpty(requestBody.content));
  for (const [kind, isKind] of kinds) {
    const found = content.find(([type]) => isKind(type));
    if (found === undefined) continue;
    const { schema = {}, encoding } = resolve.object(found[1]);
    // `*/*` and `application/*` leave the choice to us.
    const isAny = found[0].includes("*");
    const facts = {
      mediaType: isAny ? "application/json" : found[0],
      kind: isAny ? ("json" as const) : kind,
      required: requestBody.required === true,
      description: textIn(requestBody.description),
      schema,
    };
    return withProperties(facts, objectOrEmpty(encoding), resolve, taken);
  }
  return null;
}

/** Swagger 2.0: one parameter is the body, or each is a field of a form. */
export function legacyBody(
  parameters: readonly UnknownObject[],
  consumes: readonly unknown[],
  resolve: Resolve,
  taken: ReadonlySet<string>,
): ApiBody | null {
  const types = consumes.filter((one) => typeof one === "string");
  const whole = parameters.find((one) => one.in === "body");
  if (whole) {
    const mediaType = types.find(isJson) ?? types[0] ?? "application/json";
    const kind = kinds.find(([, isKind]) => isKind(mediaType))?.[0] ?? "json";
    const facts = {
      mediaType,
      kind,
      required: whole.required === true,
      description: textIn(whole.description),
    };
    return withProperties({ ...facts, schema: whole.schema ?? {} }, {}, resolve, taken);
  }
  const fields = parameters.filter((one) => one.in === "formData");
  if (fields.length === 0) return null;
  const isMultipart =
    fields.some((one) => one.type === "file") || types.some((one) => /^multipart\//i.test(one));
  const properties = Object.fromEntries(fields.map((one) => [String(one.name), one]));
  const required = fields.filter((one) => one.required === true).map((one) => one.name);
  const encoding = Object.fromEntries(
    fields.map((one) => [
      String(one.name),
      { style: "form", explode: one.collectionFormat === "multi" },
    ]),
  );
  const facts = {
    mediaType: isMultipart ? "multipart/form-data" : "application/x-www-form-urlencoded",
    kind: isMultipart ? ("multipart" as const) : ("form" as const),
    required: required.length > 0,
    description: undefined,
    schema: { type: "object", properties, required },
  };
  return withProperties(facts, encoding, resolve, taken);
}

type Facts = Omit<ApiBody, "flat" | "properties" | "needed">;

function withProperties(
  facts: Facts,
  encoding: UnknownObject,
  resolve: Resolve,
  taken: ReadonlySet<string>,
): ApiBody {
  const { merged, isPlain } = collectOnce(facts.schema, resolve);
  const isLarge = merged.properties.size > maxFlat;
  if (isLarge && facts.kind === "json")
    return { ...facts, properties: new Map(), flat: null, needed: merged.required };
  const properties = new Map<string, Property>();
  for (const [name, schema] of merged.properties) {
    const own = resolve.object(schema);
    const inside = resolve.object(own.items);
    if (own.readOnly === true) continue;
    const holdsBytes = isBinary(own) || isBinary(inside);
    properties.set(name, {
      name,
      schema,
      isBinary: holdsBytes,
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
  const flat = isFlat ? flatten(properties, taken) : null;
  return { ...facts, properties, flat, needed: merged.required };
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
  const before = collected.get(node);
  if (before) return before;
  const merged: Merged = { properties: new Map(), required: new Set(), isOpen: false, members: 0 };
  const made = { merged, isPlain: collect(node, resolve, merged) };
  collected.set(node, made);
  return made;
}

/** The properties of an object, also of one that is put together; false where there is a choice. */
function collect(schema: unknown, resolve: Resolve, into: Merged): boolean {
  const node = resolve.object(schema);
  into.members += 1;
  if (into.members > maxMembers) return false;
  const { type, properties, required, allOf, additionalProperties } = node;
  if (
    node.nullable === true ||
    ["oneOf", "anyOf", "not", "if", "patternProperties"].some((key) => key in node)
  )
    return false;
  const isObjectType =
    type === undefined || type === "object" || (Array.isArray(type) && type.join() === "object");
  if (!isObjectType) return false;
  if (additionalProperties === true || isObject(additionalProperties)) into.isOpen = true;
  for (const [name, property] of Object.entries(objectOrEmpty(properties)))
    into.properties.set(name, property);
  for (const name of listIn(required)) if (typeof name === "string") into.required.add(name);
  return listIn(allOf).every((member) => collect(member, resolve, into));
}

/** Null where a name would mean two things. */
function flatten(
  properties: ReadonlyMap<string, Property>,
  taken: ReadonlySet<string>,
): Map<string, Property> | null {
  const flat = new Map<string, Property>();
  for (const [name, property] of properties) {
    const argument = argumentName(name);
    if (taken.has(argument) || flat.has(argument)) return null;
    flat.set(argument, property);
  }
  return flat;
}
