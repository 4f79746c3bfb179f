import { join } from "node:path";
import { abortable } from "../../../lib/abortable.ts";
import { countOf } from "../../../lib/count-of.ts";
import { errorTable, PlaneError, toPlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { answerQuestions } from "../answer-questions.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { colors } from "../colors.ts";
import { print, printError, say } from "../output.ts";
import { terminal } from "../terminal.ts";
import { openPlane } from "../with-plane.ts";
import { type Chat, newConversation, usualSettings } from "./chat-state.ts";
import { complete } from "./complete.ts";
import { keepHistory, loadHistory } from "./history-file.ts";
import { createInterrupts } from "./interrupts.ts";
import { createLinePrompts } from "./line-prompts.ts";
import { createLines, type Lines } from "./lines.ts";
import { createLoading } from "./loading.ts";
import { showEvents } from "./show-events.ts";
import { splitWords } from "./split-words.ts";
import { talk } from "./talk.ts";
import { findVerb } from "./verbs.ts";

/** A conversation at the terminal, or a script of one: each line is a verb or a question. */
export async function chat(cli: Cli, options: GlobalOptions): Promise<number> {
  if (options.json)
    throw new PlaneError(
      "USAGE",
      "chat is for people and has no --json. 'toolplane agent QUESTION --json' has.",
    );
  using interrupts = createInterrupts();
  await using plane = await openPlane(cli, options, { answersQuestions: true });
  plane.start();
  const file = join(await cli.dataDirectory(options), "chat-history");
  using lines = createLines({
    history: loadHistory(file),
    complete: (line) => complete(here, line),
    onHistory: (history) => keepHistory(file, history),
    onInterrupt: (isEmpty) => interrupts.interrupt(isEmpty),
  });
  const conversation = newConversation();
  const away = new Set<string>();
  using loading = createLoading(plane, conversation, away);
  const here = createChat(plane, lines, interrupts, { conversation, loading, away });
  using _events = showEvents(plane, (text) => {
    if (here.settings.isVerbose) lines.interject(() => print(text));
  });
  using _answering = answerQuestions(
    plane,
    createLinePrompts(here, () => here.signal),
    // The line that is being typed is for whatever comes next.
    () => here.signal !== interrupts.ended,
  );
  if (lines.isTyped) greet(plane);
  const code = await readLines(here, lines, interrupts);
  // Sessions that were kept for it are not needed any more.
  await plane.endConversation(here.conversation).catch(() => undefined);
  return code;
}

type Interrupts = ReturnType<typeof createInterrupts>;

function createChat(
  plane: Plane,
  lines: Lines,
  interrupts: Interrupts,
  begun: Pick<Chat, "conversation" | "loading" | "away">,
): Chat {
  return {
    ...begun,
    plane,
    settings: usualSettings(),
    history: [],
    ask: (prompt, signal) => lines.answer(prompt, AbortSignal.any([signal, interrupts.running()])),
    putBack: lines.putBack,
    get signal() {
      return interrupts.running();
    },
    end: interrupts.end,
  };
}

/** In a script the first thing that goes wrong is what the exit code tells; the rest is done all the same. */
async function readLines(here: Chat, lines: Lines, interrupts: Interrupts): Promise<number> {
  let code = 0;
  while (!interrupts.ended.aborted) {
    const prompt = colors.bold(here.settings.isPlanning ? "toolplane (plan)> " : "toolplane> ");
    const line = await lines.next(prompt, interrupts.ended);
    if (line === null) break;
    if (line.trim() === "") continue;
    const ended = await interrupts.run(() => runLine(here, line.trim()));
    if (code === 0) code = ended;
  }
  if (lines.isTyped) terminal.stdout.write("\n");
  return interrupts.exitCode() ?? (lines.isTyped ? 0 : code);
}

/** Whatever goes wrong with a line is told, and the next one is read. */
async function runLine(here: Chat, line: string): Promise<number> {
  try {
    // An agent ends by itself when it is cancelled, and then tells how far it came.
    if (!line.startsWith("/")) return await talk(here, line);
    return await runVerb(here, line.slice(1));
  } catch (thrown) {
    if (here.signal.aborted) {
      say("Cancelled.");
      return errorTable.CANCELLED.exit;
    }
    const error = toPlaneError(thrown);
    printError(error);
    return errorTable[error.code].exit;
  }
}

async function runVerb(here: Chat, line: string): Promise<number> {
  const [name = "", ...words] = splitWords(line);
  const verb = findVerb(name);
  const running = Promise.resolve(verb.run(here, words));
  return (await (verb.endsItself ? running : abortable(running, here.signal))) ?? 0;
}

function greet(plane: Plane): void {
  const { servers, models } = plane.config();
  const count = Object.keys(servers).length;
  const whose = plane.isRemote ? " of the plane that serves" : "";
  const talking =
    Object.keys(models).length > 0
      ? "Ask something, or type /help."
      : "No model is configured; /model says how. /help shows the rest.";
  print(colors.dim(`${countOf(count, "server")}${whose}. ${talking}`));
}
