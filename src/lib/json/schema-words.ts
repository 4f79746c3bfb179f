import { shorten } from "../text/cut-text.ts";
import { listOf, resolveReference } from "./schema-type.ts";

type Schema = Record<string, unknown>;

/** Deeper, wider or longer than this helps no reader. */
const maxDepth = 5;
const maxAlternatives = 8;
const maxArguments = 100;
const maxTypeLength = 60;

/** What an object has, in one line: its members, and what may be chosen between. */
export function renderSignature(schema: Schema): string {
  return render(schema, { document: schema, depth: 0 }) || "no arguments";
}

type Reading = { document: Schema; depth: number };

/** The type of one of its arguments, in words. */
export function renderArgumentType(argument: unknown, document: Schema): string {
  return typeText(argument, { document, depth: 0 });
}

function render(schema: unknown, reading: Reading): string {
  const described = resolved(schema, reading);
  if (described === null || reading.depth > maxDepth) return "";
  const inner = { ...reading, depth: reading.depth + 1 };
  const required = listOf(described.required);
  const properties = isSchema(described.properties) ? described.properties : {};
  const shownProperties = Object.entries(properties).slice(0, maxArguments);
  const propertyTexts = shownProperties.map(([name, property]) => {
    const isNeeded = required.includes(name);
    return `${name} (${typeText(property, inner)}${isNeeded ? ", required" : ""})`;
  });
  const allOfTexts = listOf(described.allOf).map((part) => render(part, inner));
  const choices = [described.oneOf, described.anyOf].map((list) => renderChoice(list, inner));
  return [...propertyTexts, ...allOfTexts, ...choices].filter((part) => part !== "").join(", ");
}

/** The ways of which one is taken; those that only say what is required name it. */
function renderChoice(list: unknown, reading: Reading): string {
  const alternatives = listOf(list)
    .slice(0, maxAlternatives)
    .map((alternative) => render(alternative, reading) || requiredText(alternative))
    .filter((alternative) => alternative !== "");
  const distinct = [...new Set(alternatives)];
  if (distinct.length < 2) return distinct[0] ?? "";
  return `either ${distinct.join("; or ")}`;
}

function requiredText(schema: unknown): string {
  const names = isSchema(schema) ? listOf(schema.required) : [];
  if (names.length === 0) return "";
  return `${names.join(" and ")} (required)`;
}

function typeText(schema: unknown, reading: Reading): string {
  const described = resolved(schema, reading);
  if (described === null || reading.depth > maxDepth) return "any";
  const inner = { ...reading, depth: reading.depth + 1 };
  if ("const" in described) return shorten(JSON.stringify(described.const), maxTypeLength);
  if (described.type !== undefined) return [described.type].flat().join(" | ");
  if (Array.isArray(described.enum)) return shorten(literals(described.enum), maxTypeLength);
  const alternatives = [
    ...listOf(described.oneOf),
    ...listOf(described.anyOf),
    ...listOf(described.allOf),
  ];
  const types = alternatives
    .slice(0, maxAlternatives)
    .map((alternative) => typeText(alternative, inner));
  const knownTypes = [...new Set(types)].filter((type) => type !== "any");
  if (knownTypes.length > 0) return knownTypes.join(" | ");
  return isSchema(described.properties) ? "object" : "any";
}

function literals(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(" | ");
}

/** Behind its references; null where there is nothing. */
function resolved(schema: unknown, { document }: Reading): Schema | null {
  let described: unknown = schema;
  for (let steps = 0; steps <= maxDepth; steps += 1) {
    if (!isSchema(described)) return null;
    const reference: unknown = described.$ref;
    if (typeof reference !== "string") return described;
    described = resolveReference(document, reference);
  }
  return null;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
