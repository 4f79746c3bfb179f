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
