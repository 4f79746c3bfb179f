import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import {
  askingHere,
  type Cli,
  type GlobalOptions,
  print,
  printError,
  printJson,
  printStatus,
  renderValue,
  type TextOptions,
  terminal,
  typedHere,
  withPlane,
} from "@toolplane/core/faces/cli/views";

import { fileErrorText } from "@toolplane/core/lib/files";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { plainText } from "@toolplane/core/lib/text/plain-text";
import type { CodeOutcome } from "@toolplane/core/model/agent/code-run";
import { exitCodeFor, PlaneError } from "@toolplane/core/model/errors";

type RunOptions = TextOptions<"eval" | "resume" | "conversation"> & {
  timeout?: number;
  readOnly?: boolean;
  plan?: boolean;
  yes?: boolean;
};

export async function runProgram(
  cli: Cli,
  file: string | undefined,
  options: RunOptions,
): Promise<number> {
  const source = await readProgram(file, options);
  const { readOnly, resume, conversation, yes: consent } = options;
  return withPlane(cli, options, async (plane, signal) => {
    const {
      text: _,
      stored: __,
      ...outcome
    } = await plane.code.run(source, {
      ...withoutUndefined({ readOnly, resume, conversation, consent }),
      face: "cli",
      signal,
      ...typedHere(),
      ...(options.timeout !== undefined && { timeoutMs: options.timeout * 1000 }),
      ...(options.plan && { mode: "plan" as const }),
      ...(await askingHere(options)),
    });
    if (options.json) printJson(outcome);
    else printOutcome(outcome);
    return outcome.error ? exitCodeFor(outcome.error) : 0;
  });
}

/** The value goes to standard output, what was logged to a person. */
function printOutcome({ value, logs, error, waiting = [], run }: Omit<CodeOutcome, "text">): void {
  for (const line of logs) printStatus(plainText(line));
  if (error) printError(error);
  else if (value !== null) print(renderValue(value));
  for (const { id, plan } of waiting)
    printStatus(
      `Approve it: toolplane ${plan ? `plan approve ${plan}` : `approvals approve ${id}`}`,
    );
  if (error && waiting.length > 0) printStatus(`Then go on: toolplane code run --resume ${run}`);
}

async function readProgram(
  file: string | undefined,
  { eval: source, resume }: RunOptions,
): Promise<string> {
  const sources = [file, source, resume].filter((source) => source !== undefined);
  if (sources.length !== 1)
    throw new PlaneError(
      "USAGE",
      "Give one of: a file, -e with the program itself, or --resume with a run that waits.",
    );
  if (file === undefined) return source ?? "";
  if (file === "-") return text(terminal.stdin);
  return readFile(file, "utf8").catch((thrown: unknown) => {
    throw new PlaneError(
      "USAGE",
      `The program '${file}' cannot be read: ${fileErrorText(thrown)}.`,
    );
  });
}

export async function searchCodeTools(
  cli: Cli,
  query: string,
  options: GlobalOptions & { limit?: number },
): Promise<void> {
  const search = await withPlane(cli, options, (plane) =>
    plane.code.search(query, { face: "cli", ...withoutUndefined({ limit: options.limit }) }),
  );
  if (options.json) return printJson(search);
  if (search.note !== undefined) printStatus(plainText(search.note));
  if (search.declarations === "") print("No tool was found.");
  else print(plainText(search.declarations));
}
