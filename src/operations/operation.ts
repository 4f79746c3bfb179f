import type { z } from "zod";
import type { JsonObject } from "../model/json.ts";
import type { Caller, Plane } from "../model/plane.ts";
import type { AbortSignal } from "../model/platform.ts";
import type { Scope } from "../model/principal.ts";

export type Tag =
  | "Tools"
  | "Servers"
  | "Calls"
  | "Agents"
  | "Approvals"
  | "Dead letters"
  | "Registry"
  | "Jobs"
  | "Questions"
  | "Sign-in"
  | "Keys"
  | "Events"
  | "Operation";

/** Why a verb cannot be reached over one of the faces. */
export type Missing = { missing: string };

/** Who asks, and when they go away. */
export type Asker = Caller & { signal?: AbortSignal; approvalWaitMs?: number };

/** How a verb is reached over HTTP. Inputs that the path does not name are the query of a GET, otherwise the body. */
export type HttpRoute = {
  method: "get" | "post" | "put" | "delete";
  /** With `{name}` for an input that is part of it. */
  path: `/${string}`;
  tag: Tag;
  /** Inputs that are parameters of the query although the route takes a body, or has none. */
  query?: readonly string[];
  /** What the body is for, and one that makes sense. `optional` where none is a body without fields. */
  body?: { description: string; example: JsonObject; optional?: true; schema?: z.ZodType };
  headers?: Record<string, string>;
  /** What each status means; 200 is `One page.`, `The job.` … */
  answers: Record<number, string>;
  /** Other media types of the answer, and the type where it is not JSON. */
  also?: readonly string[];
  type?: string;
  example?: JsonObject;
  status?(value: never): number;
};

/** How a verb is reached on the command line: `jobs history <name>`, with the inputs in angle brackets as arguments. */
export type CliCommand = { command: string; examples?: readonly string[]; hidden?: readonly string[] };

/**
 * One verb of the plane, declared once. HTTP routes, the OpenAPI document, the socket, the flags and help of the
 * command line, the reference documents and the workbench's client are derived from it.
 */
export type Operation<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> = {
  /** `jobs.history` is `plane.jobs.history`. */
  name: string;
  /** The inputs that the library takes by position; `...` are the others as one object. The caller comes after them. */
  args: readonly string[];
  summary: string;
  description?: string;
  /** What the caller must be allowed to do; null where the operation decides for itself. */
  scope: Scope | null;
  input: Input;
  output: Output;
  http: HttpRoute | Missing;
  cli: CliCommand | Missing;
  socket?: Missing;
  /** Where it is more than one call of the plane. */
  run?(plane: Plane, input: z.output<Input>, asker: Asker): Promise<unknown>;
  /** What the answer of the plane is on a face. */
  show?(value: never): unknown;
};

export function operation<Input extends z.ZodObject, Output extends z.ZodType>(
  declared: Operation<Input, Output>,
): Operation<Input, Output> {
  return declared;
}

export const isMissing = (way: object | undefined): way is Missing => way !== undefined && "missing" in way;

/** Runs an operation on a plane with an input that was checked. */
export async function runOperation(declared: Operation, plane: Plane, input: object, asker: Asker): Promise<unknown> {
  const value = declared.run
    ? await declared.run(plane, input as never, asker)
    : await methodOf(plane, declared.name)(...argumentsOf(declared, input as JsonObject, asker));
  return declared.show ? declared.show(value as never) : value;
}

/** `jobs.run` is `plane.jobs.run`. */
export function methodOf(plane: Plane, path: string): (...args: unknown[]) => unknown {
  return path.split(".").reduce<unknown>((part, name) => Reflect.get(part as object, name), plane) as () => unknown;
}

function argumentsOf({ args }: Operation, input: JsonObject, asker: Asker): unknown[] {
  const rest = Object.fromEntries(
    Object.entries(input).filter(([key, value]) => !args.includes(key) && value !== undefined),
  );
  if (args.includes("...")) return [...args.map((name) => (name === "..." ? rest : input[name])), asker];
  return [...args.map((name) => input[name]), { ...rest, ...asker }];
}
