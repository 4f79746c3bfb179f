import type { z } from "zod";
import type { AuditedWork } from "../model/audit.ts";
import type { Setup, SetupAdding, SetupEntries, SetupRules } from "../model/config/setup.ts";
import type { JsonObject, TypeOf } from "../model/json.ts";
import type { Caller, Plane } from "../model/plane.ts";
import type { AbortSignal } from "../model/platform.ts";
import type { Scope } from "../model/principal.ts";
import type { CliCommand } from "./command-form.ts";

export type Tag =
  | "Tools"
  | "Servers"
  | "Calls"
  | "Agents"
  | "Code"
  | "Approvals"
  | "Dead letters"
  | "Registry"
  | "Jobs"
  | "Questions"
  | "Sign-in"
  | "Keys"
  | "Audit"
  | "Events"
  | "Extensions"
  | "Operation";

/** Why a verb cannot be reached over one of the faces. */
export type Missing = { missing: string };

/** Over the socket, for what changes configuration files. */
export const filesOnly: Missing = { missing: "the command line reads and writes the files itself" };

/** Who asks, and when they go away. */
export type Asker = Required<Pick<Caller, "principal" | "face">> &
  Caller & { signal?: AbortSignal };

/** Lists that come from servers: a command waits until all have answered, a page shows what is there. */
export const impatient = (asker: Asker): Asker & { waitMs?: number } =>
  asker.face === "cli" ? asker : { ...asker, waitMs: 1_000 };

/** What a face knows beside the caller. */
export type OperationContext = {
  /** Writes the configuration files; null where the plane has none. */
  setup: ConfigFiles | null;
};

export type ConfigFiles = Pick<
  Setup,
  "check" | "explain" | "importClients" | "putServer" | "removeServer"
> &
  Pick<Setup, "putToolset" | "removeToolset" | "undoRemoval" | "putModel"> &
  Pick<Setup, "clients" | "connectClient" | "disconnectClient"> &
  SetupAdding &
  SetupEntries &
  SetupRules;

/** The body of a request. */
export type HttpBody = {
  description: string;
  example: JsonObject;
  /** No body is one without fields. */
  optional?: true;
  /** The input that the whole body is; the others are the query then. */
  whole?: string;
  /** Its JSON Schema, where the inputs do not say it. */
  schema?(): object;
};

/**
 * How a verb is reached over HTTP. Inputs that the path does not name are the body where it has one, or the query; an
 * input with one value (`z.literal`) tells paths of the same verb apart and is not sent.
 */
export type HttpRoute = {
  method: "get" | "post" | "put" | "delete";
  /** With `{name}` for an input that is part of it. */
  path: `/${string}`;
  tag: Tag;
  body?: HttpBody;
  /** Headers that are read. */
  headers?: Record<string, string>;
  /** The input that `Prefer: wait=N` sets, and what it means. */
  wait?: { input: "wait" | "approvalWaitMs"; means: string };
  /** A program of this machine needs no proof for it: it calls a tool, ends a run, or only looks. Else all but GET take one. */
  open?: true;
  /** It ends when the client goes away. */
  cancels?: true;
  /** What each status means: `One page.`, `The job.` … */
  answers: Record<number, string>;
  /** The media type, where it is not JSON; and others, for clients that ask for them. */
  type?: string;
  also?: readonly string[];
  example?: unknown;
  status?(value: never): number;
  /** The body of the answer, where the method of the plane gives something else. */
  show?(value: never): unknown;
  /** The same body without what is not for strangers. */
  hide?(body: never): unknown;
};

/** The record of a change, whichever face asks for it. */
export type Audit<Input = never> = {
  /** What is changed. Left out, the first input by position. */
  target?(input: Input, result?: Fields): unknown;
  /** What was asked for beside the target. */
  input?(input: Input): unknown;
  /** The target, before and after. */
  snapshot?(plane: Plane, input: Input, caller: Caller): unknown;
  /** Where nothing shows it: what became of it. */
  after?(answer: Fields): unknown;
  /** Nothing is changed. */
  isTrial?(input: Input): boolean;
};

export type Fields = Readonly<Record<string, unknown>>;

/** The named fields that are set. */
export function pick(from: unknown, ...names: string[]): Fields {
  const fields = (from ?? {}) as Fields;
  return Object.fromEntries(
    names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
}

/** Of a change of an entry of the catalogue: what its history says. */
export function changedEntry<Input>(
  nameOf: (input: Input) => unknown,
  ...more: string[]
): Audit<Input> {
  return {
    target: nameOf,
    input: (input) => pick(input, "reason", "persona", ...more),
    snapshot: async (plane, input, caller) =>
      (await plane.registry.changes({ name: String(nameOf(input)), limit: 1 }, caller)).changes[0]
        ?.after,
  };
}

/**
 * One verb of the plane, declared once. HTTP routes, the OpenAPI document, the socket, the flags and help of the
 * command line, the reference documents and the workbench's client are derived from it.
 */
export type Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Name extends string = string,
  Args extends readonly string[] = readonly string[],
  Command = CliCommand,
> = {
  /** `jobs.history` is `plane.jobs.history`. */
  name: Name;
  /** The inputs that the library takes by position; `...` are the others as one object. The caller comes after them. */
  args: Args;
  summary: string;
  description?: string;
  /** How a program calls the method, for the reference of the library. */
  example?: string;
  /** What the caller must be allowed to do; null where the operation decides for itself. */
  scope: Scope | null;
  input: Input;
  output: Output;
  http: HttpRoute | Missing;
  cli: Command | Missing;
  socket?: Missing;
  /** The method of the plane takes no caller. */
  isAnonymous?: true;
  /** It reads or writes the configuration files. */
  needsSetup?: true;
  /** What is recorded of it. Left out, it changes nothing, or its calls and runs are on record. */
  audit?: Audit<z.output<Input>>;
  /** Where it is more than one call of the plane. */
  run?(
    plane: Plane,
    input: z.output<Input>,
    asker: Asker,
    situation: OperationContext,
  ): Promise<unknown>;
};

export function operation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  const Name extends string,
  const Args extends readonly string[],
>(
  declared: Operation<Input, Output, Name, Args, CliCommand<z.output<Input>, TypeOf<Output>>>,
): Operation<Input, Output, Name, Args> {
  return declared as Operation<Input, Output, Name, Args>;
}

/** Those of this name; one declaration may stand for several names. */
export type Named<Name, Declared> = Declared extends { name: infer Names }
  ? Name extends Names
    ? Declared
    : never
  : never;

/** What an operation gets, once it was checked. */
export type InputIn<Declared> = Declared extends { input: infer Input extends z.ZodObject }
  ? TypeOf<Input>
  : never;

/** What a face shows of its answer. */
export type AnswerIn<Declared> = Declared extends { output: infer Output extends z.ZodType }
  ? TypeOf<Output>
  : never;

export const isMissing = (surface: object | undefined): surface is Missing =>
  surface !== undefined && "missing" in surface;

/** Runs an operation on a plane with an input that was checked. */
export async function runOperation(
  declared: Operation,
  plane: Plane,
  input: object,
  asker: Asker,
  situation: OperationContext,
): Promise<unknown> {
  const { run } = declared;
  if (run === undefined)
    return methodOf(plane, declared.name)?.(...argumentsOf(declared, input as JsonObject, asker));
  const todo = () => run(plane, input as never, asker, situation);
  const { audit } = declared as { audit?: Audit<object> };
  // A method of the plane leaves its record itself.
  if (audit === undefined || methodOf(plane, declared.name) !== undefined || audit.isTrial?.(input))
    return todo();
  return plane.audit.run(auditedWork(declared, plane, input, asker), asker, todo);
}

/** What is recorded of it, with this input. */
export function auditedWork(
  declared: Operation,
  plane: Plane,
  input: object,
  caller: Caller,
): AuditedWork {
  const { name: operation, args } = declared;
  const { target, input: auditedInput, snapshot, after } = declared.audit as Audit<object>;
  const firstArgument = Reflect.get(input, args[0] ?? "");
  return {
    operation,
    target: (answer) => (target ? target(input, answer as Fields | undefined) : firstArgument),
    input: auditedInput?.(input),
    snapshot: async () => snapshot?.(plane, input, caller),
    after: (answer) => after?.((answer ?? {}) as Fields),
  };
}

/** `jobs.run` is `plane.jobs.run`. */
export function methodOf(
  plane: Plane,
  path: string,
): ((...args: unknown[]) => unknown) | undefined {
  const find = (part: unknown, name: string): unknown => part && Reflect.get(part as object, name);
  return path.split(".").reduce(find, plane) as undefined;
}

function argumentsOf({ args, isAnonymous }: Operation, input: JsonObject, asker: Asker): unknown[] {
  if (isAnonymous) return args.map((name) => input[name]);
  const restInput = Object.fromEntries(
    Object.entries(input).filter(([key, value]) => !args.includes(key) && value !== undefined),
  );
  if (args.includes("..."))
    return [...args.map((name) => (name === "..." ? restInput : input[name])), asker];
  return [...args.map((name) => input[name]), { ...restInput, ...asker }];
}
