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
const maxDescriptionLength = 1_000;

const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const scalars = new Set(["string", "number", "integer", "boolean"]);
/** How many of the copied keywords come first and are only for readers. */
const proseKeywords = 3;
const copiedKeywords = [
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
const schemaKeywords = [
  "items",
  "additionalProperties",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
];
const listKeywords = ["allOf", "anyOf", "oneOf", "prefixItems"];
const mapKeywords = ["patternProperties", "dependentSchemas"];
/** With one of these a component is more than a simple value. */
const composingKeywords = ["$ref", "properties", "items", ...listKeywords];

export type Schemas = ReturnType<typeof createSchemas>;

/** Schemas of any dialect as JSON Schema 2020-12. References stay references, so that no document grows by being read. */
export function createSchemas(dialect: ApiVersion, resolve: Resolve) {
  const components = new Map<string, Component>();
  const names = new Map<string, string>();
  const takenNames = new Set<string>();

  function nameOf(pointer: string): string {
    const previousName = names.get(pointer);
    if (previousName !== undefined) return previousName;
    // Without the underscores in front no name can be that of a prototype.
    const segment = (pointer.split("/").at(-1) ?? "")
      .replaceAll(/[^\w.-]+/g, "_")
      .replace(/^_+/, "");
    const plainName = segment.slice(0, 80) || "schema";
    let name = plainName;
    for (let count = 2; takenNames.has(name); count += 1) name = `${plainName}_${count}`;
    takenNames.add(name);
    names.set(pointer, name);
    return name;
  }

  function convert(node: unknown, conversion: Conversion, depth: number): Schema {
    if (typeof node === "boolean") return node;
    conversion.nodes += 1 + (isObject(node) && Array.isArray(node.enum) ? node.enum.length : 0);
    if (!isObject(node) || depth > maxDepth || conversion.nodes > maxNodes) return {};
    if (typeof node.$ref === "string") return convertReference(node.$ref, node, conversion, depth);
    return asNullable(node, convertNode(node, conversion, depth));
  }

  function convertReference(
    reference: string,
    node: UnknownObject,
    conversion: Conversion,
    depth: number,
  ): Schema {
    const target = resolve.target(reference);
    const description: JsonObject = {};
    if (typeof node.description === "string" && conversion.direction === "input")
      description.description = cutText(node.description, maxDescriptionLength);
    if (target === null || !isObject(target.value)) return description;
    // A simple value is plainer in its place than behind a name.
    if (isSimple(target.value)) {
      const simple = convert(target.value, conversion, depth + 1);
      if (typeof simple === "boolean") return simple;
      return { ...simple, ...description };
    }
    conversion.references.add(target.pointer);
    return { $ref: `#/$defs/${nameOf(target.pointer)}`, ...description };
  }

  function convertNode(node: UnknownObject, conversion: Conversion, depth: number): JsonObject {
    const schema: JsonObject = {};
    const type = typesOf(node);
    if (type !== undefined) schema.type = type;
    // What an answer means is said by its names; repeated in a thousand tools, more words cost seconds.
    const isOutput = conversion.direction === "output";
    for (const key of isOutput ? copiedKeywords.slice(proseKeywords) : copiedKeywords)
      if (node[key] !== undefined) copyKeyword(schema, key, node[key] as Json);
    if (Array.isArray(node.enum) && node.enum.length > 0) schema.enum = node.enum as Json[];
    if (!isOutput) addExamples(schema, node);
    addBounds(schema, node);
    addBinary(schema, node);
    const convertInner = (inner: unknown) => convert(inner, conversion, depth + 1) as Json;
    for (const key of schemaKeywords)
      if (isObject(node[key]) || typeof node[key] === "boolean")
        schema[key] = convertInner(node[key]);
    for (const key of listKeywords) {
      const members = node[key];
      if (Array.isArray(members) && members.length > 0) schema[key] = members.map(convertInner);
    }
    for (const key of mapKeywords) {
      const members = node[key];
      if (isObject(members)) schema[key] = mapObject(members, convertInner);
    }
    addProperties(schema, node, conversion.direction, convertInner);
    return schema;
  }

  function componentAt(pointer: string, direction: Direction): Component {
    const key = `${direction} ${pointer}`;
    const previous = components.get(key);
    if (previous) return previous;
    const conversion: Conversion = { direction, references: new Set(), nodes: 0 };
    const schema = convert(resolve.target(pointer)?.value, conversion, 0);
    const { references, nodes } = conversion;
    const component = { schema, references, nodes, outline: outline(schema) };
    components.set(key, component);
    return component;
  }

  return {
    /** One part of a schema that `finish` completes. */
    begin(direction: Direction): { convert(node: unknown): Schema; conversion: Conversion } {
      const conversion: Conversion = { direction, references: new Set(), nodes: 0 };
      return { conversion, convert: (node) => convert(node, conversion, 0) };
    },
    /** Adds what is referred to, the nearest first; of what exceeds the budget only the outline is left. */
    finish(schema: JsonObject, { direction, references }: Conversion, budget: number): JsonObject {
      const pointers = new Set(references);
      const pointersInComponents = new Set<string>();
      const definitions: JsonObject = {};
      let nodesLeft = budget;
      // The set grows while it is walked.
      for (const pointer of pointers) {
        const component = componentAt(pointer, direction);
        if (component.nodes > nodesLeft) {
          definitions[nameOf(pointer)] = references.has(pointer) ? component.outline : {};
          continue;
        }
        nodesLeft -= component.nodes;
        for (const inner of component.references) {
          pointersInComponents.add(inner);
          pointers.add(inner);
        }
        definitions[nameOf(pointer)] = component.schema as Json;
      }
      if (typeof schema.$ref !== "string")
        return pointers.size === 0 ? schema : { ...schema, $defs: definitions };
      // Clients want to see at once that it is an object.
      const [rootPointer = ""] = references;
      const { [nameOf(rootPointer)]: root, ...definitionsBesideRoot } = definitions;
      const $defs = pointersInComponents.has(rootPointer) ? definitions : definitionsBesideRoot;
      const inlined: JsonObject = isObject(root) ? { ...(root as JsonObject) } : {};
      if (Object.keys($defs).length > 0) inlined.$defs = $defs;
      return inlined;
    },
  };

  function typesOf({ type }: UnknownObject): Json | undefined {
    if (type === "file") return "string";
    const typeNames = [type].flat().filter((name) => types.has(String(name))) as string[];
    if (typeNames.length === 0) return undefined;
    if (typeNames.length === 1) return typeNames[0] as string;
    return [...new Set(typeNames)];
  }

  function asNullable(node: UnknownObject, schema: JsonObject): JsonObject {
    if (!isNullable(node)) return schema;
    const { type, enum: allowed, ...keywords } = schema;
    if (type === undefined) return { anyOf: [schema, { type: "null" }] };
    const typeNames = [type].flat();
    const nullable: JsonObject = {
      ...keywords,
      type: [...typeNames.filter((name) => name !== "null"), "null"],
    };
    if (allowed !== undefined)
      nullable.enum = [...(allowed as Json[]).filter((member) => member !== null), null];
    return nullable;
  }

  function isNullable(node: UnknownObject): boolean {
    if (dialect === "3.0") return node.nullable === true;
    return dialect === "2.0" && node["x-nullable"] === true;
  }
}

function isSimple(node: UnknownObject): boolean {
  return (
    typeof node.type === "string" &&
    scalars.has(node.type) &&
    !composingKeywords.some((key) => key in node) &&
    !hasLargeParts(node)
  );
}

const maxOutlined = 40;

/** The names and types of its properties. */
function outline(schema: Schema): JsonObject {
  if (typeof schema === "boolean" || !isObject(schema.properties)) return {};
  const properties = Object.entries(schema.properties as Record<string, JsonObject>).slice(
    0,
    maxOutlined,
  );
  const outlined = properties.map(([name, { type }]) => [name, type === undefined ? {} : { type }]);
  return { type: "object", properties: Object.fromEntries(outlined) };
}

/** Values in a schema that are larger are not repeated in each of the operations that share it. */
const maxValues = 100;
const maxValueCharacters = 2_000;
const sizes = new WeakMap<object, number>();

function charactersOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  const cachedSize = sizes.get(value);
  if (cachedSize !== undefined) return cachedSize;
  const size = JSON.stringify(value).length;
  sizes.set(value, size);
  return size;
}

function hasLargeParts({ enum: values, ...keywords }: UnknownObject): boolean {
  if (Array.isArray(values) && values.length > maxValues) return true;
  return copiedKeywords
    .slice(proseKeywords)
    .some((key) => charactersOf(keywords[key]) > maxValueCharacters);
}

function copyKeyword(schema: JsonObject, key: string, value: Json): void {
  if (key === "default" && charactersOf(value) > maxValueCharacters) return;
  if (key === "pattern" && !(typeof value === "string" && isPattern(value))) return;
  if ((key === "description" || key === "title") && typeof value !== "string") return;
  schema[key] =
    typeof value === "string" && key === "description"
      ? cutText(value, maxDescriptionLength)
      : value;
}

function addExamples(schema: JsonObject, { example, examples }: UnknownObject): void {
  const simple = examplesOf(example, examples)
    .filter((sample) => typeof sample !== "object" && String(sample).length <= 200)
    .slice(0, 3);
  if (simple.length > 0) schema.examples = simple as Json[];
}

function examplesOf(example: unknown, examples: unknown): unknown[] {
  if (Array.isArray(examples)) return examples;
  return example === undefined ? [] : [example];
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
  convert: (value: unknown) => Json,
): void {
  const hiddenBy = direction === "input" ? "readOnly" : "writeOnly";
  const hidden = new Set<unknown>();
  if (isObject(properties)) {
    for (const [name, property] of Object.entries(properties))
      if (isObject(property) && property[hiddenBy] === true) hidden.add(name);
    const shown = Object.entries(properties).filter(([name]) => !hidden.has(name));
    schema.properties = mapObject(Object.fromEntries(shown), convert);
    schema.type ??= "object";
  }
  if (!Array.isArray(required)) return;
  const names = required.filter((name) => typeof name === "string" && !hidden.has(name));
  if (names.length > 0) schema.required = names as string[];
}

function mapObject(members: UnknownObject, convert: (value: unknown) => Json): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, convert(member)]),
  );
}
