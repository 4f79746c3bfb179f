import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
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
const outputFlags = ["--json"];
const flags = ["--yes", "--plan", "--dry-run", "--force", "--offline", "--standalone"];
const valuedFlags = [
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
  const argsOption = args === undefined ? {} : readArgs(args, tool);
  const texts = pairs
    .map(splitPair)
    .flatMap((pair) => (pair === null || pair.isJson ? [] : [pair.key]));
  return {
    tool,
    arguments: { ...argsOption, ...Object.fromEntries(pairs.map((pair) => readPair(pair, tool))) },
    ...withoutUndefined({ texts: texts.length > 0 ? texts : undefined }),
  };
}

type SortedWords = { plain: string[]; args: string | undefined; unread: string[] };

function sortWords(words: readonly string[]): SortedWords {
  const sorted: SortedWords = { plain: [], args: undefined, unread: [] };
  for (let index = 0; index < words.length; index++) {
    const argument = words[index] as string;
    if (argument === "--") {
      sorted.plain.push(...words.slice(index + 1));
      break;
    }
    if (!/^-./.test(argument)) sorted.plain.push(argument);
    else {
      const [, name = argument, attached] = /^(--[^=]*)=(.*)$/s.exec(argument) ?? [];
      const takesNext = valuedFlags.includes(name) && attached === undefined;
      if (name === "--args") sorted.args = attached ?? words[index + 1] ?? "(nothing)";
      else if (!outputFlags.includes(name) || attached !== undefined) sorted.unread.push(name);
      if (takesNext) index += 1;
    }
  }
  return sorted;
}

function unreadOption(option: string, tool: string): UnreadableCall {
  const knownOptions = [...outputFlags, ...flags, ...valuedFlags];
  if (knownOptions.includes(option))
    return new UnreadableCall(
      `The option ${option} is not a part of a plan.`,
      "Leave it out, and give it to 'toolplane plan run' where that has it.",
      tool,
    );
  const [nearestOption] = nearest(option, knownOptions, 1);
  const hint =
    nearestOption === undefined
      ? "Give arguments as --args '{…}', key=value or key:=json."
      : `Did you mean ${nearestOption}?`;
  return new UnreadableCall(`'toolplane call' has no option ${option}.`, hint, tool);
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
  const argumentPair = splitPair(pair);
  if (argumentPair === null)
    throw new UnreadableCall(
      `'${pair}' is not an argument.`,
      "Write key=value or key:=json.",
      tool,
    );
  return [
    argumentPair.key,
    argumentPair.isJson ? readJson(argumentPair.value, argumentPair.key, tool) : argumentPair.value,
  ];
}

function readJson(text: string, source: string, tool: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    const positionText = /at position \d+/.exec((thrown as Error).message)?.[0];
    const detail = positionText === undefined ? "" : ` ${positionText}`;
    const hint =
      source === "--args"
        ? `Quote it for the shell: --args '{"key":"value"}'.`
        : `For text write ${source}=….`;
    throw new UnreadableCall(`${source} is not valid JSON${detail}.`, hint, tool);
  }
}
