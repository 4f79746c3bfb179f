import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { once } from "../lib/async/once.ts";
import type { ToolResult } from "../model/calls/result.ts";
import { PlaneError } from "../model/errors.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { unescapePointer } from "./providers/mapping.ts";
import type { ArgumentProblem } from "./validate.ts";

// Foreign schemas: unknown keywords are fine, and a check against the meta-schema costs more than the rest of a call.
const lenient = { strict: false, meta: false, validateSchema: false, unicodeRegExp: false } as const;
const options = { ...lenient, allErrors: true, logger: false } as const;

/** Once per schema object; a snapshot's schemas never change. */
const compiled = new WeakMap<JsonObject, ValidateFunction | { broken: string }>();

const createModern = () => formats.default(new Ajv2020(options));
const createDraft07 = () => formats.default(new Ajv(options));
const modern = once(createModern);
const draft07 = once(createDraft07);

/** A validator of its own for schemas with an id, so that two of one id do not meet. */
function dialectOf(schema: JsonObject): Ajv {
  const isOld = typeof schema.$schema === "string" && /draft-0[67]/.test(schema.$schema);
  if (JSON.stringify(schema).includes('"$id":')) return isOld ? createDraft07() : createModern();
  return isOld ? draft07() : modern();
}

export function checkSchema(schema: JsonObject, value: Json): ArgumentProblem[] {
  const validator = compile(schema);
  if ("broken" in validator)
    throw new PlaneError("PROVIDER_FAILED", `The tool's own schema cannot be used: ${validator.broken}`);
  return validator(value) ? [] : (validator.errors ?? []).map((error) => describe(error, value));
}

/** A result that breaks its own schema is still a result. */
export function checkOutput(schema: JsonObject, { structuredContent }: ToolResult): string[] {
  if (structuredContent === undefined) return ["It declares an output schema and returned no structured content."];
  return checkSchema(schema, structuredContent).map(
    ({ path, message }) => `structuredContent${path} ${message}: it breaks its own output schema.`,
  );
}

function compile(schema: JsonObject): ValidateFunction | { broken: string } {
  const known = compiled.get(schema);
  if (known) return known;
  let result: ValidateFunction | { broken: string };
  try {
    const { $async: _, ...plain } = schema;
    const ajv = dialectOf(plain);
    result = ajv.compile(plain);
    // Ajv would keep every schema it ever compiled.
    ajv.removeSchema(plain);
  } catch (thrown) {
    result = { broken: (thrown as Error).message };
  }
  compiled.set(schema, result);
  return result;
}

function describe({ instancePath: path, keyword, params, message = "is wrong" }: ErrorObject, value: Json) {
  if (keyword === "required") {
    const missing = String(params.missingProperty);
    return { path, message: `${path === "" ? "" : "is "}missing '${missing}'`, missing };
  }
  if (keyword === "enum") return { path, message: `must be one of ${JSON.stringify(params.allowedValues)}` };
  if (keyword === "type") return { path, message: `${message}, got ${kindOf(valueAt(value, path))}` };
  return { path, message: path === "" ? message.replace(/^is /, "") : message };
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function valueAt(value: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .map(unescapePointer)
    .reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], value);
}

// The first compilation is slow, so it is done while a server starts.
checkSchema({ type: "object", properties: { warm: { type: "string" } }, required: ["warm"] }, {});
