import { plainText } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { AgentRun } from "../../model/agent/agent-run.ts";
import { errorTable } from "../../model/errors.ts";
import { colors } from "./colors.ts";
import { printError, printWarning, say } from "./output.ts";

type Ended = Pick<
  AgentRun,
  "answer" | "outcome" | "error" | "turns" | "usage" | "counters" | "truncated" | "waiting" | "missing"
>;

/** 0 where it answered, 1 where its turns were used up, else that of its error; time is no refusal like other budgets. */
export function agentExitCode({ outcome, error }: Pick<Ended, "outcome" | "error">): number {
  if (outcome === "completed") return 0;
  if (outcome === "budget") return errorTable[error?.data.budget === "time" ? "TIMEOUT" : "BUDGET_EXCEEDED"].exit;
  return error ? errorTable[error.code].exit : 1;
}

/** For people: why it ended, where that is not plain, and what it took. */
export function sayHowItEnded(ended: Ended): void {
  const { answer, outcome, error, turns, usage, counters } = ended;
  sayWhatIsLeft(ended);
  const came = answer === null ? "and it gave no answer" : "so this is the best it could say";
  if (outcome === "max-iterations")
    say(`${colors.yellow("note:")} It had no turn left, ${came}. --max-turns gives it more.`);
  if (outcome === "budget" && !error) say(`${colors.yellow("note:")} Its budget was used up, ${came}.`);
  if (error) printError(error);
  const tokens = `${countOf(usage.totalTokens, "token")} (${usage.inputTokens} in, ${usage.outputTokens} out)`;
  say(colors.dim(`${countOf(turns, "turn")}, ${countOf(counters.totalToolCalls, "call")}, ${tokens}`));
}

/** What the answer alone does not tell. */
function sayWhatIsLeft({ truncated, waiting = [], missing = [] }: Ended): void {
  if (truncated) printWarning("The answer was cut off at the model's limit.");
  for (const { server, reason } of missing) printWarning(`It had no tools of '${server}'. ${reason}`);
  for (const { id, tool } of waiting)
    say(`${colors.yellow("waiting:")} ${plainText(tool)} runs once it is approved: toolplane approvals approve ${id}`);
}
