import { PlaneError } from "../../model/errors.ts";

type Exceeded = { budget: "time" | "cost"; spent: number; limit: number; unit?: string; key: string };

export function exceeded(tool: string, why: string, data: Exceeded): PlaneError {
  const remedy =
    data.key === "budgets.maxToolDurationMs" || data.key === "budgets.maxCost"
      ? "Start another conversation, or raise"
      : "Raise";
  return new PlaneError("BUDGET_EXCEEDED", `'${tool}' was not run: ${why}. ${remedy} '${data.key}'.`, {
    data: { tool, sent: false, retryAt: null, ...data },
  });
}

export function outOfTime(tool: string, spent: number, limit: number): PlaneError {
  const text = `the tools of this conversation have run for ${spent / 1000} s of ${limit / 1000} s`;
  return exceeded(tool, text, { budget: "time", spent, limit, key: "budgets.maxToolDurationMs" });
}
