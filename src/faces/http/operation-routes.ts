import { z } from "zod";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { Plane } from "../../model/plane.ts";
import { type HttpRoute, isMissing, type Operation, runOperation } from "../../operations/operation.ts";
import { parseFields } from "./body.ts";
import type { Answer } from "./describe-route.ts";
import { readWait } from "./prefer.ts";
import { type App, type Asked, addRoute } from "./route.ts";

/** What a face of its own makes of an answer, where it is more than its JSON. */
export type Renderer = (value: never) => Response;

/** Adds the route of an operation. Inputs that its path does not name are its query, or its body where it has one. */
export function addOperation(app: App, plane: Plane, declared: Operation, render?: Renderer): void {
  const { http, input, summary, description, scope } = declared;
  if (isMissing(http)) return;
  const inPath = [...http.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const others = Object.keys(input.shape).filter((name) => !inPath.includes(name) && name !== http.wait?.input);
  const fields = z.object(pick(input.shape, others));
  const body = http.body ? fields : undefined;
  const route = {
    method: http.method,
    path: http.path,
    tag: http.tag,
    scope,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(inPath.length > 0 ? { params: descriptions(input, inPath) } : {}),
    ...(http.wait ? { headers: { Prefer: `\`wait=N\`: ${http.wait.means}` } } : {}),
    ...(body === undefined && others.length > 0 ? { query: fields } : {}),
    ...(http.body && body ? { body: describeBody(http.body, body) } : {}),
    answers: answersOf(http, declared.output),
  };
  addRoute(app, route as Parameters<typeof addRoute>[1], async (asked) => {
    const given = { ...(await inputOf(asked, http, inPath, body)), ...waitOf(asked, http) };
    const asker = { ...asked.caller, ...(http.cancels ? { signal: asked.c.req.raw.signal } : {}) };
    const value = await runOperation(declared, plane, given, asker);
    if (render) return render(value as never);
    const status = http.status?.(value as never) ?? (Number(Object.keys(http.answers)[0]) as 200);
    return asked.c.json((http.show ? http.show(value as never) : value) as object, status as 200);
  });
}

type AnyAsked = Asked<z.ZodObject>;

async function inputOf(
  { c, query, param }: AnyAsked,
  http: HttpRoute,
  inPath: string[],
  body: z.ZodObject | undefined,
) {
  const fromPath = Object.fromEntries(inPath.map((name) => [name, param(name)]));
  const given = http.body && body ? parseFields(await c.req.text(), body, JSON.stringify(http.body.example)) : query;
  return { ...fromPath, ...withoutUndefined(given as object) };
}

function waitOf({ c }: AnyAsked, { wait }: HttpRoute): object {
  const seconds = wait ? readWait(c.req.header("prefer")) : null;
  return wait === undefined || seconds === null ? {} : { [wait.input]: seconds * 1_000 };
}

function describeBody({ description, example, optional }: NonNullable<HttpRoute["body"]>, schema: z.ZodObject) {
  return { schema, description, example, required: optional !== true };
}

/** Every status that is no error has the same body, where it has one. */
function answersOf({ answers }: HttpRoute, schema: z.ZodType): Record<number, Answer> {
  return Object.fromEntries(Object.entries(answers).map(([status, description]) => [status, { description, schema }]));
}

function pick(shape: z.ZodRawShape, names: readonly string[]): z.ZodRawShape {
  return Object.fromEntries(names.map((name) => [name, shape[name] as z.ZodType]));
}

function descriptions(input: z.ZodObject, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, (input.shape[name] as z.ZodType).description ?? ""]));
}
