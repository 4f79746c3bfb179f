import type { ConfigProblem, ConfigValues } from "../model/config/config.ts";
import { objectOrEmpty } from "../model/json.ts";
import type { Merged } from "./merge-settings.ts";

type Settings = ConfigValues["approvals"];

/** `timeoutMs` of 0.3 was how long a call is held open, and how long its question lives. */
export function withTwoLives(
  settings: Settings,
  merged: Merged,
): { settings: Settings; problems: ConfigProblem[] } {
  const { timeoutMs } = settings;
  if (timeoutMs === undefined) return { settings, problems: [] };
  const writtenSettings = objectOrEmpty(merged.values.approvals);
  const holdMs = writtenSettings.holdMs === undefined ? timeoutMs : settings.holdMs;
  const expireMs = settings.expireMs ?? timeoutMs;
  const notice: ConfigProblem = {
    ...merged.placeOf(["approvals", "timeoutMs"]),
    severity: "warning",
    message: `sets both lives of an approval to ${timeoutMs} ms, as in 0.3`,
    hint: "Write 'holdMs' (how long a call is held open) and 'expireMs' (how long the question waits) instead.",
  };
  return { settings: { ...settings, holdMs, expireMs }, problems: [notice] };
}
