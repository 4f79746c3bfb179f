import { text } from "node:stream/consumers";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { agentAnswer } from "../../../model/agent/agent-answer.ts";
import type { AgentResult, RunAgentOptions } from "../../../model/agent.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { print, printJson } from "../terminal/output.ts";
import { askingHere } from "../terminal/questions.ts";
import { terminal } from "../terminal/terminal.ts";
import { withPlane } from "../with-plane.ts";
import { agentExitCode, sayHowItEnded, showMessages } from "./agent-messages.ts";
import {
  type ModelOptions,
  modelOptions,
  readHistoryFile,
  requireModel,
  requireTraceFormat,
  requireWritable,
  writeHistoryFile,
  writeTrace,
} from "./agent-options.ts";

type AgentCommandOptions = GlobalOptions &
  ModelOptions & {
    conversation?: string;
    plan?: boolean;
    yes?: boolean;
    history?: string;
    verbose?: boolean;
    stream: boolean;
  };

export async function askAgent(cli: Cli, question: string, options: AgentCommandOptions): Promise<number> {
  const asked = (question === "-" ? await text(terminal.stdin) : question).trim();
  if (asked === "") throw new PlaneError("USAGE", "The question is empty. Say what to answer.");
  requireTraceFormat(options.trace);
  await requireWritable("--trace", options.trace);
  await requireWritable("--history", options.history);
  const given = await readRunOptions(options);
  return withPlane(cli, options, async (plane, signal) => {
    requireModel(plane);
    const result = await plane.agent.run(asked, {
      ...given,
      ...{ face: "cli", signal, onMessage: showMessages(outputFor(options)) },
      ...(await askingHere(options)),
    });
    signal.throwIfAborted();
    if (options.trace !== undefined) await writeTrace(plane, result.id, options.trace);
    if (options.history !== undefined) await writeHistoryFile(options.history, result);
    tell(result, options);
    return agentExitCode(result);
  });
}

async function readRunOptions(options: AgentCommandOptions): Promise<RunAgentOptions> {
  const { conversation, plan, yes, history } = options;
  return {
    ...(await modelOptions(options)),
    ...withoutUndefined({ conversation }),
    ...(plan ? { mode: "plan" } : {}),
    ...(yes ? { consent: true } : {}),
    ...(history === undefined ? {} : { history: await readHistoryFile(history) }),
  };
}

/**
 * The answer goes to standard output; the way to it to a person who watches. Whether a text is the answer is known at its
 * end: a person at a terminal sees it come, and what is read by a program is the answer alone.
 */
function outputFor(options: AgentCommandOptions) {
  const { json, verbose } = options;
  const isWatched = !json && (verbose === true || terminal.stderr.isTTY === true);
  return {
    answer: isShownAsItComes(options) ? (piece: string) => void terminal.stdout.write(piece) : undefined,
    aside: isWatched ? (piece: string) => void terminal.stderr.write(piece) : undefined,
  };
}

function isShownAsItComes({ json, stream }: AgentCommandOptions): boolean {
  return !json && stream && terminal.stdout.isTTY === true;
}

function tell(result: AgentResult, options: AgentCommandOptions): void {
  if (options.json) return printJson(agentAnswer(result));
  if (!isShownAsItComes(options) && result.answer !== null) print(plainText(result.answer));
  sayHowItEnded(result);
}
