import {
  propertyName,
  renderSchemaType,
  resolveReference,
} from "@toolplane/core/lib/json/schema-type";
import { plainText } from "@toolplane/core/lib/text/plain-text";
import type { Tool } from "@toolplane/core/model/catalogue/tool";

export type TypedTool = Pick<Tool, "id" | "name" | "description" | "parameters" | "outputSchema">;
export type NamedTypes = { tool: TypedTool; input: string; output: string; text: string };

type Schema = Record<string, unknown>;

/** Objects are written out that deep. */
const maxDepth = 64;

/** `get-weather v2` is `GetWeatherV2`. */
export function pascalCase(name: string): string {
  const nameParts = name.split(/[^\p{ID_Continue}]+|_+/u).filter((part) => part !== "");
  const joined = nameParts
    .map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}`)
    .join("");
  return /^\p{ID_Start}/u.test(joined) ? joined : `Tool${joined}`;
}

/** Types of arguments and answers. Equal tools in an equal order get equal names. */
export function nameTypes(
  tools: readonly TypedTool[],
  reservedNames: readonly string[],
): NamedTypes[] {
  const used = new Set(reservedNames);
  const unique = (name: string) => {
    let free = name;
    for (let count = 2; used.has(free); count++) free = `${name}${count}`;
    used.add(free);
    return free;
  };
  return tools.map((tool) => {
    const { server, tool: toolName } = tool.id;
    const base = pascalCase(server === null ? toolName : `${server} ${toolName}`);
    const input = unique(`${base}Input`);
    const output = unique(`${base}Output`);
    const text = [
      declare(tool.parameters, input, `Arguments of \`${tool.name}\`.`, base, unique),
      declare(tool.outputSchema, output, `What \`${tool.name}\` answers as data.`, base, unique),
    ].join("\n\n");
    return { tool, input, output, text };
  });
}

/** Every tool by its name. */
export function renderToolMap(types: readonly NamedTypes[]): string {
  const rows = types.map(
    ({ tool, input, output }) =>
      `${comment(tool.description, [], "  ")}  ${propertyName(tool.name)}: { input: ${input}; output: ${output} };`,
  );
  return `/** Every tool, by its name. */\nexport type Tools = {\n${rows.join("\n")}\n};\n\nexport type ToolName = keyof Tools;`;
}

/** A type and those that it refers to. */
function declare(
  document: unknown,
  name: string,
  about: string,
  base: string,
  unique: (name: string) => string,
): string {
  const names = new Map([["#", name]]);
  const pendingTypes: [reference: string, name: string][] = [["#", name]];
  const nameOf = (reference: string) => {
    const target = resolveReference(document, reference);
    // A type that is nothing but itself has no name.
    if (target === undefined || isBareCycle(document, reference)) return undefined;
    const knownName = names.get(reference);
    if (knownName !== undefined) return knownName;
    const newName = unique(`${base}${pascalCase(reference.split("/").at(-1) ?? "")}`);
    names.set(reference, newName);
    pendingTypes.push([reference, newName]);
    return newName;
  };
  const texts: string[] = [];
  for (const [reference, typeName] of pendingTypes) {
    const target = reference === "#" ? document : resolveReference(document, reference);
    const type = renderSchemaType(target, { document, nameOf, maxDepth, comment: propertyComment });
    const note =
      reference === "#" ? `/** ${about.replaceAll("*/", "*\\/")} */\n` : commentOf(target);
    texts.push(`${note}export type ${typeName} = ${type};`);
  }
  return texts.join("\n\n");
}

/** Does following it lead back to it, with no object or list in between? */
function isBareCycle(document: unknown, reference: string): boolean {
  const visited = new Set<string>();
  const pending = bareReferences(resolveReference(document, reference));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next === reference) return true;
    if (!visited.has(next)) pending.push(...bareReferences(resolveReference(document, next)));
    visited.add(next);
  }
  return false;
}

function bareReferences(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { $ref, anyOf, oneOf, allOf } = schema as Schema;
  const inner = [anyOf, oneOf, allOf].flatMap((members) => (Array.isArray(members) ? members : []));
  const references = inner.flatMap(bareReferences);
  if (typeof $ref === "string") return [$ref, ...references];
  return references;
}

/** Keywords that a type cannot say. */
const taggedKeywords = [
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
  "contentEncoding",
  "contentMediaType",
  "default",
];

function propertyComment(schema: Schema): string {
  return commentOf(schema).trimEnd();
}

function commentOf(schema: unknown): string {
  if (typeof schema !== "object" || schema === null) return "";
  const keywords = schema as Schema;
  const tags = taggedKeywords.flatMap((key) =>
    keywords[key] === undefined ? [] : `@${key} ${JSON.stringify(keywords[key])}`,
  );
  const deprecated = keywords.deprecated === true ? ["@deprecated"] : [];
  return comment(
    typeof keywords.description === "string" ? keywords.description : "",
    [...tags, ...deprecated],
    "",
  );
}

/** A doc comment with its line break; nothing where there is nothing to say. */
export function comment(description: string, tags: readonly string[], indent: string): string {
  const lines = [...plainText(description).split("\n"), ...tags.map((tag) => plainText(tag))]
    .map((line) => line.replaceAll("*/", "*\\/").trimEnd())
    .filter((line) => line !== "");
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`).join("\n")}\n${indent} */\n`;
}
