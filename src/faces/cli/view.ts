import type { Plane } from "../../model/plane.ts";
import type { CommandTable } from "../../operations/command-form.ts";
import {
  type AnswerIn,
  type HttpRoute,
  type InputIn,
  type Named,
  type Operation,
  runOperation,
} from "../../operations/operation.ts";
import { operations } from "../../operations/operations.ts";
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
import { checkedInput, formOf, typedInput } from "./typed-input.ts";
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

/** For an operation of a package. A core without the package has no command for it. */
export function viewOf<Input, Answer>(name: string, view: View<Input, Answer>): Body {
  return (cli, ...args) => bodyOf(operationOf(operations, name), view as View)(cli, ...args);
}

function operationOf(declared: readonly Operation[], name: string): Operation {
  const namesakes = declared.filter((candidate) => candidate.name === name);
  const operation = namesakes.find(({ cli }) => "about" in cli) ?? namesakes[0];
  if (operation === undefined) throw new Error(`There is no operation '${name}'`);
  return operation;
}

const asItIs = (answer: unknown): unknown => answer;

/** For a command that asks for several things. */
export async function askOperation<
  const Declared extends Operation,
  const Name extends Declared["name"],
>(
  declared: readonly Declared[],
  name: Name,
  input: InputIn<Named<Name, Declared>>,
  context: Asking,
): Promise<AnswerIn<Named<Name, Declared>>> {
  return ask(operationOf(declared, name), input as object, context);
}

type Asking = { plane: Plane; signal: AbortSignal };

async function ask(operation: Operation, input: object, { plane, signal }: Asking): Promise<never> {
  const asker = { principal: plane.identity.usualCaller(), face: "cli", signal } as const;
  const answer = await runOperation(operation, plane, input, asker, { setup: null });
  const { show = asItIs } = operation.http as Partial<HttpRoute>;
  return show(answer as never) as never;
}

/** Runs the operation with what was typed, and shows its answer. */
export function bodyOf(operation: Operation, view: View = {}): Body {
  const { json = asItIs } = view;
  return async (cli, ...args) => {
    const options = args.at(-1) as TypedContext["options"];
    const work = async (plane: Plane, signal: AbortSignal) => {
      const typedContext = { plane, signal, args, options };
      const typed = typedInput(operation, args);
      const replaced = await view.input?.(typed as never, typedContext);
      const input = checkedInput(operation, { ...typed, ...replaced });
      const answer = await ask(operation, input, typedContext);
      const context = { ...typedContext, input: input as never };
      const facts = {
        exitCode: view.exitCode?.(answer) ?? 0,
        warning: view.warning?.(answer, context) ?? null,
      };
      if (options.json) return { ...facts, document: await json(answer, context) };
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

function renderAnswer(operation: Operation, view: View, answer: never, context: Shown<never>) {
  if (view.text) return view.text(answer, context);
  const form = formOf(operation);
  const rows = view.table ?? form.table;
  if (rows !== undefined) return joinLines(renderRows(rows, answer), view.below?.(answer, context));
  if (form.text) return form.text(answer);
  return renderFacts(16, Object.entries(answer as object).map(asFact)).join("\n");
}

function renderRows({ rows, none: emptyText, columns }: CommandTable, answer: object): string {
  const list = Reflect.get(answer, rows) as object[];
  const cells = Object.entries(columns).map(([field, column]) => {
    const { title, text = asItIs } = typeof column === "string" ? { title: column } : column;
    const readCell = (row: object) =>
      text(Reflect.get(row, field) as never, row as never, list as never) as string;
    return [title, readCell] as const;
  });
  return table(list, emptyText, Object.fromEntries(cells));
}

function asFact([label, value]: [string, unknown]) {
  const isPlain = value === null || typeof value !== "object";
  return [label, isPlain ? (value as string) : JSON.stringify(value)] as const;
}
