type ArgumentPair = { key: string; value: string; isJson: boolean };

/** `key=text` or `key:=json`; null when it is neither. */
export function splitPair(pair: string): ArgumentPair | null {
  const [, key = "", operator, value = ""] = /^([^=]*?)(:?=)(.*)$/s.exec(pair) ?? [];
  if (key === "") return null;
  return { key, value, isJson: operator === ":=" };
}

type Schema = { readonly [key: string]: unknown };

const jsonTypes = ["integer", "number", "boolean", "null", "array", "object"];

/** Stays text where the schema allows a string, has no type, or does not match exactly. */
export function typedText(text: string, schema: unknown, root: unknown = schema): unknown {
  const types = typesOf(schema, root, 0);
  if (types === null || types.length === 0 || !types.every((type) => jsonTypes.includes(type)))
    return text;
  const value = parse(text);
  return value !== undefined && types.some((type) => isOfType(value, type)) ? value : text;
}

/** Could a schema make anything else of this text? */
export function mayBeTyped(text: string): boolean {
  const value = parse(text);
  return value !== undefined && typeof value !== "string";
}

/** For named members of an object. */
export function typedMembers<T extends Schema>(
  members: T,
  names: readonly string[],
  schema: unknown,
): T {
  const properties = propertiesOf(schema);
  const typed = names
    .filter((name) => typeof members[name] === "string" && Object.hasOwn(properties, name))
    .map((name) => [name, typedText(members[name] as string, properties[name], schema)]);
  return { ...members, ...Object.fromEntries(typed) };
}

/** Null where the schema does not say. */
export function memberTypes(schema: unknown, name: string): string[] | null {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, name)) return typesOf(properties[name], schema, 0);
  return null;
}

function propertiesOf(schema: unknown): Schema {
  return isSchema(schema) && isSchema(schema.properties) ? schema.properties : {};
}

/** Null where the schema does not say. */
function typesOf(schema: unknown, root: unknown, depth: number): string[] | null {
  if (!isSchema(schema) || depth > 8) return null;
  const { type, $ref, anyOf, oneOf, enum: choices } = schema;
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.map(String);
  if (typeof $ref === "string") return typesOf(lookUp($ref, root), root, depth + 1);
  if (Array.isArray(choices)) return choices.map(typeOf);
  const alternatives = Array.isArray(anyOf) ? anyOf : oneOf;
  if (!Array.isArray(alternatives)) return "const" in schema ? [typeOf(schema.const)] : null;
  const alternativeTypes = alternatives.map((alternative) => typesOf(alternative, root, depth + 1));
  if (alternativeTypes.every((types) => types !== null)) return alternativeTypes.flat();
  return null;
}

function lookUp(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#/")) return undefined;
  return reference
    .slice(2)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (holder, part) =>
        isSchema(holder) && Object.hasOwn(holder, part) ? holder[part] : undefined,
      root,
    );
}

/** Undefined for invalid JSON, spaces around it, or an inexact number. */
function parse(text: string): unknown {
  if (text !== text.trim()) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "number") return value;
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return typeOf(value) === type;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
