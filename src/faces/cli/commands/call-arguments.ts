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
  words: readonly string[],
  piped = "",
): Promise<unknown> {
  const [json, ...more] = words.filter(isJsonWord);
  const values = words.filter((word) => !isJsonWord(word));
  if (json !== undefined && (args !== undefined || more.length > 0))
    throw usage("All arguments as JSON are given twice. Leave one of them out");
  const isPiped = args === undefined && words.length === 0;
  const whole = isPiped ? piped : (json ?? (args === undefined ? "" : await readText(args)));
  const given = merge(
    whole,
    values,
    isPiped ? "Standard input" : json === undefined ? sourceOf(args) : asWord,
  );
  return values.length === 0 && whole.trim() !== "" && isObject(given) ? whole : given;
}

/** How messages name JSON that was typed without `--args`. */
const asWord = "What begins with '{'";

/** `{"name": "Ann"}` beside `key=value`. */
const isJsonWord = (word: string) => /^\s*\{/.test(word);

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
  // Else the process would stay for it.
  stdin.destroy();
  return "";
}

/** How messages name what was given with `--args`. */
function sourceOf(args = ""): string {
  if (args === "-") return "Standard input";
  return args.startsWith("@") ? `The file '${args.slice(1)}'` : "--args";
}

function merge(text: string, values: readonly string[], source: string): unknown {
  const given = text.trim() === "" ? {} : parseJson(text, source);
  if (values.length === 0) return given;
  const base = given === null ? {} : given;
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
  const given = merge(args === undefined ? "" : await readText(args), values, sourceOf(args));
  if (isObject(given)) return given as JsonObject;
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
  // Most are plain words: the tool's server starts before anything is looked up.
  if (texts.length === 0) return args;
  const found = await plane.tools.get(tool).catch(() => null);
  return found === null ? args : typedMembers(args, texts, found.parameters);
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
  const wrong = textKeys(values).filter((key) => paths.includes(`/${key}`));
  if (wrong.length === 0) return [];
  const found = await plane.tools.get(tool).catch(() => null);
  return wrong.flatMap((key) => {
    const [kind, example] = wanted[memberTypes(found?.parameters, key)?.[0] ?? ""] ?? [];
    return kind === undefined ? [] : [`'${key}' must be ${kind}: write ${key}:=${example}`];
  });
}

const wanted: Record<string, [kind: string, example: string]> = {
  integer: ["an integer", "1"],
  number: ["a number", "1"],
  boolean: ["true or false", "true"],
  null: ["null", "null"],
  array: ["a list", "'[]'"],
  object: ["an object", "'{}'"],
};

function textKeys(words: readonly string[]): string[] {
  const values = words.filter((word) => !isJsonWord(word));
  return values.map(splitPair).flatMap((pair) => (pair === null || pair.isJson ? [] : [pair.key]));
}

async function readText(args: string): Promise<string> {
  if (args === "-") return readSource("-");
  return args.startsWith("@")
    ? readSource(args.slice(1), `The file '${args.slice(1)}' of --args`)
    : args;
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
    const isFile = where.includes(" ") && where !== asWord;
    const quoted = `'{"key":"value"}'`;
    const example = { "--args": `--args ${quoted}`, [asWord]: quoted }[where];
    const typed =
      example === undefined
        ? `For text write ${where}=…`
        : `Quote it for the shell, e.g. ${example}`;
    const ends = where === "Standard input" ? ". Where it is not meant, write < /dev/null" : "";
    const remedy = isFile ? `It has to hold one JSON object, as in {"key": "value"}${ends}` : typed;
    throw usage(`${where} is not valid JSON: ${(thrown as Error).message}. ${remedy}`);
  }
}

function usage(message: string): PlaneError {
  return new PlaneError("USAGE", `${message}.`);
}
