import { nearest } from "@toolplane/core/lib/text/nearest";
import type { ShellWord } from "@toolplane/core/lib/text/shell";
import { splitPair } from "@toolplane/core/lib/text/typed-text";
import { isObject, type Json, type JsonObject } from "@toolplane/core/model/json";

/** A call as a command line says it. */
type CallWords = { tool: string; arguments: JsonObject; texts?: string[] };

/** What is wrong with a command line, and what to write instead. */
export class UnreadableCall extends Error {
  readonly tool: string | null;
  readonly hint: string | null;

  constructor(message: string, hint: string | null, tool: string | null = null) {
    super(message);
    this.tool = tool;
    this.hint = hint;
  }
}

/** It changes what is printed and nothing else. */
const harmless = ["--json"];
const flags = ["--yes", "--plan", "--dry-run", "--force", "--offline", "--standalone"];
const valued = [
  "--args",
  "--timeout",
  "--conversation",
  "--tool-group",
  "--state",
  "--max-result",
  "--save-artifacts",
  "--config",
  "--user",
  "--group",
  "--persona",
  "--compliance",
  "--data-dir",
];

/** Reads the words behind `toolplane`. Throws an UnreadableCall. */
export function readCall(words: readonly ShellWord[]): CallWords {
  const { plain, args, unread } = sortWords(words.map(({ text }) => text));
  const [verb, tool, ...pairs] = plain;
  if (verb !== "call")
    throw new UnreadableCall(
      `'${["toolplane", ...(verb === undefined ? [] : [verb])].join(" ")}' is not a tool call.`,
      "A plan is made of 'toolplane call NAME' only.",
    );
  if (tool === undefined || tool === "")
    throw new UnreadableCall("The call names no tool.", "Write toolplane call NAME --args '{…}'.");
  const [option] = unread;
  if (option !== undefined) throw unreadOption(option, tool);
  const given = args === undefined ? {} : readArgs(args, tool);
  const texts = pairs
    .map(splitPair)
    .flatMap((pair) => (pair === null || pair.isJson ? [] : [pair.key]));
  return {
    tool,
    arguments: { ...given, ...Object.fromEntries(pairs.map((pair) => readPair(pair, tool))) },
    ...(texts.length === 0 ? {} : { texts }),
  };
}

type Sorted = { plain: string[]; args: string | undefined; unread: string[] };

function sortWords(words: readonly string[]): Sorted {
  const sorted: Sorted = { plain: [], args: undefined, unread: [] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === "--") {
      sorted.plain.push(...words.slice(at + 1));
      break;
    }
    if (!/^-./.test(word)) sorted.plain.push(word);
    else {
      const [, name = word, attached] = /^(--[^=]*)=(.*)$/s.exec(word) ?? [];
      const takesNext = valued.includes(name) && attached === undefined;
      if (name === "--args") sorted.args = attached ?? words[at + 1] ?? "(nothing)";
      else if (!harmless.includes(name) || attached !== undefined) sorted.unread.push(name);
      if (takesNext) at += 1;
    }
  }
  return sorted;
}

function unreadOption(option: string, tool: string): UnreadableCall {
  const known = [...harmless, ...flags, ...valued];
  if (known.includes(option))
    return new UnreadableCall(
      `The option ${option} is not a part of a plan.`,
      "Leave it out, and give it to 'toolplane plan run' where that has it.",
      tool,
    );
  const [near] = nearest(option, known, 1);
  return new UnreadableCall(
    `'toolplane call' has no option ${option}.`,
    near === undefined
      ? "Give arguments as --args '{…}', key=value or key:=json."
      : `Did you mean ${near}?`,
    tool,
  );
}

function readArgs(text: string, tool: string): JsonObject {
  if (text === "-" || text.startsWith("@"))
    throw new UnreadableCall(
      "The arguments come from elsewhere, which is not looked at.",
      "Write them into the plan: --args '{…}'.",
      tool,
    );
  if (text.trim() === "") return {};
  const value = readJson(text, "--args", tool);
  if (isObject(value)) return value as JsonObject;
  throw new UnreadableCall("--args is not a JSON object.", `Write --args '{"key":"value"}'.`, tool);
}

function readPair(pair: string, tool: string): [string, Json] {
  const parts = splitPair(pair);
  if (parts === null)
    throw new UnreadableCall(
      `'${pair}' is not an argument.`,
      "Write key=value or key:=json.",
      tool,
    );
  return [parts.key, parts.isJson ? readJson(parts.value, parts.key, tool) : parts.value];
}

function readJson(text: string, where: string, tool: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    const place = /at position \d+/.exec((thrown as Error).message)?.[0];
    throw new UnreadableCall(
      `${where} is not valid JSON${place === undefined ? "" : ` ${place}`}.`,
      where === "--args"
        ? `Quote it for the shell: --args '{"key":"value"}'.`
        : `For text write ${where}=….`,
      tool,
    );
  }
}
