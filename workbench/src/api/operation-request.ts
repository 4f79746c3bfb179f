import type { InputOf, OperationName } from "../../../src/operations/operations.ts";
import { type RouteFacts, routeTable } from "../../../src/operations/route-table.ts";

type Fields = Readonly<Record<string, unknown>>;
export type OperationRequest = Pick<RouteFacts, "method" | "path"> & {
  body?: unknown;
  headers: Record<string, string>;
};

/** What is sent for an operation: the inputs that its path names, the others as its query or body. */
export function requestOf<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
): OperationRequest {
  const given: Fields = input;
  const { method, path, inPath, fixed = {}, body, wait = "" } = routeOf(name, given);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, one: string) =>
    encodeURIComponent(String(given[one])),
  );
  const elsewhere = [...inPath, ...Object.keys(fixed), wait, body];
  const rest = Object.fromEntries(
    Object.entries(given).filter(([one]) => !elsewhere.includes(one)),
  );
  return {
    method,
    path: body === true ? filled : withQuery(filled, rest),
    ...(body !== undefined && { body: body === true ? rest : given[body] }),
    headers:
      given[wait] === undefined ? {} : { prefer: `wait=${Math.ceil(Number(given[wait]) / 1_000)}` },
  };
}

/** The most specific path that these inputs fill. */
function routeOf(name: string, given: Fields): RouteFacts {
  const fits = ({ inPath, fixed = {} }: RouteFacts) =>
    inPath.every((one) => given[one] !== undefined) &&
    Object.entries(fixed).every(([one, value]) => given[one] === value);
  const found = routeTable[name]?.find(fits);
  if (found === undefined)
    throw new Error(`The operation '${name}' has no route for these inputs.`);
  return found;
}

/** `/tools?server=git`, without empty values. */
function withQuery(path: string, query: Fields): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null && one !== "") parameters.append(name, String(one));
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}
