import { appendFileSync, existsSync, readFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { fileErrorText } from "../../../lib/files.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import type { Entry } from "./read-entries.ts";

/** A line of the file: which line of the input it belongs to, and what came of it. */
export type Result = { line: number; id: Entry["id"]; input: string; ok: boolean } & UnknownObject;

export type ResultsFile = {
  /** What is done already, by line of the input. */
  readonly done: ReadonlyMap<number, Result>;
  append(result: Result): void;
  /** Puts the results into the order of the input; until then they stand as they came. */
  finish(): void;
};

export type OpenResults = { resume?: boolean | undefined; force?: boolean | undefined; redoFailed?: boolean };

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
    throw new PlaneError("USAGE", `'${file}' has results already. --resume goes on with it, --force begins anew.`);
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
        `Line ${at + 1} of '${file}' is no result of ours. Give another file, or --force to begin anew.`,
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
      `'${file}' was made from another input: line ${other.line} is not what it was. Give another file, or --force to begin anew.`,
    );
}

function write(file: string, work: () => void): void {
  try {
    work();
  } catch (thrown) {
    throw new PlaneError("USAGE", `'${file}' cannot be written: ${fileErrorText(thrown)}.`);
  }
}
