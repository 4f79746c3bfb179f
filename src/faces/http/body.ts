import type { z } from "@hono/zod-openapi";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";

/** The body as an object; none is an empty one. `like` shows what is expected. */
export function parseBody(body: string, like: string): UnknownObject {
  let parsed: unknown;
  try {
    parsed = body.trim() === "" ? {} : JSON.parse(body);
  } catch (thrown) {
    throw new PlaneError("USAGE", `The body is not valid JSON: ${(thrown as Error).message}.`);
  }
  if (isObject(parsed)) return parsed;
  throw new PlaneError("USAGE", `The body must be an object like ${like}.`);
}

/** The same with fields that are all known. */
export function parseFields<T extends z.ZodObject>(body: string, schema: T, like: string): z.output<T> {
  const parsed = schema.strict().safeParse(parseBody(body, like));
  if (parsed.success) return parsed.data as z.output<T>;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const field = unknown ?? issue?.path.join(".") ?? "";
  const what = unknown === undefined ? `'${field}': ${issue?.message}` : `'${field}' is not known here`;
  throw new PlaneError("USAGE", `The body must be an object like ${like}. ${what}.`, {
    data: { parameter: field },
  });
}
