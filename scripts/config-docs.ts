import { configSchema } from "../src/config/schemas.ts";
import { isObject, type JsonObject, type UnknownObject } from "../src/model/json.ts";

const start = "<!-- Generated from the schema by npm run docs. -->\n";

/** docs/configuration.md: what people wrote, and every key of the native configuration, from its schema. */
export function renderConfigDocs(page: string): string {
  const schema = configSchema();
  const seen: Seen = new Map();
  const sections = Object.entries(schema.properties as UnknownObject).map(([name, inner]) =>
    renderSection(name, inner as JsonObject, seen),
  );
  return `${page.split(start)[0]}${start}\n${sections.join("\n\n")}\n`;
}

function renderSection(name: string, schema: JsonObject, seen: Seen): string {
  const inner = isObject(schema.additionalProperties)
    ? (schema.additionalProperties as JsonObject)
    : schema;
  const place = inner === schema ? "" : ".NAME";
  const rows =
    name === "tools" ? [] : rowsOf(inner, { section: `${name}${place}`, prefix: "" }, seen);
  const list = rows.length === 0 ? "" : `\n\n${rows.join("\n")}`;
  return `### \`${name}${place}\`\n\n${descriptionOf(schema, name)}${list}`;
}

type Seen = Map<string, { key: string; properties: Properties }>;
type Properties = Record<string, JsonObject>;

type Place = { section: string; prefix: string };

/** What the same keys mean, such as those of hooks, is said once. */
function rowsOf(schema: JsonObject, { section, prefix }: Place, seen: Seen): string[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, inner]) => {
    const key = `${prefix}${name}`;
    const isList = isObject(inner.items);
    const held = (isList ? inner.items : inner) as JsonObject;
    const about = Array.isArray(inner.enum)
      ? choicesOf(inner.enum, inner.default)
      : typeAndDefault(inner);
    const row = `- \`${key}\`${about === "" ? "" : ` (${about})`}: ${descriptionOf(inner, `${section}.${key}`)}`;
    const names = Object.keys(propertiesOf(held));
    const first = names.length > 2 ? seen.get(names.join()) : undefined;
    if (first !== undefined)
      return [`${row} Keys as of \`${first.key}\`${differences(first.properties, held)}.`];
    seen.set(names.join(), { key: `${section}.${key}`, properties: propertiesOf(held) });
    return [row, ...rowsOf(held, { section, prefix: `${key}${isList ? "[]" : ""}.` }, seen)];
  });
}

function descriptionOf({ description }: JsonObject, key: string): string {
  if (typeof description === "string") return description;
  const plainKey = key.replace(".NAME", "").replaceAll("[]", "");
  throw new Error(`'${plainKey}' has no description. Write it in src/config/descriptions.ts.`);
}

/** A default of one of these shows the type. */
const shownTypes = new Set(["boolean", "integer", "list"]);

function typeAndDefault(schema: JsonObject): string {
  const [type, usual] = [typeOf(schema), defaultOf(schema)];
  return (usual !== "" && shownTypes.has(type) ? [usual] : [type, usual])
    .filter(Boolean)
    .join(", ");
}

const choicesOf = (values: readonly unknown[], usual: unknown) =>
  values.map((value) => `\`${value}\`${value === usual ? " by default" : ""}`).join(", ");

const propertiesOf = (schema: JsonObject) =>
  (isObject(schema.properties) ? schema.properties : {}) as Properties;

function differences(first: Properties, schema: JsonObject): string {
  const differing = Object.entries(propertiesOf(schema)).filter(
    ([name, { description }]) => description !== first[name]?.description,
  );
  return differing
    .map(([name, { description }]) => `; \`${name}\`: ${`${description}`.replace(/\.$/, "")}`)
    .join("");
}

/** Text is what most are, and an object shows its keys. */
function typeOf(schema: JsonObject): string {
  const name = nameOfType(schema);
  return ["text", "object", "any"].includes(name) ? "" : name;
}

function nameOfType(schema: JsonObject): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (Array.isArray(schema.anyOf))
    return schema.anyOf.map((inner) => nameOfType(inner as JsonObject)).join(" or ");
  if (schema.type === "array")
    return listOf(isObject(schema.items) ? (schema.items as JsonObject) : {});
  return schema.type === "string"
    ? "text"
    : String(schema.type ?? "any").replace("string,null", "text or null");
}

function listOf(items: JsonObject): string {
  const name = nameOfType(items);
  return ["text", "object", "any"].includes(name) ? "list" : `list of ${name}`;
}

function defaultOf(schema: JsonObject): string {
  return schema.default === undefined || isObject(schema.default)
    ? ""
    : `\`${JSON.stringify(schema.default)}\``;
}
