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
  let open: { id: string; write(text: string): void; isEmpty: boolean } | null = null;
  const close = () => {
    if (open && !open.isEmpty) open.write("\n");
    open = null;
  };
  let said = "";
  /** What turns out to be no answer was said on the way to it. */
  const hold = ({ text, end, endOfDialog }: AgentMessage) => {
    said += plainText(text);
    if (!end) return;
    if (!endOfDialog && said.trim() !== "") {
      close();
      aside?.(`${colors.dim(said)}\n`);
    }
    said = "";
  };
  return (message) => {
    if (message.type === "answer" && !answer) return hold(message);
    const write = message.type === "answer" ? answer : aside;
    if (!write) return;
    if (open?.id !== message.id) {
      close();
      open = { id: message.id, write, isEmpty: true };
    }
    const text = render(message, open.isEmpty);
    if (text !== "") {
      for (const clear of beforeOutput) clear();
      beforeOutput.clear();
      write(text);
      open.isEmpty = false;
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
  return `${isFirst ? leads[type] : ""}${type === "error" ? colors.red(plain) : colors.dim(plain)}`;
}

const leads: Record<Type, string> = {
  thought: colors.dim("… "),
  action: colors.cyan("→ "),
  observation: colors.dim("← "),
  answer: "",
  error: colors.red("error: "),
};

function renderAction({ tool, arguments: args }: NonNullable<AgentMessage["call"]>): string {
  const shown = args === undefined ? "" : typeof args === "string" ? args : stableJson(args);
  return `${leads.action}${colors.cyan(plainText(tool))} ${colors.dim(cut(plainText(shown), maxArguments))}`;
}

function renderObservation(text: string, status: string | undefined): string {
  const went = status === undefined || status === "succeeded" ? "" : `${colors.yellow(status)} `;
  return `${leads.observation}${went}${colors.dim(cut(text.trim(), maxObservation))}`;
}

function cut(text: string, limit: number): string {
  return text.length > limit
    ? `${text.slice(0, limit)}… (${countOf(text.length, "character")})`
    : text;
}

type Ended = Pick<
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
export function agentExitCode({ outcome, error }: Pick<Ended, "outcome" | "error">): number {
  if (outcome === "completed") return 0;
  if (outcome === "budget" || outcome === "max-iterations") return errorTable.BUDGET_EXCEEDED.exit;
  return error ? exitCodeFor(error) : 1;
}

/** For people: why it ended, where that is not plain, and what it took. */
export function printRunEnd(ended: Ended): void {
  const { answer, outcome, error, turns, usage, counters } = ended;
  printRunWarnings(ended);
  const came = answer === null ? "and it gave no answer" : "so this is the best it could say";
  if (outcome === "max-iterations")
    printStatus(
      `${colors.yellow("note:")} It had no turn left, ${came}. --max-turns gives it more.`,
    );
  if (outcome === "budget" && !error)
    printStatus(`${colors.yellow("note:")} Its budget was used up, ${came}.`);
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
function printRunWarnings({ truncated, refused, waiting = [], missing = [] }: Ended): void {
  if (refused) printWarning("The model refused to go on, or its content filter stopped it.");
  if (truncated) printWarning("The answer was cut off at the model's limit.");
  for (const { server, reason } of missing)
    printWarning(`It had no tools of '${server}'. ${reason}`);
  for (const { id, tool } of waiting)
    printStatus(
      `${colors.yellow("waiting:")} ${plainText(tool)} runs once it is approved: toolplane approvals approve ${id}`,
    );
}
