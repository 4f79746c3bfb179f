import { isObject, type JsonObject } from "../../../model/json.ts";

/** Longer ones are cut: whoever needs more gets the schema. */
const longest = 300;
const maxValues = 8;
const deepest = 2;

export type Signature = { text: string; isWhole: boolean };

/** The parameters of a tool on one line: a tenth of what their schema costs, and mostly enough for a call. */
export function renderSignature(schema: JsonObject): Signature {
  const parts: string[] = [];
  let isWhole = !("oneOf" in schema || "anyOf" in schema || "allOf" in schema || "$ref" in schema);
  let length = 0;
  for (const part of members(schema, 0)) {
    length += part.text.length + 2;
    if (length > longest)
      return { text: `${parts.join(", ")}${parts.length > 0 ? ", " : ""}…`, isWhole: false };
    parts.push(part.text);
    isWhole &&= part.isWhole;
  }
  return { text: parts.join(", "), isWhole };
}

/** What a call has to have comes first. */
function members({ properties, required }: JsonObject, depth: number): Signature[] {
  if (!isObject(properties)) return [];
  const needed = new Set(Array.isArray(required) ? required : []);
  const all = Object.entries(properties).map(([name, value]) => {
    const { text, isWhole } = renderType(value, depth);
    return { isNeeded: needed.has(name), text: `${name}${needed.has(name) ? "" : "?"}: ${text}`, isWhole };
  });
  return [...all.filter(({ isNeeded }) => isNeeded), ...all.filter(({ isNeeded }) => !isNeeded)];
}

function renderType(schema: unknown, depth: number): Signature {
  if (!isObject(schema)) return { text: "any", isWhole: true };
  const { type, enum: values, items, properties } = schema;
  if ("const" in schema) return { text: JSON.stringify(schema.const), isWhole: true };
  if (Array.isArray(values)) return renderValues(values);
  if (type === "array") {
    const { text, isWhole } = renderType(items, depth);
    return { text: `${/[|]/.test(text) ? `(${text})` : text}[]`, isWhole };
  }
  if (isObject(properties)) return renderObject(schema as JsonObject, depth);
  if (Array.isArray(type)) return { text: type.join("|"), isWhole: true };
  if (typeof type === "string") return { text: type, isWhole: true };
  return {
    text: "any",
    isWhole: Object.keys(schema).every((key) => key === "description" || key === "title"),
  };
}

function renderObject(schema: JsonObject, depth: number): Signature {
  if (depth >= deepest) return { text: "object", isWhole: false };
  const inside = members(schema, depth + 1);
  return {
    text: `{${inside.map(({ text }) => text).join(", ")}}`,
    isWhole: inside.every(({ isWhole }) => isWhole),
  };
}

function renderValues(values: readonly unknown[]): Signature {
  const shown = values.slice(0, maxValues).map((value) => JSON.stringify(value));
  const isWhole = values.length <= maxValues;
  return { text: [...shown, ...(isWhole ? [] : ["…"])].join("|"), isWhole };
}
