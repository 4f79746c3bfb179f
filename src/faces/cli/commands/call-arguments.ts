import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { mayBeTyped, memberTypes, splitPair, typedMembers } from "../../../lib/text/typed-text.ts";
import type { Outcome } from "../../../model/calls/call.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type JsonObject, type UnknownObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { readSource } from "./option-values.ts";

/**
 * JSON first, of `--args`, as a word, or that came on standard input; then `key=value` pairs on top. JSON alone stays the
 * text that was typed, so that nothing in it changes.
 */
export async function readCallArguments(
  args: string | undefined,
  typed: readonly string[],
  piped = "",
): Promise<unknown> {
  const [json, ...more] = typed.filter(isJsonWord);
  const values = typed.filter((argument) => !isJsonWord(argument));
  if (json !== undefined && (args !== undefined || more.length > 0))
    throw usage("All arguments as JSON are given twice. Leave one of them out");
  const { text, source } = await readJsonText(args, json, typed.length === 0 ? piped : "");
  const merged = merge(text, values, source);
  return values.length === 0 && text.trim() !== "" && isObject(merged) ? text : merged;
}

/** The JSON, and how messages name it. */
async function readJsonText(args: string | undefined, json: string | undefined, piped: string) {
  if (json !== undefined) return { text: json, source: typedJson };
  if (args !== undefined) return { text: await readText(args), source: sourceOf(args) };
  return { text: piped, source: "Standard input" };
}

/** How messages name JSON that was typed without `--args`. */
const typedJson = "What begins with '{'";

/** `{"name": "Ann"}` beside `key=value`. */
const isJsonWord = (argument: string) => /^\s*\{/.test(argument);

/** A pipe that nothing is written to may be another program's, which never ends it. */
const firstByteMs = 1_000;

/** What is written to standard input; nothing at a terminal, and where nothing comes. */
export async function readPiped(stdin: Readable & { isTTY?: boolean }): Promise<string> {
  if (stdin.isTTY) return "";
  const isThere = await new Promise<boolean>((resolve) => {
    const settle = (answer: boolean) => {
      clearTimeout(timer);
      for (const event of ["readable", "end", "error"]) stdin.removeAllListeners(event);
      resolve(answer);
    };
    const timer = setTimeout(() => settle(false), firstByteMs);
    stdin.once("readable", () => settle(true));
    stdin.once("end", () => settle(false));
    stdin.once("error", () => settle(false));
  });
  if (isThere) return text(stdin);
  // An open pipe would keep the process alive.
  stdin.destroy();
  return "";
}

/** How messages name what was given with `--args`. */
function sourceOf(args = ""): string {
  if (args === "-") return "Standard input";
  if (!args.startsWith("@")) return "--args";
  return `The file '${args.slice(1)}'`;
}

function merge(text: string, values: readonly string[], source: string): unknown {
  const parsed = text.trim() === "" ? {} : parseJson(text, source);
  if (values.length === 0) return parsed;
  const base = parsed ?? {};
  if (!isObject(base))
    throw usage("--args must be a JSON object when key=value pairs are given too");
  return { ...base, ...Object.fromEntries(values.map(parsePair)) } satisfies UnknownObject;
}

/** For options that must be a JSON object. */
export async function readInput(
  args: string | undefined,
  values: readonly string[],
  problem = "--args must be a JSON object: the input by its names.",
): Promise<JsonObject> {
  const input = merge(args === undefined ? "" : await readText(args), values, sourceOf(args));
  if (isObject(input)) return input as JsonObject;
  throw new PlaneError("USAGE", problem);
}

/** `key=text` as the tool's schema wants it. A tool that cannot be looked up is reported by the call itself. */
export async function typedForTool(
  plane: Pick<Plane, "tools">,
  tool: string,
  args: unknown,
  values: readonly string[],
): Promise<unknown> {
  if (!isObject(args)) return args;
  const texts = textKeys(values).filter((key) => mayBeTyped(String(args[key])));
  // Plain words stay as they are, so that the call begins without looking up the tool.
  if (texts.length === 0) return args;
  const described = await plane.tools.get(tool).catch(() => null);
  if (described === null) return args;
  return typedMembers(args, texts, described.parameters);
}

/** What to write for each `key=value` that is not what the tool takes. */
export async function argumentHints(
  plane: Pick<Plane, "tools">,
  tool: string,
  { error }: Outcome,
  values: readonly string[],
): Promise<string[]> {
  const { problems } = error?.code === "INVALID_ARGUMENTS" ? error.data : {};
  const paths = Array.isArray(problems) ? problems.map(({ path }: { path: string }) => path) : [];
  const wrongKeys = textKeys(values).filter((key) => paths.includes(`/${key}`));
  if (wrongKeys.length === 0) return [];
  const described = await plane.tools.get(tool).catch(() => null);
  return wrongKeys.flatMap((key) => {
    const [type] = memberTypes(described?.parameters, key) ?? [];
    const hint = type && typeHints[type];
    if (!hint) return [];
    return [`'${key}' must be ${hint.what}: write ${key}:=${hint.json}`];
  });
}

const typeHints: Record<string, { what: string; json: string } | undefined> = {
  integer: { what: "an integer", json: "1" },
  number: { what: "a number", json: "1" },
  boolean: { what: "true or false", json: "true" },
  null: { what: "null", json: "null" },
  array: { what: "a list", json: "'[]'" },
  object: { what: "an object", json: "'{}'" },
};

/** The keys of `key=text`. What follows `key:=` is JSON, with a type of its own. */
function textKeys(typed: readonly string[]): string[] {
  const values = typed.filter((argument) => !isJsonWord(argument));
  const pairs = values.map(splitPair).filter((pair) => pair !== null);
  return pairs.filter(({ isJson }) => !isJson).map(({ key }) => key);
}

async function readText(args: string): Promise<string> {
  if (args === "-") return readSource("-");
  if (!args.startsWith("@")) return args;
  return readSource(args.slice(1), `The file '${args.slice(1)}' of --args`);
}

function parsePair(pair: string): [string, unknown] {
  const parts = splitPair(pair);
  if (parts === null) {
    const allAtOnce = pair === "-" ? "; '--args -' reads all of them from standard input" : "";
    throw usage(`'${pair}' is not an argument. Write key=value or key:=json${allAtOnce}`);
  }
  const { key, value, isJson } = parts;
  return [key, isJson ? parseJson(value, key) : value];
}

/** Strict, unlike what a model sends: a person can type it again. */
function parseJson(json: string, where: string): unknown {
  try {
    return JSON.parse(json);
  } catch (thrown) {
    const { message } = thrown as Error;
    throw usage(`${where} is not valid JSON: ${message}. ${jsonRemedy(where)}`);
  }
}

function jsonRemedy(where: string): string {
  const quoted = `'{"key":"value"}'`;
  if (where === "--args") return `Quote it for the shell, e.g. --args ${quoted}`;
  if (where === typedJson) return `Quote it for the shell, e.g. ${quoted}`;
  if (!where.includes(" ")) return `For text write ${where}=…`;
  const ending = where === "Standard input" ? ". Where it is not meant, write < /dev/null" : "";
  return `It has to hold one JSON object, as in {"key": "value"}${ending}`;
}

function usage(message: string): PlaneError {
  return new PlaneError("USAGE", `${message}.`);
}
