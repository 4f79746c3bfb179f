import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { PlaneError } from "../../model/errors.ts";
import { isMissing, type Operation, runOperation } from "../../operations/operation.ts";
import { operations } from "../../operations/operations.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printJson, printNextPage, renderFacts, table } from "./terminal/output.ts";
import { withPlane } from "./with-plane.ts";

/** The body of a command that has none of its own: runs the operation with what was typed, and prints the answer. */
export function runCommandOf(command: string) {
  const operation = operations.find(({ cli }) => "about" in cli && cli.command === command);
  if (operation === undefined) throw new Error(`No operation has the command '${command}'`);
  return async (cli: Cli, ...args: unknown[]): Promise<void> => {
    const options = args.at(-1) as GlobalOptions;
    const input = readInput(operation, args);
    const answer = await withPlane(cli, options, (plane, signal) => {
      const principal = plane.identity.usualCaller();
      return runOperation(
        operation,
        plane,
        input,
        { principal, face: "cli", signal },
        { setup: null },
      );
    });
    show(operation, answer, options);
  };
}

/** Arguments by position under the names of the usage, options under theirs. */
function readInput({ name, cli, input }: Operation, args: readonly unknown[]): object {
  const usages = "about" in cli ? Object.keys(cli.arguments ?? {}) : [];
  const argumentNames = usages.map((usage) => usage.replaceAll(/[^\w]/g, ""));
  const options = args.at(-1) as Record<string, unknown>;
  const typed = {
    ...options,
    ...Object.fromEntries(argumentNames.map((argumentName, index) => [argumentName, args[index]])),
  };
  const ofInput = Object.fromEntries(Object.keys(input.shape).map((key) => [key, typed[key]]));
  const parsed = input.safeParse(withoutUndefined(ofInput));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new PlaneError("USAGE", `'${issue?.path.join(".") || name}': ${issue?.message}.`);
}

function show({ http, cli }: Operation, answer: unknown, options: GlobalOptions): void {
  const convert = isMissing(http) ? undefined : http.show;
  const shown = (convert ? convert(answer as never) : answer) as Record<string, unknown>;
  if (options.json) return printJson(shown);
  const form = "about" in cli ? cli : undefined;
  if (form?.text) return print(form.text(answer as never));
  if (form?.table === undefined)
    return print(renderFacts(16, Object.entries(shown).map(asFact)).join("\n"));
  const { rows, none: emptyText, columns } = form.table;
  const readers = Object.entries(columns).map(([title, column]) => {
    const readCell = (row: object) =>
      typeof column === "string" ? Reflect.get(row, column) : column(row as never);
    return [title, readCell] as const;
  });
  print(table(shown[rows] as object[], emptyText, Object.fromEntries(readers)));
  printNextPage((shown.nextCursor as string | null | undefined) ?? null, "There are more");
}

function asFact([label, value]: [string, unknown]) {
  const isPlain = value === null || typeof value !== "object";
  return [label, isPlain ? (value as string) : JSON.stringify(value)] as const;
}
