import { hiddenBy, type InjectionRule } from "../../model/access/injection.ts";
import type { JsonObject } from "../../model/json.ts";
import { declaredAmong, hideInjected } from "./hide-injected.ts";

/** The schema without what the rules take away from callers, and the declared names that get the system's values. */
export function applyRules(
  schema: JsonObject,
  rules: readonly InjectionRule[],
): { parameters: JsonObject; injects: string[] } {
  const files = rules.filter(({ from }) => from === "files").map(({ parameter }) => parameter);
  const { parameters, injects } = hideInjected(schema, rules.map(hiddenBy));
  return { parameters, injects: [...injects, ...declaredAmong(parameters, files)] };
}
