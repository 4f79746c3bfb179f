import { plainText } from "../../lib/plain-text.ts";
import type { ModelTool } from "../../model/chat.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";

/** Deeper than this a shape is only named. */
const deepest = 3;
/** Choices and fields that are told; of more only how many. */
const maxTold = 20;

/** A tool as it stands in a prompt: what it does, and each argument with what it takes. */
export function describeTool({ name, description, parameters }: ModelTool): string {
  const properties = isObject(parameters.properties) ? parameters.properties : {};
  const required = requiredOf(parameters);
  const lines = Object.entries(properties)
    .toSorted(([a], [b]) => Number(required.has(b)) - Number(required.has(a)))
    .map(([key, schema]) => describeArgument(key, schema, required.has(key), parameters));
  const isOpen = parameters.additionalProperties === true || isObject(parameters.additionalProperties);
  const none = isOpen ? "  Arguments: any; which, the description says." : "  No arguments.";
  const args = lines.length === 0 ? [none] : ["  Arguments:", ...lines];
  return [`- ${name}: ${indent(description, "  ")}`, ...args].join("\n");
}

function describeArgument(key: string, schema: unknown, isRequired: boolean, root: UnknownObject): string {
  const { description, default: usual } = isObject(schema) ? schema : {};
  const shape = describeShape(schema, root, 0);
  const start = `    ${oneLine(JSON.stringify(key))} (${shape}, ${isRequired ? "required" : "optional"})`;
  const fallback = usual === undefined ? "" : ` Default: ${oneLine(JSON.stringify(usual))}.`;
  const text = typeof description === "string" ? indent(description, "      ") : "";
  return text === "" && fallback === "" ? start : `${start}: ${`${text}${fallback}`.trim()}`;
}

/** A schema in few words: `string`, `list of integer`, `"a" or "b"`, `{street: string, zip?: string}`. */
function describeShape(schema: unknown, root: UnknownObject, depth: number): string {
  if (!isObject(schema)) return "anything";
  const { $ref, enum: choices, const: only, anyOf, oneOf, type, items, properties } = schema;
  if (depth > deepest) return typeof type === "string" ? kindOf(type) : "anything";
  if (typeof $ref === "string") return describeShape(resolve($ref, root), root, depth + 1);
  if (Array.isArray(choices)) return oneOfThese(choices.map((choice) => oneLine(JSON.stringify(choice))));
  if (only !== undefined) return oneLine(JSON.stringify(only));
  const ways = [anyOf, oneOf].find(Array.isArray);
  if (ways) {
    const shapes = ways.slice(0, maxTold).map((way) => describeShape(way, root, depth + 1));
    return [...new Set(shapes)].join(" or ");
  }
  if (Array.isArray(type)) return oneOfThese(type.map((one) => kindOf(String(one))));
  if (type === "array")
    return items === undefined ? "list" : `list of ${describeShape(items, root, depth + 1)}`;
  if (isObject(properties)) return describeObject(schema, properties, root, depth);
  return typeof type === "string" ? kindOf(type) : "anything";
}

function describeObject(
  schema: UnknownObject,
  properties: UnknownObject,
  root: UnknownObject,
  depth: number,
): string {
  const required = requiredOf(schema);
  const all = Object.entries(properties);
  const fields = all
    .slice(0, maxTold)
    .map(
      ([key, field]) =>
        `${oneLine(key)}${required.has(key) ? "" : "?"}: ${describeShape(field, root, depth + 1)}`,
    );
  const more = all.length > maxTold ? [`${all.length - maxTold} more`] : [];
  return `{${[...fields, ...more].join(", ")}}`;
}

function requiredOf({ required }: UnknownObject): ReadonlySet<unknown> {
  return new Set(Array.isArray(required) ? required : []);
}

/** Only what the schema itself holds; a schema that leads elsewhere says nothing here. */
function resolve(reference: string, root: UnknownObject): unknown {
  if (reference === "#") return { type: "object" };
  if (!reference.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function oneOfThese(texts: readonly string[]): string {
  const more = texts.length > maxTold ? [`${texts.length - maxTold} more`] : [];
  return [...texts.slice(0, maxTold), ...more].join(" or ");
}

function kindOf(type: string): string {
  return type === "array" ? "list" : oneLine(type);
}

/** Text of servers stays where it was put: no line of it can look like one of ours. */
function indent(text: string, by: string): string {
  return plainText(text)
    .trim()
    .replaceAll(/\s*\n\s*/g, `\n${by}  `);
}

function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, " ");
}
