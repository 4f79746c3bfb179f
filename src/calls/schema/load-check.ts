import { once } from "../../lib/async/once.ts";
import { EngineNeeded } from "../../lib/text/matcher.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { ArgumentProblem, CheckArguments } from "../validate.ts";

/** Heavy, so it is loaded with the first call. */
export const schemaCheck = once(() => import("../schema-check.ts"));

let loadedCheck: Awaited<ReturnType<typeof schemaCheck>> | undefined;

export async function loadAndCheckSchema(
  schema: JsonObject,
  value: Json,
): Promise<ArgumentProblem[]> {
  const loaded = await schemaCheck();
  return withEngine(() => loaded.checkSchema(schema, value));
}

/** At once when the validator is loaded. */
export const checkArguments: CheckArguments = (schema, args, warnings) => {
  if (loadedCheck) return withEngine(() => loadedCheck?.checkSchema(schema, args, warnings) ?? []);
  return schemaCheck().then((loaded) => {
    loadedCheck = loaded;
    return withEngine(() => loaded.checkSchema(schema, args, warnings));
  });
};

/** Once more where a pattern needs the linear engine, which is loaded then. */
export function withEngine<T>(check: () => T): T | Promise<T> {
  try {
    return check();
  } catch (thrown) {
    if (!(thrown instanceof EngineNeeded)) throw thrown;
    return import("../../lib/text/linear-pattern.ts").then(check);
  }
}
