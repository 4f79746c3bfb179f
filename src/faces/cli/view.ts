import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { Column, CommandForm, CommandTable } from "../../operations/command-form.ts";
import {
  type AnswerIn,
  type InputIn,
  type Named,
  type Operation,
  runOperation,
} from "../../operations/operation.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import {
  joinLines,
  print,
  printJson,
  printNextPage,
  printWarning,
  renderFacts,
  table,
} from "./terminal/output.ts";
import { type OpenExtra, withPlane } from "./with-plane.ts";

/** What the command line adds to an operation. What is typed, and what comes of it, the operation declares. */
export type View<Input = never, Answer = never> = {
  /** What is asked, where it is not what was typed: the whole id of its first characters, the content of a file. */
  input?(typed: Typed<Input>, context: TypedContext): Replaced<Input> | Promise<Replaced<Input>>;
  /** Instead of the declared one: with moments, colors and the like. */
  table?: CommandTable<Answer>;
  /** What stands below the table. */
  below?(answer: Answer, context: Shown<Input>): string | null;
  /** All that people see, where a table is not enough. Null: it has printed everything itself. */
  text?(answer: Answer, context: Shown<Input>): Awaitable<string | null>;
  /** How much of a list its page is. */
  pageText?(answer: Answer): string;
  /** What programs see, where it is not the answer. Null: it has printed everything itself. */
  json?(answer: Answer, context: Shown<Input>): unknown;
  /** On standard error, also beside an answer for programs. */
  warning?(answer: Answer, context: Shown<Input>): string | null;
  exitCode?(answer: Answer): number;
  open?: OpenExtra;
};

type Awaitable<Value> = Value | Promise<Value>;
/** As the shell gave it; what is text in the input was text there. */
type Typed<Input> = {
  readonly [Name in keyof Input]: Input[Name] extends string | undefined ? Input[Name] : unknown;
};
type Replaced<Input> = Readonly<Partial<Record<keyof Input, unknown>>>;
type TypedContext = {
  plane: Plane;
  signal: AbortSignal;
  args: readonly unknown[];
  options: GlobalOptions & Readonly<Record<string, unknown>>;
};
type Shown<Input> = TypedContext & { input: Input };

type Body = (cli: Cli, ...args: unknown[]) => Promise<number>;

/** Makes bodies of commands from the operations of a noun: `viewsOf(auditOperations)("audit.list", {…})`. */
export function viewsOf<const Declared extends Operation>(declared: readonly Declared[]) {
  return <Name extends Declared["name"]>(
    name: Name,
    view: View<InputIn<Named<Name, Declared>>, AnswerIn<Named<Name, Declared>>>,
  ): Body => bodyOf(operationOf(declared, name), view as View);
}

function operationOf(declared: readonly Operation[], name: string): Operation {
  const namesakes = declared.filter((candidate) => candidate.name === name);
  const operation = namesakes.find(formOf) ?? namesakes[0];
  if (operation === undefined) throw new Error(`There is no operation '${name}'`);
  return operation;
}

/** For a command that asks for several things. */
export async function askOperation<
  const Declared extends Operation,
  const Name extends Declared["name"],
>(
  declared: readonly Declared[],
  name: Name,
  plane: Plane,
  input: InputIn<Named<Name, Declared>>,
): Promise<AnswerIn<Named<Name, Declared>>> {
  return ask(operationOf(declared, name), plane, input as object);
}

async function ask(
  operation: Operation,
  plane: Plane,
  input: object,
  signal?: AbortSignal,
): Promise<never> {
  const caller = { principal: plane.identity.usualCaller(), face: "cli" } as const;
  const asker = signal === undefined ? caller : { ...caller, signal };
  const answer = await runOperation(operation, plane, input, asker, { setup: null });
  const { http } = operation;
  // As HTTP gives it.
  return ("show" in http && http.show ? http.show(answer as never) : answer) as never;
}

/** Runs the operation with what was typed, and shows its answer. */
export function bodyOf(operation: Operation, view: View = {}): Body {
  return async (cli, ...args) => {
    const options = args.at(-1) as TypedContext["options"];
    const work = async (plane: Plane, signal: AbortSignal) => {
      const typedContext = { plane, signal, args, options };
      const typed = typedInput(operation, args);
      const replaced = await view.input?.(typed as never, typedContext);
      const input = checkedInput(operation, { ...typed, ...replaced });
      const answer = await ask(operation, plane, input, signal);
      const context = { ...typedContext, input: input as never };
      const facts = {
        exitCode: view.exitCode?.(answer) ?? 0,
        warning: view.warning?.(answer, context) ?? null,
      };
      if (options.json)
        return { ...facts, document: view.json ? await view.json(answer, context) : answer };
      return { ...facts, answer, text: await renderAnswer(operation, view, answer, context) };
    };
    const shown = await withPlane(cli, options, work, view.open);
    if (shown.warning !== null) printWarning(shown.warning);
    if ("document" in shown) {
      if (shown.document !== null) printJson(shown.document);
    } else if (shown.text !== null) {
      print(shown.text);
      const { nextCursor = null } = (shown.answer ?? {}) as { nextCursor?: string | null };
      printNextPage(nextCursor, view.pageText?.(shown.answer) ?? "There are more");
    }
    return shown.exitCode;
  };
}

function formOf({ cli }: Operation): CommandForm | undefined {
  return "about" in cli ? cli : undefined;
}

/** By input: the argument or the option that fills it. */
function sourcesOf({ arguments: args = {}, options = {} }: CommandForm): Map<string, string> {
  const byArgument = Object.keys(args).map((usage) => [usage.replaceAll(/\W/g, ""), usage]);
  const byOption = Object.entries(options).map(([flags, option]) => {
    const input = typeof option === "string" ? undefined : option.input;
    return [camelCase(input ?? optionKey(flags)), flags];
  });
  return new Map([...byOption, ...byArgument] as [string, string][]);
}

/** Arguments by position under the names of the usage, options under those of their inputs. */
function typedInput(operation: Operation, args: readonly unknown[]): Record<string, unknown> {
  const options = args.at(-1) as Record<string, unknown>;
  const form = formOf(operation);
  const usages = Object.keys(form?.arguments ?? {});
  const sources = form ? sourcesOf(form) : new Map<string, string>();
  const typed = Object.keys(operation.input.shape).map((name) => {
    const source = sources.get(camelCase(name));
    const position = usages.indexOf(source ?? "");
    if (position >= 0) return [name, args[position]];
    return [name, options[source === undefined ? name : optionKey(source)]];
  });
  return withoutUndefined(Object.fromEntries(typed) as Record<string, unknown>);
}

/** `--min-ms <number>` is `minMs`, and so is it in the options that were read. */
function optionKey(flags: string): string {
  const [, name = ""] = /--(?:no-)?([\w-]+)/.exec(flags) ?? [];
  return camelCase(name);
}

function camelCase(name: string): string {
  return name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
}

function checkedInput(operation: Operation, typed: Record<string, unknown>): object {
  const parsed = operation.input.safeParse(withoutUndefined(typed));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0] ?? operation.name);
  const form = formOf(operation);
  const source = (form && sourcesOf(form).get(camelCase(name)))?.split(" ")[0] ?? `'${name}'`;
  const value = typed[name];
  const valueText = typeof value === "string" ? ` cannot be '${value}'` : "";
  throw new PlaneError("USAGE", `${source}${valueText}: ${issue?.message}.`);
}

function renderAnswer(operation: Operation, view: View, answer: never, context: Shown<never>) {
  if (view.text) return view.text(answer, context);
  const form = formOf(operation);
  const rows = view.table ?? form?.table;
  if (rows !== undefined) return joinLines(renderRows(rows, answer), view.below?.(answer, context));
  if (form?.text) return form.text(answer);
  return renderFacts(16, Object.entries(answer as object).map(asFact)).join("\n");
}

function renderRows({ rows, none: emptyText, columns }: CommandTable, answer: object): string {
  const cells = Object.entries(columns).map(([field, column]) => {
    const { title, text } = typeof column === "string" ? plainColumn(column) : column;
    const readCell = (row: object) => text(Reflect.get(row, field) as never, row as never);
    return [title, readCell] as const;
  });
  return table(Reflect.get(answer, rows) as object[], emptyText, Object.fromEntries(cells));
}

function plainColumn(title: string): Column<string, never> {
  return { title, text: (cell) => cell };
}

function asFact([label, value]: [string, unknown]) {
  const isPlain = value === null || typeof value !== "object";
  return [label, isPlain ? (value as string) : JSON.stringify(value)] as const;
}
