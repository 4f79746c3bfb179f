import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { AnyJson, handWritten } from "../src/model/json-schema.ts";

export const root = join(import.meta.dirname, "..");

/** A type that a file of `src/model` exports. */
export type NamedType = { name: string; file: string };

/** TypeScript for schemas. What it refers to by name is in `used` then. */
export type TypeWriter = {
  used: Map<string, NamedType>;
  /** By name, where the schema has one. */
  typeOf(schema: z.ZodType, indent?: string): string;
  /** With its fields, though it has a name. */
  declarationOf(schema: z.ZodType): string;
};

/** Imports of what a file uses, without what it declares itself. */
export function importsFor(used: TypeWriter["used"], file: string): string {
  const byFile = Map.groupBy(
    [...used.values()].filter((one) => one.file !== file),
    (one) => one.file,
  );
  const lines = [...byFile].map(([from, types]) => {
    const path = relative(dirname(file), from).replaceAll("\\", "/");
    const names = types.map(({ name }) => name).sort();
    return `import type { ${names.join(", ")} } from "${path.startsWith(".") ? path : `./${path}`}";\n`;
  });
  return lines.sort().join("");
}

const schemaFiles = globSync("src/model/**/*-schema.ts", { cwd: root }).sort();
const modelFiles = globSync("src/model/**/*.ts", { cwd: root })
  .filter((file) => !file.endsWith(".test.ts") && !file.endsWith("-schema.ts"))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

const load = createRequire(import.meta.url);

export type SchemaFile = {
  file: string;
  text: string;
  types: { name: string; schema: z.ZodType }[];
};

/** The schemas of answers, by file: those whose type is inferred. */
export const schemasByFile: readonly SchemaFile[] = schemaFiles.map((file) => {
  const text = readFileSync(join(root, file), "utf8");
  const exported = load(join(root, file)) as Record<string, z.ZodType>;
  const names = [...text.matchAll(/^export type (\w+) = TypeOf<typeof \1>;$/gm)].map(
    ([, name = ""]) => name,
  );
  return {
    file,
    text,
    types: names.map((name) => ({ name, schema: exported[name] as z.ZodType })),
  };
});

const named = new Map<z.core.$ZodType, NamedType>(
  schemasByFile.flatMap(({ file, types }) =>
    types.map(({ name, schema }) => [schema, { name, file }] as const),
  ),
);

/** `.meta()` makes a copy that knows what it is a copy of. */
function originals(schema: z.core.$ZodType): z.core.$ZodType[] {
  const { parent } = schema._zod;
  return parent === undefined ? [schema] : [schema, ...originals(parent)];
}

function nameOf(schema: z.core.$ZodType): NamedType | undefined {
  if (originals(schema).includes(AnyJson)) return { name: "Json", file: "src/model/json.ts" };
  const name = handWritten.get(schema)?.name;
  if (name !== undefined) return { name, file: declaringFile(name) };
  return originals(schema)
    .map((one) => named.get(one))
    .find(Boolean);
}

function declaringFile(name: string): string {
  const declares = new RegExp(`^export (?:type|interface|class) ${name}\\b`, "m");
  const found = modelFiles.find(({ text }) => declares.test(text));
  if (found === undefined) throw new Error(`No file of src/model declares the type ${name}.`);
  return found.file;
}

const describedBy = (schema: z.core.$ZodType) => z.globalRegistry.get(schema)?.description;

/** What is said of a field: of what it holds only where that has no name of its own. */
function saidOf(schema: z.core.$ZodType): string | undefined {
  const said = describedBy(schema);
  const own = originals(schema).find((one) => named.has(one));
  if (own !== undefined) return said === describedBy(own) ? undefined : said;
  return said ?? (isWrapped(schema) ? saidOf(schema._zod.def.innerType) : undefined);
}

type Wrapper = z.core.$ZodType & { _zod: { def: { innerType: z.core.$ZodType } } };

const isWrapped = (schema: z.core.$ZodType): schema is Wrapper =>
  ["optional", "nullable", "readonly", "default"].includes(schema._zod.def.type);

export function comment(text: string | undefined, indent = ""): string {
  return text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`;
}

const inList = (type: string) => (/ [|&] |^readonly /.test(type) ? `(${type})` : type);
const literals = (values: readonly unknown[]) =>
  values.map((value) => JSON.stringify(value)).join(" | ");

export function createTypeWriter(): TypeWriter {
  const used = new Map<string, NamedType>();

  function write(schema: z.core.$ZodType, indent: string): string {
    const known = nameOf(schema);
    if (known === undefined) return writeOut(schema, indent);
    used.set(known.name, known);
    return known.name;
  }

  function writeOut(schema: z.core.$ZodType, indent: string): string {
    const { def } = schema._zod as { def: z.core.$ZodTypes["_zod"]["def"] };
    if (
      def.type === "string" ||
      def.type === "boolean" ||
      def.type === "null" ||
      def.type === "void" ||
      def.type === "unknown"
    )
      return def.type;
    if (def.type === "number") return "number";
    if (def.type === "literal") return literals(def.values);
    if (def.type === "enum") return literals(Object.values(def.entries));
    if (def.type === "array") return `${inList(write(def.element, indent))}[]`;
    if (def.type === "readonly") return `readonly ${write(def.innerType, indent)}`;
    if (def.type === "nullable") return `${write(def.innerType, indent)} | null`;
    if (def.type === "optional" || def.type === "default") return write(def.innerType, indent);
    if (def.type === "record") return recordOf(def, indent);
    if (def.type === "union")
      return [...new Set(def.options.map((option) => write(option as z.ZodType, indent)))].join(
        " | ",
      );
    if (def.type === "object") return objectOf(def, indent);
    throw new Error(`There is no TypeScript for a schema of the type '${def.type}'.`);
  }

  function recordOf({ keyType, valueType, partial }: z.core.$ZodRecordDef, indent: string): string {
    const record = `Record<${write(keyType, indent)}, ${write(valueType, indent)}>`;
    return partial ? `Partial<${record}>` : record;
  }

  function objectOf({ shape, catchall }: z.core.$ZodObjectDef, indent: string): string {
    // As the compiler does.
    const inner = `${indent}    `;
    const fields = Object.entries(shape).map(([name, field]) => {
      const mark = field._zod.optout === "optional" ? "?" : "";
      const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
      return `${comment(saidOf(field), inner)}${inner}${key}${mark}: ${write(field, inner)};\n`;
    });
    const others =
      catchall?._zod.def.type === "never" || catchall === undefined
        ? []
        : [`${inner}[key: string]: unknown;\n`];
    return `{\n${[...fields, ...others].join("")}${indent}}`;
  }

  return {
    used,
    typeOf: (schema, indent = "") => write(schema, indent),
    declarationOf: (schema) => writeOut(schema, ""),
  };
}
