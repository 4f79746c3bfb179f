import { cutText } from "@toolplane/core/lib/text/cut-text";
import { isPattern } from "@toolplane/core/lib/text/safe-pattern";
import {
  isObject,
  type Json,
  type JsonObject,
  type UnknownObject,
} from "@toolplane/core/model/json";
import type { ApiVersion, Resolve } from "./document.ts";

/** What callers give lacks what only the API sets, and the other way round. */
export type Direction = "input" | "output";

type Schema = JsonObject | boolean;

/** Converted once, however many operations use it. */
type Component = {
  schema: Schema;
  references: ReadonlySet<string>;
  nodes: number;
  outline: JsonObject;
};

type Conversion = { direction: Direction; references: Set<string>; nodes: number };

const maxDepth = 24;
const maxNodes = 5_000;
const maxText = 1_000;

const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const scalars = new Set(["string", "number", "integer", "boolean"]);
/** How many of the copied keywords come first and are only for readers. */
const prose = 3;
const copied = [
  "title",
  "description",
  "default",
  "const",
  "format",
  "pattern",
  "multipleOf",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "deprecated",
  "minContains",
  "maxContains",
  "dependentRequired",
  "contentMediaType",
  "contentEncoding",
];
const nested = [
  "items",
  "additionalProperties",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
];
const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
const maps = ["patternProperties", "dependentSchemas"];
/** With one of these a component is more than a simple value. */
const composed = ["$ref", "properties", "items", ...lists];

export type Schemas = ReturnType<typeof createSchemas>;

/** Schemas of any dialect as JSON Schema 2020-12. References stay references, so that no document grows by being read. */
export function createSchemas(dialect: ApiVersion, resolve: Resolve) {
  const components = new Map<string, Component>();
  const names = new Map<string, string>();
  const taken = new Set<string>();

  function nameOf(pointer: string): string {
    const known = names.get(pointer);
    if (known !== undefined) return known;
    // Without the underscores in front no name can be that of a prototype.
    const last = (pointer.split("/").at(-1) ?? "").replaceAll(/[^\w.-]+/g, "_").replace(/^_+/, "");
    const plain = last.slice(0, 80) || "schema";
    let name = plain;
    for (let count = 2; taken.has(name); count += 1) name = `${plain}_${count}`;
    taken.add(name);
    names.set(pointer, name);
    return name;
  }

  function convert(node: unknown, into: Conversion, depth: number): Schema {
    if (typeof node === "boolean") return node;
    into.nodes += 1 + (isObject(node) && Array.isArray(node.enum) ? node.enum.length : 0);
    if (!isObject(node) || depth > maxDepth || into.nodes > maxNodes) return {};
    if (typeof node.$ref === "string") return convertReference(node.$ref, node, into, depth);
    return asNullable(node, convertOwn(node, into, depth));
  }

  function convertReference(
    reference: string,
    node: UnknownObject,
    into: Conversion,
    depth: number,
  ): Schema {
    const found = resolve.target(reference);
    const said =
      typeof node.description === "string" && into.direction === "input"
        ? { description: cutText(node.description, maxText) }
        : {};
    if (found === null || !isObject(found.value)) return said;
    // A simple value is plainer in its place than behind a name.
    const { type } = found.value;
    if (
      typeof type === "string" &&
      scalars.has(type) &&
      !composed.some((key) => key in (found.value as object)) &&
      !hasLargeParts(found.value)
    ) {
      const simple = convert(found.value, into, depth + 1);
      return typeof simple === "boolean" ? simple : { ...simple, ...said };
    }
    into.references.add(found.pointer);
    return { $ref: `#/$defs/${nameOf(found.pointer)}`, ...said };
  }

  function convertOwn(node: UnknownObject, into: Conversion, depth: number): JsonObject {
    const schema: JsonObject = {};
    const type = typesOf(node);
    if (type !== undefined) schema.type = type;
    // What an answer means is said by its names; repeated in a thousand tools, more words cost seconds.
    const isOutput = into.direction === "output";
    for (const key of isOutput ? copied.slice(prose) : copied)
      if (node[key] !== undefined) copyKeyword(schema, key, node[key] as Json);
    if (Array.isArray(node.enum) && node.enum.length > 0) schema.enum = node.enum as Json[];
    if (!isOutput) addExamples(schema, node);
    addBounds(schema, node);
    addBinary(schema, node);
    const inner = (value: unknown) => convert(value, into, depth + 1) as Json;
    for (const key of nested)
      if (isObject(node[key]) || typeof node[key] === "boolean") schema[key] = inner(node[key]);
    for (const key of lists) {
      const members = node[key];
      if (Array.isArray(members) && members.length > 0) schema[key] = members.map(inner);
    }
    for (const key of maps) {
      const members = node[key];
      if (isObject(members)) schema[key] = mapObject(members, inner);
    }
    addProperties(schema, node, into.direction, inner);
    return schema;
  }

  function component(pointer: string, direction: Direction): Component {
    const key = `${direction} ${pointer}`;
    const known = components.get(key);
    if (known) return known;
    const into: Conversion = { direction, references: new Set(), nodes: 0 };
    const schema = convert(resolve.target(pointer)?.value, into, 0);
    const { references, nodes } = into;
    const made = { schema, references, nodes, outline: outline(schema) };
    components.set(key, made);
    return made;
  }

  return {
    /** One part of a schema that `finish` completes. */
    begin(direction: Direction): { convert(node: unknown): Schema; conversion: Conversion } {
      const conversion: Conversion = { direction, references: new Set(), nodes: 0 };
      return { conversion, convert: (node) => convert(node, conversion, 0) };
    },
    /** Adds what is referred to, the nearest first; of what exceeds the budget only the outline is left. */
    finish(schema: JsonObject, { direction, references }: Conversion, budget: number): JsonObject {
      const found = new Set(references);
      const inside = new Set<string>();
      const defined: JsonObject = {};
      let left = budget;
      // The set grows while it is walked.
      for (const pointer of found) {
        const inner = component(pointer, direction);
        const { references: further, nodes } = inner;
        const isTooMuch = nodes > left;
        if (!isTooMuch) {
          left -= nodes;
          for (const one of further) inside.add(one) && found.add(one);
        }
        const brief = references.has(pointer) ? inner.outline : {};
        defined[nameOf(pointer)] = isTooMuch ? brief : (inner.schema as Json);
      }
      if (typeof schema.$ref !== "string")
        return found.size === 0 ? schema : { ...schema, $defs: defined };
      // Clients want to see at once that it is an object.
      const [root = ""] = references;
      const name = nameOf(root);
      const { [name]: first, ...others } = defined;
      const rest = inside.has(root) ? defined : others;
      return {
        ...(isObject(first) ? (first as JsonObject) : {}),
        ...(Object.keys(rest).length > 0 && { $defs: rest }),
      };
    },
  };

  function typesOf({ type }: UnknownObject): Json | undefined {
    if (type === "file") return "string";
    const given = (Array.isArray(type) ? type : [type]).filter((one) =>
      types.has(String(one)),
    ) as string[];
    if (given.length === 0) return undefined;
    return given.length === 1 ? (given[0] as string) : [...new Set(given)];
  }

  function asNullable(node: UnknownObject, schema: JsonObject): JsonObject {
    const isNullable =
      dialect === "3.0" ? node.nullable === true : dialect === "2.0" && node["x-nullable"] === true;
    if (!isNullable) return schema;
    const { type, enum: allowed, ...rest } = schema;
    if (type === undefined) return { anyOf: [schema, { type: "null" }] };
    const given = Array.isArray(type) ? type : [type];
    const values =
      allowed === undefined
        ? {}
        : { enum: [...(allowed as Json[]).filter((one) => one !== null), null] };
    return { ...rest, type: [...given.filter((one) => one !== "null"), "null"], ...values };
  }
}

const maxOutlined = 40;

/** The names and types of its properties. */
function outline(schema: Schema): JsonObject {
  if (typeof schema === "boolean" || !isObject(schema.properties)) return {};
  const properties = Object.entries(schema.properties as Record<string, JsonObject>).slice(
    0,
    maxOutlined,
  );
  const shown = properties.map(([name, { type }]) => [name, type === undefined ? {} : { type }]);
  return { type: "object", properties: Object.fromEntries(shown) };
}

/** Values in a schema that are larger are not repeated in each of the operations that share it. */
const maxValues = 100;
const maxValueCharacters = 2_000;
const sizes = new WeakMap<object, number>();

function charactersOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  const before = sizes.get(value);
  if (before !== undefined) return before;
  const size = JSON.stringify(value).length;
  sizes.set(value, size);
  return size;
}

function hasLargeParts({ enum: values, ...keywords }: UnknownObject): boolean {
  if (Array.isArray(values) && values.length > maxValues) return true;
  return copied.slice(prose).some((key) => charactersOf(keywords[key]) > maxValueCharacters);
}

function copyKeyword(schema: JsonObject, key: string, value: Json): void {
  if (key === "default" && charactersOf(value) > maxValueCharacters) return;
  if (key === "pattern" && !(typeof value === "string" && isPattern(value))) return;
  if ((key === "description" || key === "title") && typeof value !== "string") return;
  schema[key] =
    typeof value === "string" && key === "description" ? cutText(value, maxText) : value;
}

function addExamples(schema: JsonObject, { example, examples }: UnknownObject): void {
  const given = Array.isArray(examples) ? examples : example === undefined ? [] : [example];
  const simple = given
    .filter((one) => typeof one !== "object" && String(one).length <= 200)
    .slice(0, 3);
  if (simple.length > 0) schema.examples = simple as Json[];
}

/** Before 3.1 an exclusive bound was a flag beside the bound. */
function addBounds(schema: JsonObject, node: UnknownObject): void {
  for (const [flag, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (typeof node[flag] === "number") schema[flag] = node[flag];
    else if (node[flag] === true && typeof node[bound] === "number") {
      schema[flag] = node[bound];
      delete schema[bound];
    }
  }
}

/** Is this a file or other bytes, which travel as base64? */
export function isBinary({
  type,
  format,
  contentEncoding,
  contentMediaType,
}: UnknownObject): boolean {
  if (type === "file" || format === "binary") return true;
  const isText =
    type === undefined || type === "string" || (Array.isArray(type) && type.includes("string"));
  return (
    isText &&
    contentEncoding === undefined &&
    typeof contentMediaType === "string" &&
    !isTextType(contentMediaType)
  );
}

export function isJson(mediaType: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(mediaType);
}

export function isTextType(mediaType: string): boolean {
  return /^text\/|[/+](json|xml|yaml|x-yaml|csv|javascript|x-www-form-urlencoded|graphql|x-ndjson)\b/i.test(
    mediaType,
  );
}

function addBinary(schema: JsonObject, node: UnknownObject): void {
  if (!isBinary(node) && node.format !== "byte") return;
  delete schema.format;
  schema.contentEncoding = "base64";
  if (schema.type === undefined) schema.type = "string";
}

function addProperties(
  schema: JsonObject,
  { properties, required }: UnknownObject,
  direction: Direction,
  inner: (value: unknown) => Json,
): void {
  const hiddenBy = direction === "input" ? "readOnly" : "writeOnly";
  const hidden = new Set<unknown>();
  if (isObject(properties)) {
    for (const [name, property] of Object.entries(properties))
      if (isObject(property) && property[hiddenBy] === true) hidden.add(name);
    const shown = Object.entries(properties).filter(([name]) => !hidden.has(name));
    schema.properties = mapObject(Object.fromEntries(shown), inner);
    schema.type ??= "object";
  }
  const names = Array.isArray(required)
    ? required.filter((one) => typeof one === "string" && !hidden.has(one))
    : [];
  if (names.length > 0) schema.required = names as string[];
}

function mapObject(members: UnknownObject, inner: (value: unknown) => Json): JsonObject {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, inner(value)]));
}
