import { configSchema } from "../src/config/schemas.ts";
import { isObject, type JsonObject, type UnknownObject } from "../src/model/json.ts";

/** docs/config.md: every key of the native configuration, from its schema. */
export function renderConfigDocs(): string {
  const schema = configSchema();
  const sections = Object.entries(schema.properties as UnknownObject).map(([name, inner]) =>
    renderSection(name, inner as JsonObject),
  );
  return `# Configuration keys

Generated from the schema by \`npm run docs\`. How configuration works is described in [configuration.md](configuration.md);
\`toolplane config schema\` prints the schema itself, which is also
[toolplane.schema.json](../toolplane.schema.json).

${sections.join("\n\n")}
`;
}

function renderSection(name: string, schema: JsonObject): string {
  const inner = isObject(schema.additionalProperties) ? (schema.additionalProperties as JsonObject) : schema;
  const rows = name === "tools" ? [] : rowsOf(inner, "");
  const place = inner === schema ? "" : ".NAME";
  const table =
    rows.length === 0 ? "" : `\n\n| key | type | default | means |\n| --- | --- | --- | --- |\n${rows.join("\n")}`;
  return `## \`${name}${place}\`\n\n${schema.description}${table}`;
}

function rowsOf(schema: JsonObject, prefix: string): string[] {
  return Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(([name, value]) => {
    const inner = value as JsonObject;
    const items = isObject(inner.items) ? (inner.items as JsonObject) : {};
    const row = `| \`${prefix}${name}\` | ${typeOf(inner)} | ${defaultOf(inner)} | ${inner.description} |`;
    return [row, ...rowsOf(inner, `${prefix}${name}.`), ...rowsOf(items, `${prefix}${name}[].`)];
  });
}

function typeOf(schema: JsonObject): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map((inner) => typeOf(inner as JsonObject)).join(" or ");
  if (schema.type === "array")
    return `list of ${isObject(schema.items) ? typeOf(schema.items as JsonObject) : "values"}`;
  return schema.type === "string" ? "text" : String(schema.type ?? "any");
}

function defaultOf(schema: JsonObject): string {
  return schema.default === undefined || isObject(schema.default) ? "" : `\`${JSON.stringify(schema.default)}\``;
}
