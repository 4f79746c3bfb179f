import { fixedInputs, inputsInPath } from "./fields.ts";
import { type HttpRoute, isMissing, type Operation } from "./operation.ts";
import { operations } from "./operations.ts";

/** How a client sends an operation over HTTP. */
export type RouteFacts = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** With `{name}` for an input that is part of it. */
  path: string;
  /** The inputs that the path names. */
  inPath: readonly string[];
  /** The values of inputs that this path, and no other of the operation, stands for. They are not sent. */
  fixed?: Readonly<Record<string, unknown>>;
  /** Where the other inputs go: fields of the body (`true`), or the query beside the one input that is the body. */
  body?: true | string;
  /** The input, in milliseconds, that `Prefer: wait=N` says in seconds. */
  wait?: string;
};

/**
 * The routes of each operation, those with most inputs in the path first. The build works it out
 * (scripts/built-tables.ts), so that the browser loads no schema.
 */
export const routeTable: Readonly<Record<string, readonly RouteFacts[]>> = Object.fromEntries(
  [...Map.groupBy(operations.flatMap(factsOf), ({ name }) => name)].map(([name, all]) => [
    name,
    all.map(({ facts }) => facts).toSorted((a, b) => b.inPath.length - a.inPath.length),
  ]),
);

function factsOf({ name, http, input }: Operation): { name: string; facts: RouteFacts }[] {
  if (isMissing(http)) return [];
  const { method, path, body, wait } = http;
  const fixed = fixedInputs(input);
  const facts: RouteFacts = {
    method: method.toUpperCase() as Uppercase<HttpRoute["method"]>,
    path,
    inPath: inputsInPath(path),
    ...(Object.keys(fixed).length > 0 && { fixed }),
    ...(body && { body: body.whole ?? true }),
    ...(wait && { wait: wait.input }),
  };
  return [{ name, facts }];
}
