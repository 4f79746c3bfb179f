import { constants, existsSync } from "node:fs";
import { access, readFile, writeFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { fileErrorText } from "../../../lib/files.ts";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { agentAnswer } from "../../../model/agent/agent-answer.ts";
import type { AgentStyle, RunFormat } from "../../../model/agent/agent-run.ts";
import type { ChatMessage } from "../../../model/agent/chat.ts";
import type { AgentOptions, AgentResult, RunAgentOptions } from "../../../model/agent.ts";
import type { Config } from "../../../model/config/config.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { print, printJson, terminalText } from "../terminal/output.ts";
import { askingHere } from "../terminal/questions.ts";
import { terminal } from "../terminal/terminal.ts";
import { withPlane } from "../with-plane.ts";
import { agentExitCode, printRunEnd, streamMessages } from "./agent-messages.ts";

type AgentCommandOptions = GlobalOptions &
  ModelOptions & {
    conversation?: string;
    plan?: boolean;
    yes?: boolean;
    history?: string;
    verbose?: boolean;
    stream: boolean;
  };

export async function askAgent(
  cli: Cli,
  question: string,
  options: AgentCommandOptions,
): Promise<number> {
  const prompt = (question === "-" ? await text(terminal.stdin) : question).trim();
  if (prompt === "") throw new PlaneError("USAGE", "The question is empty. Say what to answer.");
  await requireWritable("--trace", options.trace);
  await requireWritable("--history", options.history);
  const runOptions = await readRunOptions(options);
  return withPlane(cli, options, async (plane, signal) => {
    requireModel(plane);
    const result = await plane.agent.run(prompt, {
      ...runOptions,
      face: "cli",
      signal,
      onMessage: streamMessages(outputFor(options)),
      ...(await askingHere(options)),
    });
    signal.throwIfAborted();
    if (options.trace !== undefined) await writeTrace(plane, result.id, options.trace);
    if (options.history !== undefined) await writeHistoryFile(options.history, result);
    printResult(result, options);
    return agentExitCode(result);
  });
}

async function readRunOptions(options: AgentCommandOptions): Promise<RunAgentOptions> {
  const { conversation, plan, yes, history } = options;
  return {
    ...(await readModelOptions(options)),
    ...withoutUndefined({ conversation }),
    ...(plan && { mode: "plan" }),
    ...(yes && { consent: true }),
    ...(history !== undefined && { history: await readHistoryFile(history) }),
  };
}

/**
 * The answer goes to standard output; the way to it to a person who watches. Whether a text is the answer is known at its
 * end: a person at a terminal sees it come, and what is read by a program is the answer alone.
 */
function outputFor(options: AgentCommandOptions) {
  const { json, verbose } = options;
  const isWatched = !json && (verbose === true || terminal.stderr.isTTY === true);
  const answer = (piece: string) => void terminal.stdout.write(terminalText(piece));
  const aside = (piece: string) => void terminal.stderr.write(terminalText(piece));
  return {
    answer: isShownAsItComes(options) ? answer : undefined,
    aside: isWatched ? aside : undefined,
  };
}

function isShownAsItComes({ json, stream }: AgentCommandOptions): boolean {
  return !json && stream && terminal.stdout.isTTY === true;
}

function printResult(result: AgentResult, options: AgentCommandOptions): void {
  if (options.json) return printJson(agentAnswer(result));
  if (!isShownAsItComes(options) && result.answer !== null) print(plainText(result.answer));
  printRunEnd(result);
}

export function howToConfigureModel({ files }: Pick<Config, "files">): string {
  const file = files.at(-1) ?? "toolplane.json";
  return [
    `No model is configured. Add one to ${file}, any endpoint that speaks chat completions:`,
    "",
    '  "models": {',
    '    "default": {',
    '      "baseURL": "http://127.0.0.1:11434/v1",',
    '      "model": "NAME",',
    '      "apiKey": "${MODEL_KEY}"',
    "    }",
    "  }",
    "",
    "'apiKey' can be left out where none is needed.",
  ].join("\n");
}

export type ModelOptions = {
  toolset?: string;
  style?: AgentStyle;
  model?: string;
  context?: string;
  toolGroup?: string[];
  state?: string;
  maxTurns?: number;
  maxCalls?: number;
  maxTokens?: number;
  maxSeconds?: number;
  trace?: string;
};

export async function readModelOptions(options: ModelOptions): Promise<AgentOptions> {
  const { toolset, style, model, context, toolGroup, state, maxSeconds, trace } = options;
  const { maxTurns, maxCalls, maxTokens } = options;
  return {
    ...withoutUndefined({ toolset, style, model, state, maxTurns, maxCalls, maxTokens }),
    ...(toolGroup && { toolGroups: toolGroup.includes("*") ? "*" : toolGroup }),
    ...(maxSeconds !== undefined && { timeoutMs: maxSeconds * 1000 }),
    ...(trace !== undefined && { trace: "all_messages" }),
    ...(context !== undefined && { system: await readContext(context) }),
  };
}

/** Says what is wrong before anything is begun: no model at all, or a name that nothing has. */
export function requireModel(
  plane: Plane,
  { models = [], toolsets = [] }: { models?: readonly string[]; toolsets?: readonly string[] } = {},
): void {
  const config = plane.config();
  if (Object.keys(config.models).length === 0)
    throw new PlaneError("CONFIG_INVALID", howToConfigureModel(config));
  for (const name of models) requireKnown("model", name, Object.keys(config.models));
  for (const name of toolsets) requireKnown("toolset", name, Object.keys(config.toolsets));
}

function requireKnown(kind: string, name: string, configured: readonly string[]): void {
  if (configured.includes(name)) return;
  const [likeliest] = nearest(name, configured, 1);
  let remedy = `Add it to the configuration under '${kind}s'.`;
  if (likeliest) remedy = `Did you mean '${likeliest}'?`;
  throw new PlaneError("NOT_FOUND", `No ${kind} '${name}' is configured. ${remedy}`);
}

async function readContext(contextOption: string): Promise<string> {
  if (!contextOption.startsWith("@")) return contextOption;
  return readFile(contextOption.slice(1), "utf8").catch((thrown: Error) => {
    throw new PlaneError(
      "USAGE",
      `--context ${contextOption}: the file cannot be read: ${fileErrorText(thrown)}.`,
    );
  });
}

/** The conversation so far; empty where the file is not there yet. `/save` of the chat writes the same. */
export async function readHistoryFile(file: string): Promise<ChatMessage[]> {
  if (!existsSync(file)) return [];
  try {
    const parsed: unknown = JSON.parse(await readFile(file, "utf8"));
    const history = isObject(parsed) ? parsed.history : parsed;
    // What is in it is looked at where it counts.
    if (Array.isArray(history)) return history as ChatMessage[];
  } catch (thrown) {
    throw new PlaneError("USAGE", `--history ${file} cannot be read: ${fileErrorText(thrown)}.`);
  }
  throw new PlaneError(
    "USAGE",
    `--history ${file} holds no conversation: it must be {"history": […]}.`,
  );
}

export async function writeHistoryFile(
  file: string,
  { conversation, history }: AgentResult,
): Promise<void> {
  await writeOptionFile(
    "--history",
    file,
    `${JSON.stringify({ conversation, history }, null, 2)}\n`,
  );
}

/** Checked before the run: an answer that cannot be written costs the same. */
export async function requireWritable(option: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  await access(existsSync(file) ? file : dirname(resolve(file)), constants.W_OK).catch(
    (thrown: Error) => {
      throw new PlaneError(
        "USAGE",
        `${option} ${file} cannot be written: ${fileErrorText(thrown)}.`,
      );
    },
  );
}

const formats: Readonly<Record<string, RunFormat>> = {
  ".txt": "text",
  ".html": "html",
  ".htm": "html",
};

/** As a page for .html, as text for .txt, else as JSON: without what looks like a secret, as the plane keeps it. */
export async function writeTrace(plane: Plane, id: string, file: string): Promise<void> {
  const format = formats[extname(file).toLowerCase()];
  if (format) return writeOptionFile("--trace", file, (await plane.runs.render(id, format)).text);
  await writeOptionFile("--trace", file, `${JSON.stringify(await plane.runs.get(id), null, 2)}\n`);
}

async function writeOptionFile(option: string, file: string, content: string): Promise<void> {
  await writeFile(file, content, { mode: 0o600 }).catch((thrown: Error) => {
    throw new PlaneError("USAGE", `${option} ${file} cannot be written: ${fileErrorText(thrown)}.`);
  });
}
