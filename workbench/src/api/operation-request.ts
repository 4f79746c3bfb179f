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
  const fields: Fields = input;
  const { method, path, inPath, fixed = {}, body, wait = "" } = routeOf(name, fields);
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, fieldName: string) =>
    encodeURIComponent(String(fields[fieldName])),
  );
  const sentElsewhere = [...inPath, ...Object.keys(fixed), wait, body];
  const parameters = Object.fromEntries(
    Object.entries(fields).filter(([fieldName]) => !sentElsewhere.includes(fieldName)),
  );
  const headers: OperationRequest["headers"] = {};
  if (fields[wait] !== undefined)
    headers.prefer = `wait=${Math.ceil(Number(fields[wait]) / 1_000)}`;
  if (body === true) return { method, path: filledPath, body: parameters, headers };
  const request = { method, path: withQuery(filledPath, parameters), headers };
  return body === undefined ? request : { ...request, body: fields[body] };
}

/** The most specific path that these inputs fill. */
function routeOf(name: string, fields: Fields): RouteFacts {
  const isFilled = ({ inPath, fixed = {} }: RouteFacts) =>
    inPath.every((fieldName) => fields[fieldName] !== undefined) &&
    Object.entries(fixed).every(([fieldName, value]) => fields[fieldName] === value);
  const route = routeTable[name]?.find(isFilled);
  if (route === undefined)
    throw new Error(`The operation '${name}' has no route for these inputs.`);
  return route;
}

/** `/tools?server=git`, without empty values. */
function withQuery(path: string, query: Fields): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const parameter of [value].flat())
      if (parameter !== undefined && parameter !== null && parameter !== "")
        parameters.append(name, String(parameter));
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}
