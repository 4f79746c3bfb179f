import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileErrorText } from "../../../lib/files.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import { terminal } from "../terminal/terminal.ts";

export type Entry = {
  /** In the file, from 1. */
  line: number;
  id: string | number | null;
  /** Stands for its content: a result belongs to this and to nothing else. */
  hash: string;
  fields: UnknownObject;
};

/** What a line may say: whether a value is fit, and in words what would be. */
export type Fields = Record<string, { isFit(value: unknown): boolean; must: string }>;

const maxNamed = 5;

/** All lines of a file, or of standard input for `-`. All problems are reported before any work is done. */
export async function readEntries(file: string, known: Fields, required: string): Promise<Entry[]> {
  const content = await read(file);
  const problems: string[] = [];
  const entries: Entry[] = [];
  const ids = new Map<unknown, number>();
  for (const [at, line] of content.split("\n").entries()) {
    if (line.trim() === "") continue;
    const found = readLine(line, known, required);
    if (typeof found === "string") problems.push(`line ${at + 1}: ${found}`);
    else {
      const { id = null, ...fields } = found;
      const twin = id === null ? undefined : ids.get(id);
      if (twin !== undefined) problems.push(`line ${at + 1}: the id '${id}' is that of line ${twin} already`);
      ids.set(id, at + 1);
      const hash = createHash("sha256").update(line.trim()).digest("hex").slice(0, 16);
      entries.push({ line: at + 1, id: id as Entry["id"], hash, fields });
    }
  }
  if (problems.length > 0) throw tellProblems(file, problems);
  if (entries.length > 0) return entries;
  throw new PlaneError("USAGE", `'${file}' is empty. Each line is an object like {"${required}": "…"}.`);
}

async function read(file: string): Promise<string> {
  if (file === "-") return text(terminal.stdin);
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    throw new PlaneError("USAGE", `'${file}' cannot be read: ${fileErrorText(thrown)}.`);
  }
}

function readLine(line: string, known: Fields, required: string): UnknownObject | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (thrown) {
    return `it is not valid JSON: ${(thrown as Error).message}`;
  }
  if (!isObject(parsed)) return `it must be an object like {"${required}": "…"}`;
  if (parsed.id !== undefined && typeof parsed.id !== "string" && typeof parsed.id !== "number")
    return "'id' must be a string or a number";
  for (const [name, value] of Object.entries(parsed)) {
    if (name === "id") continue;
    const field = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!field) return `'${name}' is not known here${meant(name, Object.keys(known))}`;
    if (!field.isFit(value)) return `'${name}' must be ${field.must}`;
  }
  if (parsed[required] === undefined) return `'${required}' is missing`;
  return parsed;
}

function meant(name: string, known: readonly string[]): string {
  const [word] = nearest(name, known, 1);
  return word === undefined ? `; there are ${known.join(", ")}` : `; did you mean '${word}'?`;
}

function tellProblems(file: string, problems: readonly string[]): PlaneError {
  const more = problems.length - maxNamed;
  const told = problems.slice(0, maxNamed).join("; ");
  return new PlaneError(
    "USAGE",
    `'${file}' cannot be done as it is, so nothing was: ${told}${more > 0 ? `; and ${more} more` : ""}.`,
    { data: { problems } },
  );
}

export const fit = {
  text: { isFit: (value: unknown) => typeof value === "string", must: "a string" },
  name: {
    isFit: (value: unknown) => typeof value === "string" && value !== "",
    must: "a string that is not empty",
  },
  whole: {
    isFit: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
    must: "a whole number from 0 on",
  },
  positive: {
    isFit: (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0,
    must: "a whole number from 1 on",
  },
  number: { isFit: (value: unknown) => typeof value === "number" && value >= 0, must: "a number from 0 on" },
  anything: { isFit: () => true, must: "anything" },
  texts: {
    isFit: (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string"),
    must: "a list of strings",
  },
} satisfies Fields;

export function oneOf(choices: readonly string[]): Fields[string] {
  return { isFit: (value) => choices.includes(value as string), must: choices.join(" or ") };
}

/** A line of the file: which line of the input it belongs to, and what came of it. */
export type Result = { line: number; id: Entry["id"]; input: string; ok: boolean } & UnknownObject;

export type ResultsFile = {
  /** What is done already, by line of the input. */
  readonly done: ReadonlyMap<number, Result>;
  append(result: Result): void;
  /** Puts the results into the order of the input; until then they stand as they came. */
  finish(): void;
};

type OpenResults = { resume?: boolean | undefined; force?: boolean | undefined; redoFailed?: boolean };

/**
 * A file that keeps each result as soon as it is there, so that a run that was killed goes on where it was. A last line
 * that was written only in part is taken away.
 */
export function openResults(
  file: string,
  entries: readonly Entry[],
  { resume = false, force = false, redoFailed = false }: OpenResults,
): ResultsFile {
  const isThere = existsSync(file) && readFileSync(file, "utf8") !== "";
  if (isThere && !resume && !force)
    throw new PlaneError("USAGE", `'${file}' has results already. --resume goes on with it, --force overwrites it.`);
  if (!isThere || !resume) write(file, () => writeFileSync(file, "", { mode: 0o600 }));
  const kept = readResults(file);
  requireSameInput(file, kept, entries);
  const done = [...kept].filter(([, { ok }]) => ok || !redoFailed);
  return {
    done: new Map(done),
    append: (result) => write(file, () => appendFileSync(file, `${JSON.stringify(result)}\n`)),
    finish() {
      const lines = [...readResults(file).values()].toSorted((a, b) => a.line - b.line);
      const text = lines.map((result) => `${JSON.stringify(result)}\n`).join("");
      write(file, () => {
        writeFileSync(`${file}.sorting`, text, { mode: 0o600 });
        renameSync(`${file}.sorting`, file);
      });
    },
  };
}

/** By line of the input; of two the later one counts. */
function readResults(file: string): Map<number, Result> {
  const text = readFileSync(file, "utf8");
  const end = text.lastIndexOf("\n") + 1;
  if (end < text.length) truncateSync(file, Buffer.byteLength(text.slice(0, end)));
  const results = new Map<number, Result>();
  for (const [at, line] of text.slice(0, end).split("\n").entries()) {
    if (line === "") continue;
    const result = parse(line);
    if (!result)
      throw new PlaneError(
        "USAGE",
        `Line ${at + 1} of '${file}' is no result of ours. Give another file, or --force to overwrite it.`,
      );
    results.set(result.line, result);
  }
  return results;
}

function parse(line: string): Result | null {
  try {
    const parsed: unknown = JSON.parse(line);
    const isOurs =
      isObject(parsed) && typeof parsed.line === "number" && typeof parsed.input === "string" && "ok" in parsed;
    return isOurs ? (parsed as Result) : null;
  } catch {
    return null;
  }
}

/** Results of other questions would be mixed with these. */
function requireSameInput(file: string, kept: ReadonlyMap<number, Result>, entries: readonly Entry[]): void {
  const hashes = new Map(entries.map(({ line, hash }) => [line, hash]));
  const other = [...kept.values()].find(({ line, input }) => hashes.get(line) !== input);
  if (other)
    throw new PlaneError(
      "USAGE",
      `'${file}' was made from another input: line ${other.line} is not what it was. Give another file, or --force to overwrite it.`,
    );
}

function write(file: string, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    throw new PlaneError("USAGE", `'${file}' cannot be written: ${fileErrorText(thrown)}.`);
  }
}
