import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { abortable } from "../../../lib/async/signals.ts";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { redact } from "../../../lib/text/redact.ts";
import { countOf } from "../../../lib/text/wording.ts";
import { agentStyles } from "../../../model/agent/agent-run.ts";
import { policyModes } from "../../../model/calls/call.ts";
import { errorTable, exitCodeFor, PlaneError, toPlaneError } from "../../../model/errors.ts";
import type { EventType, PlaneEvent } from "../../../model/events.ts";
import type { Plane } from "../../../model/plane.ts";
import { howToConfigureModel } from "../agent/agent.ts";
import { agentExitCode, printRunEnd, streamMessages } from "../agent/agent-messages.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { colors, print, printError, printStatus, terminalText } from "../terminal/output.ts";
import { answerQuestions } from "../terminal/questions.ts";
import { terminal } from "../terminal/terminal.ts";
import { openPlane } from "../with-plane.ts";
import {
  askInLine,
  type Chat,
  callOptions,
  createLinePrompts,
  createLoading,
  newConversation,
  usualSettings,
} from "./chat-state.ts";
import { createCommands } from "./commands.ts";
import { createLineReader, type Lines } from "./lines.ts";
import { mcpVerbs, runTyped, verbs } from "./verbs.ts";

/** The events that `/verbose` shows. */
const shownEvents = [
  ...(["server.connecting", "server.connected", "server.disconnected", "server.error"] as const),
  ...(["tool.call", "tool.retry", "tool.result", "tool.search", "tool.dynamicLoad"] as const),
  ...(["approval.requested", "approval.changed", "hook.decided"] as const),
  ...(["dead_letter.added", "dead_letter.resolved", "dead_letter.abandoned"] as const),
] satisfies EventType[];

/** Until it is disposed of. */
function showEvents(plane: Plane, show: (text: string) => void): Disposable {
  const unsubscribers = shownEvents.map((type) =>
    plane.on(type, (event) => show(renderEvent(event))),
  );
  return {
    [Symbol.dispose]() {
      for (const unsubscribe of unsubscribers) unsubscribe();
    },
  };
}

/** Its type and its short facts. */
function renderEvent({ type, ...facts }: PlaneEvent): string {
  const factTexts = Object.entries(facts)
    .filter(([, value]) => value !== null && (typeof value !== "object" || isNames(value)))
    .map(([name, value]) => `${name}=${plainText(String(value)).replaceAll(/\s+/g, " ")}`);
  return colors.dim(`${type} ${factTexts.join(" ")}`);
}

function isNames(value: object): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

const wordPattern = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
const partPattern = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)/gs;

/** A line as a shell would take it apart: quotes keep blanks together, a backslash takes what follows as it is. */
export function splitWords(line: string): string[] {
  const quotedWords = line.match(wordPattern) ?? [];
  if (line.replaceAll(wordPattern, "").trim() !== "")
    throw new PlaneError(
      "USAGE",
      "A quote is open at the end of the line. Close it, or write \\ before it.",
    );
  return quotedWords.map((quotedWord) =>
    quotedWord.replaceAll(
      partPattern,
      (_, double?: string, single?: string, escaped?: string, plain?: string) =>
        double?.replaceAll(/\\(["\\])/g, "$1") ?? single ?? escaped ?? plain ?? "",
    ),
  );
}

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
  using lines = createLineReader({
    history: loadHistory(file),
    complete: (line) => complete(session, line),
    onHistory: (history) => keepHistory(file, history),
    onInterrupt: (isEmpty) => interrupts.interrupt(isEmpty),
  });
  const conversation = newConversation();
  const away = new Set<string>();
  using loading = createLoading(plane, conversation, away);
  const commands = createCommands(cli, options, () => session);
  const session: Chat = createChat(plane, lines, interrupts, {
    conversation,
    loading,
    away,
    commands,
  });
  using _events = showEvents(plane, (text) => {
    if (session.settings.isVerbose) lines.interject(() => print(text));
  });
  using _answering = answerQuestions(
    plane,
    createLinePrompts(session, () => session.signal),
    // The line that is being typed is for whatever comes next.
    () => session.signal !== interrupts.ended,
  );
  if (lines.isTyped) greet(plane);
  const code = await readLines(session, lines, interrupts);
  // Sessions that were kept for it are not needed any more.
  await plane.conversations.end(session.conversation).catch(() => undefined);
  return code;
}

type Interrupts = ReturnType<typeof createInterrupts>;

function createChat(
  plane: Plane,
  lines: Lines,
  interrupts: Interrupts,
  parts: Pick<Chat, "conversation" | "loading" | "away" | "commands">,
): Chat {
  return {
    ...parts,
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
async function readLines(session: Chat, lines: Lines, interrupts: Interrupts): Promise<number> {
  let code = 0;
  while (!interrupts.ended.aborted) {
    const prompt = colors.bold(
      session.settings.mode === "build" ? "toolplane> " : `toolplane (${session.settings.mode})> `,
    );
    const line = await lines.next(prompt, interrupts.ended);
    if (line === null) break;
    if (line.trim() === "") continue;
    const lineCode = await interrupts.run(() => runLine(session, line.trim()));
    if (code === 0) code = lineCode;
  }
  if (lines.isTyped) terminal.stdout.write("\n");
  return interrupts.exitCode() ?? (lines.isTyped ? 0 : code);
}

/** An error of a line is printed, and the next line is read. */
async function runLine(session: Chat, line: string): Promise<number> {
  try {
    // An agent ends by itself when it is cancelled, and then tells how far it came.
    if (!line.startsWith("/")) return await talk(session, line);
    return await runVerb(session, line.slice(1));
  } catch (thrown) {
    if (session.signal.aborted) {
      printStatus("Cancelled.");
      return errorTable.CANCELLED.exit;
    }
    const error = toPlaneError(thrown);
    printError(error);
    return exitCodeFor(error);
  }
}

async function runVerb(session: Chat, line: string): Promise<number> {
  const typed = splitWords(line);
  const running = runTyped(session, typed);
  // Verbs of the chat are left to themselves when they are cancelled; commands decide for themselves.
  const isVerb = Object.hasOwn(verbs, typed[0] ?? "");
  const returned = await (isVerb ? abortable(running, session.signal) : running);
  return typeof returned === "number" ? returned : 0;
}

function greet(plane: Plane): void {
  const { servers, models } = plane.config();
  const count = Object.keys(servers).length;
  const ownerNote = plane.isRemote ? " of the plane that serves" : "";
  const hasModels = Object.keys(models).length > 0;
  const invitation = hasModels
    ? "Ask something, or type /help."
    : "No model is configured; see /model. /help shows the rest.";
  print(colors.dim(`${countOf(count, "server")}${ownerNote}. ${invitation}`));
}

/** Newest first; none where there is no file yet. */
function loadHistory(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}

/** What looks like a secret is not written down. That it cannot be written is no reason to end a conversation. */
function keepHistory(file: string, history: readonly string[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const harmless = history.filter((line) => redact(line) === line && !line.includes("\n"));
    writeFileSync(file, `${harmless.join("\n")}\n`, { mode: 0o600 });
  } catch {
    // A directory that cannot be written to costs the history and nothing else.
  }
}

/** What is no verb goes to the agent, with all that was said before. */
async function talk(chat: Chat, question: string): Promise<number> {
  const { plane, settings, away, history } = chat;
  if (Object.keys(plane.config().models).length === 0) {
    print(howToConfigureModel(plane.config()));
    print("Everything but chatting works without one: /help shows what.");
    return errorTable.CONFIG_INVALID.exit;
  }
  const { model, toolset, style } = settings;
  const write = (text: string) => void terminal.stdout.write(terminalText(text));
  const result = await plane.agent.run(question, {
    ...callOptions(chat),
    ...withoutUndefined({
      model: model ?? undefined,
      toolset: toolset ?? undefined,
      style: style ?? undefined,
    }),
    ...(away.size > 0 && { mcp: await serversHere(chat) }),
    history,
    askHere: askInLine(chat),
    onMessage: streamMessages({ answer: write, aside: write }),
  });
  chat.history = result.history;
  if (result.state !== undefined) settings.state = result.state;
  printRunEnd(result);
  return agentExitCode(result);
}

async function serversHere({ plane, away }: Chat): Promise<string[]> {
  return (await plane.servers.list()).map(({ name }) => name).filter((name) => !away.has(name));
}

/** What the last word on the line may become, and the word. */
async function complete(chat: Chat, line: string): Promise<[string[], string]> {
  if (!line.startsWith("/")) return [[], line];
  const typed = line.slice(1).split(/\s+/);
  const lastWord = typed.at(-1) ?? "";
  if (typed.length === 1) {
    const names = [...Object.keys(verbs), ...chat.commands.names];
    return [startingWith([...new Set(names)], lastWord).map((verb) => `/${verb} `), line];
  }
  const completions = startingWith(await candidates(chat, typed), lastWord);
  // What an argument is set to follows at once.
  return [
    completions.map((completion) => (completion.endsWith("=") ? completion : `${completion} `)),
    lastWord,
  ];
}

function startingWith(names: readonly string[], start: string): string[] {
  return names.filter((candidate) => candidate.startsWith(start));
}

async function candidates({ plane, commands }: Chat, typed: readonly string[]): Promise<string[]> {
  const { models, toolsets } = plane.config();
  const [verb = "", ...typedArguments] = typed;
  if (verb === "mcp" && typedArguments.length === 1) return Object.keys(mcpVerbs);
  // What stands behind a server takes no more words.
  if (verb === "mcp" && (typedArguments.length > 2 || typedArguments[0] === "search")) return [];
  if (verb === "mcp") return (await plane.servers.list()).map(({ name }) => name);
  if (verb === "model") return Object.keys(models);
  if (verb === "toolset") return [...Object.keys(toolsets), "none"];
  if (verb === "style") return [...agentStyles];
  if (verb === "mode") return [...policyModes];
  if (verb === "plan" && typedArguments.length === 1)
    return ["on", "off", ...(await commands.complete(typed))];
  if (verb === "approve" || verb === "reject") return ["all"];
  const isOwnVerb = Object.hasOwn(verbs, verb) && verb !== "help" && verb !== "plan";
  return isOwnVerb ? [] : commands.complete(typed);
}

/** Ctrl-C cancels what runs; when nothing runs, or it was cancelled already, it ends. Other signals end at once. */
function createInterrupts() {
  const ended = new AbortController();
  let running: AbortController | null = null;
  let wasWarned = false;
  let exitCode: number | undefined;

  const endBy = (signal: NodeJS.Signals) => {
    exitCode = 128 + constants.signals[signal];
    running?.abort(new Error(`interrupted by ${signal}`));
    ended.abort();
  };
  const onInterrupt = () => {
    if (running && !running.signal.aborted) running.abort(new Error("cancelled"));
    else endBy("SIGINT");
  };
  const endingSignals = ["SIGTERM", "SIGHUP"] as const;
  terminal.signals.on("SIGINT", onInterrupt);
  for (const signal of endingSignals) terminal.signals.on(signal, endBy);

  return {
    ended: ended.signal,
    running: () => running?.signal ?? ended.signal,
    exitCode: () => exitCode,
    end: () => ended.abort(),
    /** From the keyboard: what was typed is given up first, and an empty line ends only at the second time. */
    interrupt(isEmpty: boolean): void {
      if (running) return onInterrupt();
      if (isEmpty && wasWarned) return ended.abort();
      wasWarned = isEmpty;
      if (isEmpty) terminal.stderr.write("\n(Ctrl-C once more ends; so do Ctrl-D and /quit)\n");
    },
    async run<T>(work: () => Promise<T>): Promise<T> {
      running = new AbortController();
      wasWarned = false;
      try {
        return await work();
      } finally {
        running = null;
      }
    },
    [Symbol.dispose](): void {
      terminal.signals.off("SIGINT", onInterrupt);
      for (const signal of endingSignals) terminal.signals.off(signal, endBy);
    },
  };
}
