type Schema = Record<string, unknown>;

export type TypeOptions = {
  /** The doc comment of a property; none for an empty text. */
  comment?: (property: Schema) => string;
  /** The name of a type that a reference stands for; without one it is written out. */
  nameOf?: (reference: string) => string | undefined;
  /** How deep objects are written out; `unknown` beyond. */
  maxDepth?: number;
};

/** A JSON Schema as a TypeScript type. A type without a name that contains itself ends in `unknown`. */
export function renderSchemaType(
  schema: unknown,
  options: TypeOptions & { document?: unknown } = {},
): string {
  const { comment, nameOf, maxDepth = 8, document = schema } = options;

  function typeOf(subschema: unknown, indent: string, ancestors: readonly unknown[]): string {
    if (subschema === false) return "never";
    if (!isSchema(subschema) || ancestors.length > maxDepth || ancestors.includes(subschema))
      return "unknown";
    const type = plainTypeOf(subschema, indent, ancestors);
    if (subschema.nullable === true) return union([type, "null"]);
    return type;
  }

  function plainTypeOf(subschema: Schema, indent: string, ancestors: readonly unknown[]): string {
    const innerType = (inner: unknown) => typeOf(inner, indent, [...ancestors, subschema]);
    if ("const" in subschema) return literal(subschema.const);
    if (Array.isArray(subschema.enum)) return union(subschema.enum.map(literal));
    const parts = [
      ...referencedTypes(subschema.$ref, innerType),
      ...alternatives(subschema).map((members) => union(members.map(innerType))),
      ...listOf(subschema.allOf).map(innerType),
      ...declaredTypes(subschema, indent, ancestors),
    ].filter((part) => part !== "unknown");
    if (parts.length === 0) return "unknown";
    if (parts.length === 1) return parts[0] as string;
    return parts.map(bracketed).join(" & ");
  }

  function referencedTypes(reference: unknown, innerType: (schema: unknown) => string): string[] {
    if (typeof reference !== "string") return [];
    return [nameOf?.(reference) ?? innerType(resolveReference(document, reference))];
  }

  function declaredTypes(
    subschema: Schema,
    indent: string,
    ancestors: readonly unknown[],
  ): string[] {
    const types = Array.isArray(subschema.type)
      ? subschema.type
      : [subschema.type ?? guessType(subschema)];
    if (types[0] === undefined) return [];
    return [
      union(
        types.map((type) => typeNamed(String(type), subschema, indent, [...ancestors, subschema])),
      ),
    ];
  }

  function typeNamed(
    type: string,
    subschema: Schema,
    indent: string,
    ancestors: readonly unknown[],
  ): string {
    if (type === "integer" || type === "number") return "number";
    if (type === "string" || type === "boolean" || type === "null") return type;
    if (type === "array")
      return arrayType(subschema, (itemSchema) => typeOf(itemSchema, indent, ancestors));
    if (type === "object") return objectType(subschema, indent, ancestors);
    return "unknown";
  }

  function objectType(subschema: Schema, indent: string, ancestors: readonly unknown[]): string {
    const properties = isSchema(subschema.properties) ? Object.entries(subschema.properties) : [];
    const additional = subschema.additionalProperties;
    const isOpen =
      isSchema(additional) || additional === true || isSchema(subschema.patternProperties);
    if (properties.length === 0 && additional === false && !isOpen) return "{}";
    if (properties.length === 0) {
      const value = typeOf(additional ?? true, indent, ancestors);
      // A type may refer to itself in a signature, and not in `Record`.
      if (nameOf === undefined || value === "unknown") return `Record<string, ${value}>`;
      return `{\n${indent}  [name: string]: ${value};\n${indent}}`;
    }
    const required = new Set(listOf(subschema.required));
    const within = `${indent}  `;
    const lines = properties.map(([name, property]) => {
      const text = comment === undefined || !isSchema(property) ? "" : comment(property);
      const note = text === "" ? "" : `${text.replaceAll(/^/gm, within)}\n`;
      const mark = required.has(name) ? "" : "?";
      return `${note}${within}${propertyName(name)}${mark}: ${typeOf(property, within, ancestors)};`;
    });
    if (isOpen) lines.push(`${within}[name: string]: unknown;`);
    return `{\n${lines.join("\n")}\n${indent}}`;
  }

  return typeOf(schema, "", []);
}

/** A list; with a type for each place, and one for those that follow, a tuple. */
function arrayType(
  { prefixItems, items }: Schema,
  typeOf: (itemSchema: unknown) => string,
): string {
  const itemTypes = listOf(prefixItems ?? items).map(typeOf);
  const restType = isSchema(items) ? `${bracketed(typeOf(items))}[]` : null;
  if (itemTypes.length === 0) return restType ?? "unknown[]";
  if (restType !== null) itemTypes.push(`...${restType}`);
  return `[${itemTypes.join(", ")}]`;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const alternatives = ({ anyOf, oneOf }: Schema) =>
  [listOf(anyOf), listOf(oneOf)].filter((members) => members.length > 0);
const union = (types: readonly string[]) => {
  const different = [...new Set(types)];
  if (different.includes("unknown")) return "unknown";
  return different.join(" | ") || "never";
};
const bracketed = (type: string) => (/ [|&] /.test(type) ? `(${type})` : type);
/** JSON is also the spelling of its own type. */
const literal = (value: unknown) => JSON.stringify(value) ?? "unknown";

function guessType(schema: Schema): string | undefined {
  if ("properties" in schema || "additionalProperties" in schema) return "object";
  if ("items" in schema || "prefixItems" in schema) return "array";
  return undefined;
}

/** A name as it may stand before a colon or after `export const`. */
export function propertyName(name: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(name)) return name;
  return JSON.stringify(name);
}

/** Of a keyword, which may be anything. */
export function listOf(keyword: unknown): unknown[] {
  return Array.isArray(keyword) ? keyword : [];
}

/** The value behind a JSON Pointer of the same document. */
export function resolveReference(document: unknown, reference: string): unknown {
  if (!/^#(\/|$)/.test(reference)) return undefined;
  const parts = decoded(reference.slice(1)).split("/").slice(1);
  const keys = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return keys.reduce(memberOf, document);
}

function memberOf(holder: unknown, key: string): unknown {
  if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, key))
    return undefined;
  return Reflect.get(holder, key);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
