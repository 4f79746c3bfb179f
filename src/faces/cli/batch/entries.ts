import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { fileErrorText } from "../../../lib/files.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import { readSource } from "../commands/option-values.ts";

export type BatchEntry = {
  /** In the file, from 1. */
  line: number;
  id: string | number | null;
  /** Stands for its content: a result belongs to this and to nothing else. */
  hash: string;
  fields: UnknownObject;
};

/** What a line may say: whether a value is fit, and in words what would be. */
export type EntryFields = Record<string, { isFit(value: unknown): boolean; must: string }>;

const maxNamed = 5;

/** All lines of a file, or of standard input for `-`. All problems are reported before any work is done. */
export async function readEntries(
  file: string,
  knownFields: EntryFields,
  required: string,
): Promise<BatchEntry[]> {
  const problems: string[] = [];
  const entries: BatchEntry[] = [];
  const ids = new Map<unknown, number>();
  for (const [index, text] of (await readSource(file)).split("\n").entries()) {
    if (text.trim() === "") continue;
    const line = index + 1;
    const parsed = readLine(text, knownFields, required);
    if (typeof parsed === "string") {
      problems.push(`line ${line}: ${parsed}`);
      continue;
    }
    const { id = null, ...fields } = parsed;
    const twin = id === null ? undefined : ids.get(id);
    if (twin !== undefined)
      problems.push(`line ${line}: the id '${id}' is that of line ${twin} already`);
    ids.set(id, line);
    const hash = createHash("sha256").update(text.trim()).digest("hex").slice(0, 16);
    entries.push({ line, id: id as BatchEntry["id"], hash, fields });
  }
  if (problems.length > 0) throw warnAboutEntries(file, problems);
  if (entries.length > 0) return entries;
  throw usage(`'${file}' is empty. Each line is an object like {"${required}": "…"}.`);
}

function readLine(
  line: string,
  knownFields: EntryFields,
  required: string,
): UnknownObject | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (thrown) {
    return `it is not valid JSON: ${(thrown as Error).message.replace(/ \(line 1 column \d+\)$/, "")}`;
  }
  if (!isObject(parsed)) return `it must be an object like {"${required}": "…"}`;
  const { id, ...fields } = parsed;
  if (id !== undefined && typeof id !== "string" && typeof id !== "number")
    return "'id' must be a string or a number";
  for (const [name, value] of Object.entries(fields)) {
    const field = Object.hasOwn(knownFields, name) ? knownFields[name] : undefined;
    if (!field) return `'${name}' is not known here${suggestion(name, Object.keys(knownFields))}`;
    if (!field.isFit(value)) return `'${name}' must be ${field.must}`;
  }
  if (parsed[required] !== undefined) return parsed;
  return `'${required}' is missing`;
}

function suggestion(name: string, knownFields: readonly string[]): string {
  const [likeliest] = nearest(name, knownFields, 1);
  if (likeliest !== undefined) return `; did you mean '${likeliest}'?`;
  return `; there are ${knownFields.join(", ")}`;
}

function warnAboutEntries(file: string, problems: readonly string[]): PlaneError {
  const furtherNote = problems.length > maxNamed ? `; and ${problems.length - maxNamed} more` : "";
  const shown = problems.slice(0, maxNamed).join("; ");
  return usage(
    `'${file}' has lines that cannot be used, so nothing was run: ${shown}${furtherNote}. Correct them and run it again.`,
    { problems },
  );
}

const isText = (value: unknown) => typeof value === "string";
const isWholeFrom = (minimum: number) => (value: unknown) =>
  Number.isSafeInteger(value) && Number(value) >= minimum;

export const fit = {
  text: { isFit: isText, must: "a string" },
  name: {
    isFit: (value: unknown) => isText(value) && value !== "",
    must: "a string that is not empty",
  },
  whole: { isFit: isWholeFrom(0), must: "an integer >= 0" },
  positive: { isFit: isWholeFrom(1), must: "an integer >= 1" },
  number: {
    isFit: (value: unknown) => typeof value === "number" && value >= 0,
    must: "a number >= 0",
  },
  anything: { isFit: () => true, must: "anything" },
  texts: {
    isFit: (value: unknown) => Array.isArray(value) && value.every(isText),
    must: "a list of strings",
  },
} satisfies EntryFields;

export function choiceField(choices: readonly string[]): EntryFields[string] {
  return { isFit: (value) => choices.includes(value as string), must: choices.join(" or ") };
}

/** A line of the file: which line of the input it belongs to, and its result. */
export type BatchResult = {
  line: number;
  id: BatchEntry["id"];
  input: string;
  ok: boolean;
} & UnknownObject;

export type ResultsFile = {
  /** What is done already, by line of the input. */
  readonly done: ReadonlyMap<number, BatchResult>;
  append(result: BatchResult): void;
  /** Puts the results into the order of the input; until then they stand as they came. */
  finish(): void;
};

type OpenResults = {
  resume?: boolean | undefined;
  force?: boolean | undefined;
  redoFailed?: boolean;
};

/** Keeps each result as soon as it is there, so that a run that was killed goes on where it was. */
export function openResults(
  file: string,
  entries: readonly BatchEntry[],
  { resume = false, force = false, redoFailed = false }: OpenResults,
): ResultsFile {
  const isThere = existsSync(file) && readFileSync(file, "utf8") !== "";
  if (isThere && !resume && !force)
    throw usage(`'${file}' has results already. --resume goes on with it, --force overwrites it.`);
  if (!isThere || !resume) writeOrRefuse(file, () => writeFileSync(file, "", { mode: 0o600 }));
  const earlier = readResults(file);
  requireSameInput(file, earlier, entries);
  return {
    done: new Map([...earlier].filter(([, { ok }]) => ok || !redoFailed)),
    append: (result) =>
      writeOrRefuse(file, () => appendFileSync(file, `${JSON.stringify(result)}\n`)),
    finish() {
      const lines = [...readResults(file).values()].toSorted((a, b) => a.line - b.line);
      const text = lines.map((result) => `${JSON.stringify(result)}\n`).join("");
      writeOrRefuse(file, () => {
        writeFileSync(`${file}.sorting`, text, { mode: 0o600 });
        renameSync(`${file}.sorting`, file);
      });
    },
  };
}

/** By line of the input; of two the later one counts. A last line that was written only in part is taken away. */
function readResults(file: string): Map<number, BatchResult> {
  const text = readFileSync(file, "utf8");
  const end = text.lastIndexOf("\n") + 1;
  if (end < text.length) truncateSync(file, Buffer.byteLength(text.slice(0, end)));
  const results = new Map<number, BatchResult>();
  for (const [index, line] of text.slice(0, end).split("\n").entries()) {
    if (line === "") continue;
    const result = parse(line);
    if (!result)
      throw usage(
        `Line ${index + 1} of '${file}' is not a result that Toolplane wrote. Give another file, or --force to overwrite it.`,
      );
    results.set(result.line, result);
  }
  return results;
}

function parse(line: string): BatchResult | null {
  try {
    const parsed: unknown = JSON.parse(line);
    const isOurs =
      isObject(parsed) &&
      typeof parsed.line === "number" &&
      typeof parsed.input === "string" &&
      "ok" in parsed;
    return isOurs ? (parsed as BatchResult) : null;
  } catch {
    return null;
  }
}

/** Results of other questions would be mixed with these. */
function requireSameInput(
  file: string,
  earlier: ReadonlyMap<number, BatchResult>,
  entries: readonly BatchEntry[],
): void {
  const hashes = new Map(entries.map(({ line, hash }) => [line, hash]));
  const stranger = [...earlier.values()].find(({ line, input }) => hashes.get(line) !== input);
  if (stranger)
    throw usage(
      `'${file}' was made from another input: line ${stranger.line} is not what it was. Give another file, or --force to overwrite it.`,
    );
}

function writeOrRefuse(file: string, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    throw usage(`'${file}' cannot be written: ${fileErrorText(thrown)}.`);
  }
}

function usage(message: string, data = {}): PlaneError {
  return new PlaneError("USAGE", message, { data });
}
