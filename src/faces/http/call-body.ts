import { z } from "@hono/zod-openapi";
import { nearest } from "../../lib/nearest.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { policyModes } from "../../model/policy-mode.ts";
import { AccessOptions, accessOptionsIn } from "./access-options.ts";
import { parseBody, unknownField } from "./body.ts";

export const CallBody = z.object({
  arguments: z.unknown().optional().openapi({ type: "object", description: "What the tool is called with." }),
  timeoutMs: z.number().min(0).optional().openapi({ description: "0 for no limit." }),
  conversation: z.string().optional(),
  idempotencyKey: z.string().optional(),
  ...AccessOptions,
  dryRun: z.boolean().optional().openapi({
    description: "Find, authorise, check and route the call, and do not make it; nobody is asked.",
  }),
  maxResultBytes: z.number().int().min(0).optional().openapi({
    description:
      "Characters of the result that are given whole; a larger one is kept and its handle given. 0 for no limit.",
  }),
  mode: z
    .enum(policyModes)
    .optional()
    .openapi({ description: "A stricter mode than the configured one; a wider one is not heard." }),
});

/** What other APIs call the arguments. */
const argumentWords = ["args", "argument", "params", "parameters", "input"];

const maxShownArguments = 5;

/** An unknown field is a misspelt option or an argument in the wrong place: the call would run without what was meant. */
function refuseUnknown(body: UnknownObject): void {
  const known = Object.keys(CallBody.shape);
  const unknown = Object.keys(body).filter((key) => !known.includes(key));
  const [first] = unknown;
  if (first === undefined) return;
  if (Object.hasOwn(body, "arguments")) throw unknownField(first, known);
  if (argumentWords.includes(first.toLowerCase()) && isObject(body[first]))
    throw unknownField(first, known, "arguments");
  const [near] = nearest(first, known, 1);
  const guess = near === undefined ? "" : ` If you meant '${near}', write that instead of '${first}'.`;
  throw new PlaneError("USAGE", `The body has no 'arguments'. Send ${bodyWith(body, unknown)}.${guess}`, {
    data: { parameter: "arguments" },
  });
}

/** The body that was probably meant. Text is left out of it: it may be secret. */
function bodyWith(body: UnknownObject, names: readonly string[]): string {
  const shown = names.slice(0, maxShownArguments).map((name) => {
    const value = body[name];
    const isPlain = typeof value === "number" || typeof value === "boolean" || value === null;
    return `${JSON.stringify(name)}: ${isPlain ? JSON.stringify(value) : "…"}`;
  });
  const rest = names.length > maxShownArguments ? ", …" : "";
  return `{"arguments": {${shown.join(", ")}${rest}}}`;
}

/** What a call is made with; what makes no sense is refused by name. */
export function parseCall(text: string) {
  const body = parseBody(text, '{"arguments": {…}}');
  refuseUnknown(body);
  const { arguments: args, timeoutMs, conversation, idempotencyKey, mode, maxResultBytes, dryRun } = body;
  const narrower = policyModes.find((candidate) => candidate === mode);
  if (mode !== undefined && narrower === undefined) {
    throw new PlaneError("USAGE", `'mode' must be one of ${policyModes.join(", ")}.`);
  }
  if (dryRun !== undefined && typeof dryRun !== "boolean") {
    throw new PlaneError("USAGE", "'dryRun' must be true or false.", { data: { parameter: "dryRun" } });
  }
  if (timeoutMs !== undefined && (typeof timeoutMs !== "number" || timeoutMs < 0)) {
    throw new PlaneError("USAGE", "'timeoutMs' must be a number of milliseconds, 0 for no limit.");
  }
  if (conversation !== undefined && typeof conversation !== "string") {
    throw new PlaneError("USAGE", "'conversation' must be a text.");
  }
  if (idempotencyKey !== undefined && (typeof idempotencyKey !== "string" || idempotencyKey === "")) {
    throw new PlaneError("USAGE", "'idempotencyKey' must be a text.");
  }
  if (
    maxResultBytes !== undefined &&
    !(Number.isSafeInteger(maxResultBytes) && Number(maxResultBytes) >= 0)
  ) {
    throw new PlaneError("USAGE", "'maxResultBytes' must be a whole number of characters, 0 for no limit.");
  }
  return {
    arguments: args,
    ...accessOptionsIn(body),
    ...(dryRun === undefined ? {} : { dryRun }),
    ...(maxResultBytes === undefined ? {} : { maxResultBytes: Number(maxResultBytes) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(narrower === undefined ? {} : { mode: narrower }),
  };
}
