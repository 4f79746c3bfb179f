import type { ConfigProblem } from "../model/config.ts";
import type { Policy } from "../model/policy.ts";
import type { Merged } from "./merge-settings.ts";

/** What the shape of a rule does not tell: patterns and time zones that are none. */
export async function checkPolicy({ rules }: Policy, merged: Merged): Promise<ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const tell = (path: (string | number)[], message: string, hint: string) => {
    problems.push({ ...merged.placeOf(path), severity: "error", message, hint });
  };
  for (const [at, { arguments: patterns = {}, time }] of rules.entries()) {
    for (const [name, pattern] of Object.entries(patterns)) {
      if (typeof pattern === "string") continue;
      const { patternProblem } = await import("../lib/linear-pattern.ts");
      const problem = patternProblem(pattern.regex);
      if (problem !== null)
        tell(
          ["policy", "rules", at, "arguments", name, "regex"],
          `'${pattern.regex}' is no pattern: ${problem}`,
          "Look-around and back references are not supported: they can take for ever.",
        );
    }
    if (time !== undefined && !isTimezone(time.timezone))
      tell(
        ["policy", "rules", at, "time", "timezone"],
        `'${time.timezone}' is no time zone`,
        "Write it like Europe/Berlin.",
      );
  }
  return problems;
}

function isTimezone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}
