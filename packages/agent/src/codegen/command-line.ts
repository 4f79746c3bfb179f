import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { resolveReference } from "@toolplane/core/lib/json/schema-type";
import { plainText } from "@toolplane/core/lib/text/plain-text";
import { errorTable } from "@toolplane/core/model/errors";
import { readWordsText, runText } from "./command-line-text.ts";
import { callOverHttpText, outcomeTypesText } from "./runtime.ts";
import type { TypedTool } from "./tool-types.ts";

type Schema = Record<string, unknown>;

/** Flags of every command; an argument of the same name is `--arg-NAME`. */
const ownFlags = new Set(["args", "json", "timeout", "url", "config", "yes", "help"]);
const maxAbout = 200;
/** A chain of references that is longer leads nowhere. */
const maxReferences = 20;

/** One program for one server: a command for each tool, a flag for each argument. */
export function renderCommandProgram(program: string, tools: readonly TypedTool[]): string {
  const commands = tools.map(({ id, name, description, parameters }) => ({
    command: id.tool,
    tool: name,
    about: oneLine(description),
    flags: flagsOf(parameters),
  }));
  const exits = Object.entries(errorTable).map(([code, { exit }]) => [code, exit]);
  return [
    outcomeTypesText,
    callOverHttpText,
    readWordsText,
    `const program = ${JSON.stringify(program)};`,
    `/** 1 tool error, 2 usage, 3 refused or needs approval, 4 timeout or unavailable. */
const exitCodes: Readonly<Record<string, number>> = ${JSON.stringify(Object.fromEntries(exits), null, 2)};`,
    `const commands: readonly Command[] = ${JSON.stringify(commands, null, 2)};`,
    runText,
  ].join("\n\n");
}

function flagsOf(parameters: Schema): object[] {
  const properties = isSchema(parameters.properties) ? Object.entries(parameters.properties) : [];
  const required: unknown[] = Array.isArray(parameters.required) ? parameters.required : [];
  const used = new Set<string>();
  return properties.map(([name, property]) => {
    const kebabName = kebab(name);
    const preferredFlag =
      ownFlags.has(kebabName) || kebabName.startsWith("no-") ? `arg-${kebabName}` : kebabName;
    const flag = used.has(preferredFlag) || preferredFlag === "" ? name : preferredFlag;
    used.add(flag);
    const { schema, nullable } = withoutNull(property, parameters);
    const items = schema.type === "array" ? withoutNull(schema.items, parameters).schema : null;
    const isList = items !== null && kindOf(items) !== "json";
    const valueSchema = items !== null && isList ? items : schema;
    const values = allowedValuesOf(valueSchema);
    const isPlain = values?.every((value) => typeof value !== "object") ?? false;
    const about = [schema.description, isSchema(property) ? property.description : ""].find(
      (text) => typeof text === "string",
    );
    return {
      flag,
      name,
      kind: kindOf(valueSchema),
      list: isList,
      nullable,
      required: required.includes(name),
      about: [oneLine(String(about ?? "")), notesOf(schema)].filter(Boolean).join(" "),
      ...withoutUndefined({ values: isPlain ? values : undefined }),
    };
  });
}

/** What help tells beside the description. */
function notesOf({ format, default: defaultValue }: Schema): string {
  const notes: string[] = [];
  if (typeof format === "string") notes.push(format);
  if (defaultValue !== undefined) notes.push(`default ${JSON.stringify(defaultValue)}`);
  if (notes.length === 0) return "";
  return `[${notes.join(", ")}]`;
}

/** The schema itself, behind references and beside `null`. */
function withoutNull(
  declared: unknown,
  document: Schema,
  depth = 0,
): { schema: Schema; nullable: boolean } {
  let schema = isSchema(declared) ? declared : {};
  for (let steps = 0; typeof schema.$ref === "string" && steps < maxReferences; steps++) {
    const { $ref, ...beside } = schema;
    const target = resolveReference(document, $ref as string);
    schema = isSchema(target) ? { ...target, ...beside } : beside;
  }
  const alternatives: unknown[] = [schema.anyOf, schema.oneOf].find(Array.isArray) ?? [];
  const members = alternatives.filter(isSchema).filter(({ type }) => type !== "null");
  const isNullable =
    schema.nullable === true || (Array.isArray(schema.type) && schema.type.includes("null"));
  if (members.length === 1 && depth < maxReferences) {
    const { anyOf: _, oneOf: __, ...beside } = schema;
    const inner = withoutNull({ ...members[0], ...beside }, document, depth + 1);
    const hasNull = alternatives.some((member) => isSchema(member) && member.type === "null");
    return { ...inner, nullable: isNullable || inner.nullable || hasNull };
  }
  if (!Array.isArray(schema.type)) return { schema, nullable: isNullable };
  const types = schema.type.filter((type) => type !== "null");
  return {
    schema: { ...schema, type: types.length === 1 ? types[0] : types },
    nullable: isNullable,
  };
}

function allowedValuesOf(schema: Schema): readonly unknown[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum;
  return "const" in schema ? [schema.const] : undefined;
}

function kindOf(schema: Schema): "text" | "number" | "integer" | "boolean" | "json" {
  const { type } = schema;
  const allowedValues = allowedValuesOf(schema) ?? [];
  if (allowedValues.length > 0 && allowedValues.every((value) => typeof value === "string"))
    return "text";
  if (type === "string") return "text";
  return type === "number" || type === "integer" || type === "boolean" ? type : "json";
}

/** `maxLines` and `max_lines` are `max-lines`. */
function kebab(name: string): string {
  const hyphenated = name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-")
    .replaceAll(/[^A-Za-z0-9]+/g, "-");
  return hyphenated.replaceAll(/^-|-$/g, "").toLowerCase();
}

function oneLine(text: string): string {
  const line = plainText(text).replaceAll(/\s+/g, " ").trim();
  if (line.length > maxAbout) return `${line.slice(0, maxAbout - 1)}…`;
  return line;
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
