type Schema = Record<string, unknown>;

export type TypeOptions = {
  /** Doc comments of properties; none without it. */
  comment?: (description: string) => string;
  /** How deep objects are written out; `unknown` beyond. */
  maxDepth?: number;
};

/** A JSON Schema as a TypeScript type. References within the document are written out; a type that contains itself ends in `unknown`. */
export function renderSchemaType(schema: unknown, options: TypeOptions = {}): string {
  const { comment, maxDepth = 8 } = options;

  function typeOf(given: unknown, indent: string, above: readonly unknown[]): string {
    if (!isSchema(given) || above.length > maxDepth || above.includes(given))
      return given === false ? "never" : "unknown";
    const inner = (one: unknown) => typeOf(one, indent, [...above, given]);
    if (typeof given.$ref === "string") return inner(resolve(schema, given.$ref));
    if ("const" in given) return literal(given.const);
    if (Array.isArray(given.enum)) return union(given.enum.map(literal));
    const parts = [
      ...alternatives(given).map((members) => union(members.map(inner))),
      ...listOf(given.allOf).map(inner),
      ...ownType(given, indent, above),
    ].filter((part) => part !== "unknown");
    if (parts.length === 0) return "unknown";
    return parts.length === 1 ? (parts[0] as string) : parts.map(bracketed).join(" & ");
  }

  function ownType(given: Schema, indent: string, above: readonly unknown[]): string[] {
    const types = Array.isArray(given.type) ? given.type : [given.type ?? guess(given)];
    if (types[0] === undefined) return [];
    return [union(types.map((type) => named(String(type), given, indent, [...above, given])))];
  }

  function named(type: string, given: Schema, indent: string, above: readonly unknown[]): string {
    if (type === "integer" || type === "number") return "number";
    if (type === "string" || type === "boolean" || type === "null") return type;
    if (type === "array") {
      const tuple = listOf(given.prefixItems);
      if (tuple.length > 0) return `[${tuple.map((item) => typeOf(item, indent, above)).join(", ")}]`;
      return `${bracketed(typeOf(given.items, indent, above))}[]`;
    }
    return type === "object" ? objectType(given, indent, above) : "unknown";
  }

  function objectType(given: Schema, indent: string, above: readonly unknown[]): string {
    const properties = isSchema(given.properties) ? Object.entries(given.properties) : [];
    const rest = given.additionalProperties;
    if (properties.length === 0)
      return rest === false ? "{}" : `Record<string, ${typeOf(rest ?? true, indent, above)}>`;
    const required = new Set(listOf(given.required));
    const within = `${indent}  `;
    const lines = properties.map(([name, property]) => {
      const description = isSchema(property) && typeof property.description === "string" ? property.description : "";
      const note = comment === undefined || description === "" ? "" : `${within}${comment(description)}\n`;
      const mark = required.has(name) ? "" : "?";
      return `${note}${within}${propertyName(name)}${mark}: ${typeOf(property, within, above)};`;
    });
    if (isSchema(rest)) lines.push(`${within}[name: string]: unknown;`);
    return `{\n${lines.join("\n")}\n${indent}}`;
  }

  return typeOf(schema, "", []);
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const alternatives = ({ anyOf, oneOf }: Schema) =>
  [listOf(anyOf), listOf(oneOf)].filter((members) => members.length > 0);
const union = (types: readonly string[]) => {
  const different = [...new Set(types)];
  return different.includes("unknown") ? "unknown" : different.join(" | ");
};
const bracketed = (type: string) => (/ [|&] /.test(type) ? `(${type})` : type);
const literal = (value: unknown) => (typeof value === "object" && value !== null ? "unknown" : JSON.stringify(value));

function guess(schema: Schema): string | undefined {
  if ("properties" in schema || "additionalProperties" in schema) return "object";
  return "items" in schema || "prefixItems" in schema ? "array" : undefined;
}

/** A name as it may stand before a colon or after `export const`. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** The value behind a JSON Pointer of the same document. */
function resolve(document: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  const parts = decodeURIComponent(reference.slice(1)).split("/").slice(1);
  const keys = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return keys.reduce<unknown>(
    (value, key) => (isSchema(value) || Array.isArray(value) ? Reflect.get(value, key) : undefined),
    document,
  );
}
