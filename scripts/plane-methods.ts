import type { z } from "zod";
import { isMissing, type Operation } from "../src/operations/operation.ts";
import { operations } from "../src/operations/operations.ts";
import { createTypeWriter, importsFor, type TypeWriter } from "./type-text.ts";

export const planeMethodsFile = "generated/plane-methods.ts";

const head = `// Generated from the declared operations by npm run docs. Change the operation instead.
`;
const caller = { name: "Caller", file: "src/model/principal.ts" };

/** The methods of the plane that follow from their operation, an interface for each namespace. */
export function renderPlaneMethods(): { path: string; text: string } {
  const writer = createTypeWriter();
  const byNamespace = Map.groupBy(
    operations.filter(isDerived),
    ({ name }) => name.split(".").at(-2) ?? "plane",
  );
  const interfaces = [...byNamespace]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([namespace, declared]) => {
      const title = `${namespace.charAt(0).toUpperCase()}${namespace.slice(1)}Methods`;
      const methods = declared.map((one) => renderMethod(one, writer));
      return `export interface ${title} {\n${methods.join("")}}\n`;
    });
  return {
    path: planeMethodsFile,
    text: [head + importsFor(writer.used, planeMethodsFile), ...interfaces].join("\n"),
  };
}

/** It is one call of the plane's method, whose result is the answer. */
function isDerived({ name, run, http, output }: Operation): boolean {
  const isPlain =
    isMissing(http) || [http.show, http.hide, http.type].every((part) => part === undefined);
  const isOnly = operations.filter((other) => other.name === name).length === 1;
  return run === undefined && isPlain && isOnly && output._zod.def.type !== "unknown";
}

/** `arguments` is a word of the language. */
const parameterName = (arg: string) => (arg === "arguments" ? "args" : arg);

function renderMethod(declared: Operation, writer: TypeWriter): string {
  const { name, args, input, output, isAnonymous } = declared;
  const fields = Object.entries(input.shape as Record<string, z.ZodType>);
  const others = fields.filter(([field]) => !args.includes(field));
  const isOptional = (field: z.ZodType) => field._zod.optin === "optional";
  const rest = `{ ${others.map(([field, schema]) => `${field}${isOptional(schema) ? "?" : ""}: ${givenType(schema, writer)}`).join("; ")} }`;
  const restMark = others.every(([, schema]) => isOptional(schema)) ? "?" : "";
  const given = args.map((arg) => {
    if (arg === "...") return `options${restMark}: ${rest}`;
    const schema = input.shape[arg] as z.ZodType;
    return `${parameterName(arg)}${isOptional(schema) ? "?" : ""}: ${givenType(schema, writer)}`;
  });
  if (!isAnonymous) {
    writer.used.set(caller.name, caller);
    const isApart = args.includes("...") || others.length === 0;
    given.push(isApart ? "caller?: Caller" : `options${restMark}: Caller & ${rest}`);
  }
  const method = name.split(".").at(-1);
  return `${docOf(declared)}  ${method}(${given.join(", ")}): Promise<${writer.typeOf(output, "  ")}>;\n`;
}

const sentence = (text: string) => (/[.?!]$/.test(text) ? text : `${text}.`);

/** The words of the operation, and of what is given by position. */
function docOf({ args, input, summary, description, example }: Operation): string {
  const said = [sentence(summary), description].filter(Boolean).join(" ");
  const parameters = args.flatMap((arg) => {
    const about = (input.shape[arg] as z.ZodType | undefined)?.meta()?.description;
    return about === undefined ? [] : `@param ${parameterName(arg)} ${about}`;
  });
  const shown = example === undefined ? [] : ["@example", ...example.split("\n")];
  const lines = [said, ...parameters, ...shown];
  return lines.length === 1
    ? `  /** ${said} */\n`
    : `  /**\n${lines.map((line) => `   * ${line}\n`).join("")}   */\n`;
}

/** Over HTTP and on a command line numbers and flags are text as well; a program has the values. */
function givenType(schema: z.ZodType, writer: TypeWriter): string {
  const type = schema.meta()?.type;
  return type === "integer" ? "number" : type === "boolean" ? "boolean" : writer.typeOf(schema);
}
