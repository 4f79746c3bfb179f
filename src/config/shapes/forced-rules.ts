import { isObject } from "../../model/json.ts";
import type { Reading } from "./reading.ts";

/**
 * Adds the questions that servers demand to the rules of the policy. The first rule that matches decides, so
 * they stand before the first one that allows: what must be asked can be forbidden, not waved through.
 */
export function placeForcedRules({ settings, forced, set }: Reading): void {
  const [first] = forced;
  if (!first) return;
  const rules = forced.map(({ rule }) => rule);
  const own = settings.find(({ path: [section, key] }) => section === "policy" && key === "rules");
  if (!own) return set(["policy", "rules"], rules, first.source);
  if (!Array.isArray(own.value)) return;
  const allows = own.value.findIndex((rule) => isObject(rule) && rule.verdict === "allow");
  own.value = own.value.toSpliced(allows < 0 ? own.value.length : allows, 0, ...rules);
}
