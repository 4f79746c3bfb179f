import type { z } from "@hono/zod-openapi";
import { exactNumbersIn, findChanged, noteExactNumbers } from "../../lib/exact-numbers.ts";
import { shorten } from "../../lib/shorten.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";

/** The body as an object; none is an empty one. `like` shows what is expected. */
export function parseBody(body: string, like: string): UnknownObject {
  let parsed: unknown;
  try {
    parsed = body.trim() === "" ? {} : JSON.parse(body);
    noteExactNumbers(parsed, body);
  } catch (thrown) {
    throw new PlaneError("USAGE", `The body is not valid JSON: ${(thrown as Error).message}.`);
  }
  if (isObject(parsed)) return parsed;
  throw new PlaneError("USAGE", `The body must be an object like ${like}.`);
}

const longestShown = 40;

/** What is kept or shown to somebody would be another number than was written: better none. */
function refuseChanged(given: UnknownObject): void {
  const changed = findChanged(exactNumbersIn(given));
  if (changed === undefined) return;
  const name = changed.path.join(".");
  throw new PlaneError(
    "USAGE",
    `'${name}' is ${shorten(changed.text, longestShown)}, which is another number as soon as it is read. Give a number of at most 15 digits, or a text.`,
    { data: { parameter: name } },
  );
}

/** The same with fields that are all known. */
export function parseFields<T extends z.ZodObject>(body: string, schema: T, like: string): z.output<T> {
  const given = parseBody(body, like);
  refuseChanged(given);
  const parsed = schema.strict().safeParse(given);
  if (parsed.success) return parsed.data as z.output<T>;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const field = unknown ?? issue?.path.join(".") ?? "";
  const what = unknown === undefined ? `'${field}': ${issue?.message}` : `'${field}' is not known here`;
  throw new PlaneError("USAGE", `The body must be an object like ${like}. ${what}.`, {
    data: { parameter: field },
  });
}
