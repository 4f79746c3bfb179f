import type { z } from "zod";
import {
  exactNumbersIn,
  findChanged,
  isTooDeep,
  noteExactNumbers,
  tooManyNumbers,
} from "../../lib/json/exact-numbers.ts";
import { memberPlace } from "../../lib/json/json-members.ts";
import { noteAmbiguity, rememberText } from "../../lib/json/json-text.ts";
import { ambiguityIn, maxClientValues, measureJson } from "../../lib/json/measure-json.ts";
import { shorten } from "../../lib/text/cut-text.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";

/** The body as an object; none is an empty one. `like` shows what is expected, `knownFields` lists its fields if it has no others. */
export function parseBody(
  body: string,
  like: string,
  knownFields?: readonly string[],
): UnknownObject {
  const {
    tooMuch,
    members,
    inexact,
    arguments: longArguments,
  } = measureJson(body, maxClientValues);
  if (tooMuch !== null) throw new PlaneError("USAGE", `The body cannot be read: ${tooMuch}.`);
  let parsed: unknown;
  try {
    parsed = body.trim() === "" ? {} : JSON.parse(body);
  } catch (thrown) {
    throw new PlaneError("USAGE", `The body is not valid JSON: ${(thrown as Error).message}.`);
  }
  if (members < 0 && isTooDeep(parsed))
    throw new PlaneError("USAGE", "The body cannot be read: it is nested too deeply.");
  if (!noteExactNumbers(parsed, body, inexact))
    throw new PlaneError("USAGE", `The body cannot be read: ${tooManyNumbers}.`);
  if (!isObject(parsed)) throw new PlaneError("USAGE", `The body must be an object like ${like}.`);
  const ambiguity = body.trim() === "" ? null : ambiguityIn(body, parsed, members);
  if (!noteArguments(parsed, body, ambiguity, longArguments?.[1]) && ambiguity !== null)
    throw new PlaneError("USAGE", `The body cannot be read: ${ambiguity}.`);
  const unknown = knownFields && Object.keys(parsed).find((key) => !knownFields.includes(key));
  if (knownFields && unknown !== undefined) throw unknownField(unknown, knownFields);
  return parsed;
}

/** Arguments pass on as they are written. What is open in them is refused with the call; true where it is in them. */
function noteArguments(
  { arguments: args }: UnknownObject,
  body: string,
  ambiguity: string | null,
  longArguments?: Buffer,
): boolean {
  if (!isObject(args)) return false;
  const span = longArguments === undefined ? memberPlace(body, "arguments") : undefined;
  const argumentText = longArguments ?? (span && body.slice(...span));
  if (argumentText === undefined) return false;
  if (ambiguity !== null) return noteAmbiguity(args, ambiguityIn(argumentText.toString(), args));
  rememberText(args, argumentText);
  return true;
}

const maxShown = 40;

/** Refuses numbers that would be stored or shown as another number. */
function refuseChanged(fields: UnknownObject): void {
  const changed = findChanged(exactNumbersIn(fields));
  if (changed === undefined) return;
  const name = changed.path.join(".");
  throw new PlaneError(
    "USAGE",
    `'${name}' is ${shorten(changed.text, maxShown)}, which is another number as soon as it is read. Give a number of at most 15 digits, or a text.`,
    { data: { parameter: name } },
  );
}

/** The same with fields that are all known. */
export function parseFields<T extends z.ZodObject>(
  body: string,
  schema: T,
  like: string,
): z.output<T> {
  const fields = parseBody(body, like);
  refuseChanged(fields);
  const parsed = schema.strict().safeParse(fields);
  if (parsed.success) return parsed.data as z.output<T>;
  const { issues } = parsed.error;
  // Only fields of the body itself: what is known further down is another list.
  for (const issue of issues) {
    if (issue.code !== "unrecognized_keys" || issue.path.length > 0) continue;
    const [unknown] = issue.keys;
    if (unknown !== undefined) throw unknownField(unknown, currentFields(schema));
  }
  const [issue] = issues;
  const field = issue?.path.join(".") ?? "";
  throw new PlaneError(
    "USAGE",
    `The body must be an object like ${like}. '${field}': ${issue?.message}.`,
    {
      data: { parameter: field },
    },
  );
}

/** Without those that only earlier callers give. */
function currentFields({ shape }: z.ZodObject): string[] {
  return Object.keys(shape).filter((field) => {
    const type = shape[field] as z.ZodType;
    return type.meta()?.deprecated !== true;
  });
}

/** For a route without a body: a field that is ignored would seem to have counted. */
export function refuseFields(body: string, inQuery: readonly string[]): void {
  const [field] = Object.keys(parseBody(body, "{}"));
  if (field === undefined) return;
  const remedy = inQuery.length === 0 ? "" : ` Put ${inQuery.join(", ")} into the query.`;
  const message = `The body has an unknown field '${shorten(field, maxShown)}'. This route takes no fields there.${remedy}`;
  throw new PlaneError("USAGE", message, { data: { parameter: field } });
}

/** A field that a route does not take, with the one that was probably meant. */
export function unknownField(
  field: string,
  knownFields: readonly string[],
  likeliest = nearest(field, knownFields, 1)[0],
): PlaneError {
  const suggestion = likeliest === undefined ? "" : ` Did you mean '${likeliest}'?`;
  const message = `The body has an unknown field '${shorten(field, maxShown)}'.${suggestion} Known fields: ${knownFields.join(", ")}.`;
  return new PlaneError("USAGE", message, { data: { parameter: field } });
}
