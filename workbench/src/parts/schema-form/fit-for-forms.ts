import type { UnknownObject } from "../../../../src/model/json.ts";

/** Our format for a value of any type: one box that takes JSON. */
export const anything = "toolplane-anything";

/** Keywords that constrain a value; without any of them the value may be anything. */
const saying = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "properties", "items", "if", "not"];
const maps = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];
const lists = ["anyOf", "oneOf", "allOf"];
const schemas = ["items", "additionalProperties"];

/**
 * Rewrites a schema for forms: dangling references and untyped values become a JSON box, `const` becomes a choice, and
 * choices get names.
 */
export function fitForForms(schema: UnknownObject): UnknownObject {
  return fitInside(schema, schema);
}

function fit(schema: unknown, root: UnknownObject): unknown {
  if (schema === true) return { type: "string", format: anything };
  if (!isRecord(schema)) return schema;
  if (typeof schema.$ref === "string" && !leadsSomewhere(schema.$ref, root))
    return { ...words(schema), type: "string", format: anything };
  if (!saying.some((word) => schema[word] !== undefined) && !isRecord(schema.additionalProperties))
    return { ...words(schema), type: "string", format: anything };
  const only = schema.type === "null" ? null : schema.const;
  if (only !== undefined && schema.enum === undefined) {
    const { const: _, type: __, ...rest } = schema;
    return { ...rest, enum: [only] };
  }
  return fitInside(schema, root);
}

function fitInside(schema: UnknownObject, root: UnknownObject): UnknownObject {
  const fitted: UnknownObject = { ...schema };
  for (const key of maps) {
    const map = schema[key];
    if (isRecord(map))
      fitted[key] = Object.fromEntries(Object.entries(map).map(([name, one]) => [name, fit(one, root)]));
  }
  for (const key of schemas) if (isRecord(schema[key])) fitted[key] = fit(schema[key], root);
  for (const key of lists) {
    const list = schema[key];
    if (!Array.isArray(list)) continue;
    fitted[key] = list.map((one) => (key === "allOf" ? fit(one, root) : withName(fit(one, root), one, root)));
  }
  return fitted;
}

const words = ({ title, description, default: fallback }: UnknownObject): UnknownObject => ({
  ...(typeof title === "string" ? { title } : {}),
  ...(typeof description === "string" ? { description } : {}),
  ...(fallback === undefined ? {} : { default: fallback }),
});

/** Names a choice, instead of "Option 2". */
function withName(fitted: unknown, given: unknown, root: UnknownObject): unknown {
  if (!isRecord(fitted) || typeof fitted.title === "string") return fitted;
  const meant = isRecord(given) ? (resolve(given.$ref, root) ?? given) : {};
  if (typeof meant.title === "string") return fitted;
  return { ...fitted, title: nameOf(meant) };
}

function nameOf({ const: only, enum: choices, type, required, properties }: UnknownObject): string {
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(choices))
    return choices
      .map((choice) => JSON.stringify(choice))
      .join(", ")
      .slice(0, 60);
  const needed = Array.isArray(required) ? required : Object.keys(isRecord(properties) ? properties : {});
  if (needed.length > 0) return `with ${needed.join(", ")}`.slice(0, 60);
  if (Array.isArray(type)) return type.join(" or ");
  return typeof type === "string" ? type : "anything";
}

function leadsSomewhere(reference: string, root: UnknownObject): boolean {
  return reference === "#" || resolve(reference, root) !== undefined;
}

/** Resolves references within the document only. */
function resolve(reference: unknown, root: UnknownObject): UnknownObject | undefined {
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  const target = reference
    .slice(2)
    .split("/")
    .map((part) => decode(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((at, name) => (isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined), root);
  return isRecord(target) ? target : undefined;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isRecord(value: unknown): value is UnknownObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
