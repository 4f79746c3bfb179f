import { shorten } from "../lib/text/cut-text.ts";
import type { ToolResult } from "../model/calls/result.ts";
import { PlaneError } from "../model/errors.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { compileSchema } from "./schema/compile-schema.ts";
import {
  type Check,
  CheckRun,
  maxCheckMs,
  TooManyProblems,
  TooMuchWork,
  type Unchecked,
} from "./schema/run.ts";
import type { ArgumentProblem } from "./validate.ts";

/** Once per schema object; a snapshot's schemas never change. */
const checks = new WeakMap<JsonObject, Check | { broken: string }>();

/** `warnings` receives what could not be checked. */
export function checkSchema(
  schema: JsonObject,
  value: Json,
  warnings?: string[],
): ArgumentProblem[] {
  const { problems, unchecked } = runCheck(schema, value);
  if (unchecked) warnings?.push(...warningsOf(unchecked, "input schema"));
  return problems;
}

/** A result that breaks its own schema is still a result. */
export function checkOutput(schema: JsonObject, { structuredContent }: ToolResult): string[] {
  if (structuredContent === undefined)
    return ["It declares an output schema and returned no structured content."];
  const { problems, unchecked } = runCheck(schema, structuredContent as Json);
  return [
    ...problems.map(
      ({ path, message }) =>
        `structuredContent${path} ${message}: it breaks its own output schema.`,
    ),
    ...warningsOf(unchecked, "output schema"),
  ];
}

const whyUnchecked: Record<Unchecked, string> = {
  pattern: "it may take too long on such a text. Write it without look-around and back-references",
  reference: "it leads to another document, and none is fetched. Put what it means into the schema",
};

function warningsOf(unchecked: CheckRun["unchecked"], where: string): string[] {
  return [...(unchecked ?? [])].map(
    ([text, kind]) =>
      `The ${kind} ${JSON.stringify(shorten(text, 300))} of its ${where} was not checked: ${whyUnchecked[kind]}.`,
  );
}

function runCheck(schema: JsonObject, value: Json): Pick<CheckRun, "problems" | "unchecked"> {
  const check = compile(schema);
  if ("broken" in check)
    throw new PlaneError(
      "PROVIDER_FAILED",
      `The tool's own schema cannot be used: ${check.broken}`,
    );
  const run = new CheckRun();
  try {
    check(value, run);
  } catch (thrown) {
    if (thrown instanceof TooMuchWork || thrown instanceof RangeError) {
      const message = `cannot be checked within ${maxCheckMs} ms against the tool's schema; give less at once`;
      return { problems: [{ path: "", message }], unchecked: run.unchecked };
    }
    if (!(thrown instanceof TooManyProblems)) throw thrown;
  }
  return run;
}

function compile(schema: JsonObject): Check | { broken: string } {
  const cached = checks.get(schema);
  if (cached) return cached;
  let check: Check | { broken: string };
  try {
    check = compileSchema(schema);
  } catch (thrown) {
    check = { broken: (thrown as Error).message };
  }
  checks.set(schema, check);
  return check;
}
