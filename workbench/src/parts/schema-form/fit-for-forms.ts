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
    const { const: _, type, ...rest } = schema;
    // The form cannot draw a field of type null.
    return { ...rest, ...(only === null || type === undefined ? {} : { type }), enum: [only] };
  }
  const meant = withoutNull(schema) ?? schema;
  return oneList(meant) ?? fitInside(meant, root);
}

/** A choice between constants is one list. Without a type of its own there is no field for it. */
function oneList(schema: UnknownObject): UnknownObject | null {
  const key = (["anyOf", "oneOf"] as const).find((one) => Array.isArray(schema[one]));
  const choices = key === undefined ? [] : (schema[key] as unknown[]);
  const constants = choices.flatMap((choice) => constantOf(choice) ?? []);
  const [first] = constants;
  if (key === undefined || first === undefined || constants.length !== choices.length) return null;
  const { anyOf: _, oneOf: __, ...rest } = schema;
  return { type: typeof first.const, ...rest, oneOf: constants };
}

function constantOf(choice: unknown): { const: unknown; title: string } | null {
  if (!isRecord(choice)) return null;
  const only = Array.isArray(choice.enum) && choice.enum.length === 1 ? choice.enum[0] : choice.const;
  if (!["string", "number", "boolean"].includes(typeof only)) return null;
  return { const: only, title: typeof choice.title === "string" ? choice.title : String(only) };
}

const isNull = (choice: unknown) => isRecord(choice) && (choice.type === "null" || choice.const === null);

/** `anyOf [X, null]`, as many servers write an optional argument, is one control for X; leaving it out is null. */
function withoutNull(schema: UnknownObject): UnknownObject | null {
  const key = (["anyOf", "oneOf"] as const).find((one) => Array.isArray(schema[one]) && schema[one].some(isNull));
  if (key === undefined) return null;
  const { [key]: choices, default: fallback, ...outer } = schema;
  const kept = (choices as unknown[]).filter((choice) => !isNull(choice));
  const withDefault = fallback === undefined || fallback === null ? outer : { ...outer, default: fallback };
  const [first] = kept;
  if (kept.length !== 1 || !isRecord(first)) return kept.length === 0 ? null : { ...withDefault, [key]: kept };
  const { type } = first;
  return { ...first, ...withDefault, ...(typeof type === "string" ? { type: [type, "null"] } : {}) };
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
