import { stableJson } from "../../../lib/json/stable-json.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { costText, countOf } from "../../../lib/text/wording.ts";
import type { AgentMessage } from "../../../model/agent/agent-run.ts";
import type { AgentRun } from "../../../model/agent/run-schema.ts";
import { errorTable, exitCodeFor } from "../../../model/errors.ts";
import { beforeOutput, colors, printError, printStatus, printWarning } from "../terminal/output.ts";

/** As much of what a tool said as people want to see go by. */
const maxObservation = 400;
const maxArguments = 200;

type MessageOutput = {
  /** Gets the answer, and what is said before a call; left out where the answer is printed at the end. */
  answer?: ((text: string) => void) | undefined;
  /** Gets everything else; left out where it is not shown. */
  aside?: ((text: string) => void) | undefined;
};

type Type = AgentMessage["type"];

/** Shows what an agent says as it says it: thoughts dim, calls with their arguments, what they came to in short. */
export function streamMessages({ answer, aside }: MessageOutput): (message: AgentMessage) => void {
  let openMessage: { id: string; write(text: string): void; isEmpty: boolean } | null = null;
  const close = () => {
    if (openMessage && !openMessage.isEmpty) openMessage.write("\n");
    openMessage = null;
  };
  let heldText = "";
  /** What turns out to be no answer was said on the way to it. */
  const hold = ({ text, end, endOfDialog }: AgentMessage) => {
    heldText += plainText(text);
    if (!end) return;
    if (!endOfDialog && heldText.trim() !== "") {
      close();
      aside?.(`${colors.dim(heldText)}\n`);
    }
    heldText = "";
  };
  return (message) => {
    if (message.type === "answer" && !answer) return hold(message);
    const write = message.type === "answer" ? answer : aside;
    if (!write) return;
    if (openMessage?.id !== message.id) {
      close();
      openMessage = { id: message.id, write, isEmpty: true };
    }
    const text = render(message, openMessage.isEmpty);
    if (text !== "") {
      for (const clear of beforeOutput) clear();
      beforeOutput.clear();
      write(text);
      openMessage.isEmpty = false;
    }
    if (message.end) close();
  };
}

function render({ type, text, call }: AgentMessage, isFirst: boolean): string {
  const plain = plainText(text);
  if (type === "answer") return plain;
  if (type === "action" && call) return renderAction(call);
  if (type === "observation") return renderObservation(plain, call?.status);
  if (plain === "") return "";
  const color = type === "error" ? colors.red : colors.dim;
  return `${isFirst ? leads[type] : ""}${color(plain)}`;
}

const leads: Record<Type, string> = {
  thought: colors.dim("… "),
  action: colors.cyan("→ "),
  observation: colors.dim("← "),
  answer: "",
  error: colors.red("error: "),
};

function renderAction({ tool, arguments: args }: NonNullable<AgentMessage["call"]>): string {
  const shown = cut(plainText(argumentText(args)), maxArguments);
  return `${leads.action}${colors.cyan(plainText(tool))} ${colors.dim(shown)}`;
}

function argumentText(args: NonNullable<AgentMessage["call"]>["arguments"]): string {
  if (args === undefined) return "";
  return typeof args === "string" ? args : stableJson(args);
}

function renderObservation(text: string, status: string | undefined): string {
  const outcome = status === undefined || status === "succeeded" ? "" : `${colors.yellow(status)} `;
  return `${leads.observation}${outcome}${colors.dim(cut(text.trim(), maxObservation))}`;
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit)}… (${countOf(text.length, "character")})`;
}

type RunEnd = Pick<
  AgentRun,
  | "answer"
  | "outcome"
  | "error"
  | "turns"
  | "usage"
  | "counters"
  | "truncated"
  | "refused"
  | "waiting"
  | "missing"
>;

/** 0 where it answered, that of a budget where turns, calls, tokens, cost or time were used up, else that of its error. */
export function agentExitCode({ outcome, error }: Pick<RunEnd, "outcome" | "error">): number {
  if (outcome === "completed") return 0;
  if (outcome === "budget" || outcome === "max-iterations") return errorTable.BUDGET_EXCEEDED.exit;
  return error ? exitCodeFor(error) : 1;
}

/** For people: why it ended, where that is not plain, and what it took. */
export function printRunEnd(runEnd: RunEnd): void {
  const { answer, outcome, error, turns, usage, counters } = runEnd;
  printRunWarnings(runEnd);
  const consequence =
    answer === null ? "and it gave no answer" : "so this is the best it could say";
  if (outcome === "max-iterations")
    printStatus(
      `${colors.yellow("note:")} It had no turn left, ${consequence}. --max-turns gives it more.`,
    );
  if (outcome === "budget" && !error)
    printStatus(`${colors.yellow("note:")} Its budget was used up, ${consequence}.`);
  if (error) printError(error);
  const tokens = `${countOf(usage.totalTokens, "token")} (${usage.inputTokens} in, ${usage.outputTokens} out)`;
  const cost = usage.cost === undefined ? "" : `, ${costText(usage.cost)}`;
  printStatus(
    colors.dim(
      `${countOf(turns, "turn")}, ${countOf(counters.totalToolCalls, "call")}, ${tokens}${cost}`,
    ),
  );
}

/** What the answer does not show. */
function printRunWarnings({ truncated, refused, waiting = [], missing = [] }: RunEnd): void {
  if (refused) printWarning("The model refused to go on, or its content filter stopped it.");
  if (truncated) printWarning("The answer was cut off at the model's limit.");
  for (const { server, reason } of missing)
    printWarning(`It had no tools of '${server}'. ${reason}`);
  for (const { id, tool } of waiting)
    printStatus(
      `${colors.yellow("waiting:")} ${plainText(tool)} runs once it is approved: toolplane approvals approve ${id}`,
    );
}
