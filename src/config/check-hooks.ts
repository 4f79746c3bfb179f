import type { ConfigProblem } from "../model/config.ts";
import { everyTool, type HookSettings, hookEvents } from "../model/hook.ts";
import type { Merged } from "./merge-settings.ts";

/** What the shape of a hook does not tell: patterns that are none. */
export async function checkHooks(hooks: HookSettings, merged: Merged): Promise<ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  for (const event of hookEvents) {
    for (const [at, { matcher }] of hooks[event].entries()) {
      if (matcher === everyTool) continue;
      const { patternProblem } = await import("../lib/linear-pattern.ts");
      const problem = patternProblem(matcher);
      if (problem === null) continue;
      const path = ["hooks", event, at, "matcher"];
      problems.push({
        ...merged.placeOf(path),
        severity: "error",
        message: `'${matcher}' is no pattern: ${problem}`,
        hint: `'${everyTool}' stands for every tool. Look-around and back references are not supported.`,
      });
    }
  }
  return problems;
}
