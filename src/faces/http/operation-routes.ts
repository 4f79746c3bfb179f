import { z } from "zod";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { UnknownObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import { fixedInputs, inputsInPath } from "../../operations/fields.ts";
import {
  type ConfigFiles,
  type HttpRoute,
  isMissing,
  type Operation,
  runOperation,
} from "../../operations/operation.ts";
import { parseBody, parseFields, refuseFields } from "./body.ts";
import type { ResponseDescription, Route } from "./describe-route.ts";
import { readWait } from "./prefer.ts";
import { type App, addRoute, type RouteRequest } from "./route.ts";

type AnyAsked = RouteRequest<z.ZodObject>;

/** What HTTP adds to an operation. */
export type Own = {
  /** Reads the query or the body itself; the input only describes it. */
  read?(given: string): object;
  /** Makes more of the answer than its JSON. `run` takes what else the plane gets beside the caller. */
  answer?(
    asked: AnyAsked,
    run: (more?: object) => Promise<never>,
    input: UnknownObject,
  ): Response | Promise<Response>;
};

/** Adds the route of an operation, if it has one. */
export function addOperation(
  app: App,
  plane: Plane,
  declared: Operation,
  setup: ConfigFiles | null,
  own: Own = {},
) {
  const { http } = declared;
  if (isMissing(http) || (declared.needsSetup && setup === null)) return;
  const inPath = inputsInPath(http.path);
  const fixed = fixedInputs(declared.input);
  const elsewhere = [...inPath, ...Object.keys(fixed), http.wait?.input, http.body?.whole];
  const { shape } = declared.input;
  const fields = z.object(
    Object.fromEntries(Object.entries(shape).filter(([name]) => !elsewhere.includes(name))),
  );
  addRoute(app, describe(declared, http, inPath, fields, own), async (asked) => {
    const { c, caller, param } = asked;
    const input: UnknownObject = {
      ...fixed,
      ...Object.fromEntries(inPath.map((name) => [name, param(name)])),
      ...withoutUndefined(await read(asked, http, fields, own)),
      ...waitOf(asked, http),
    };
    const asker = { ...caller, ...(http.cancels && { signal: c.req.raw.signal }) };
    const run = (more?: object) =>
      runOperation(declared, plane, input, { ...asker, ...more }, { setup });
    if (own.answer) return own.answer(asked, run as () => Promise<never>, input);
    const value = (await run()) as never;
    const status = http.status?.(value) ?? Number(Object.keys(http.answers)[0]);
    return c.json((http.show ? http.show(value) : value) as object, status as 200);
  });
}

function describe(
  declared: Operation,
  http: HttpRoute,
  inPath: string[],
  fields: z.ZodObject,
  own: Own,
) {
  const { summary, description, scope, input, output, cli } = declared;
  const { method, path, tag, open, body, wait, headers, answers, type, also, example } = http;
  const isQuery =
    Object.keys(fields.shape).length > 0 && (body === undefined || body.whole !== undefined);
  const only = { type, also, example };
  const statuses = Object.entries(answers).map(([status, means], at) => {
    const answer = withoutUndefined({ description: means, schema: output, ...(at === 0 && only) });
    return [status, answer as ResponseDescription];
  });
  return withoutUndefined({
    method,
    path,
    tag,
    scope,
    open,
    command: isMissing(cli) ? undefined : cli.command,
    summary,
    description,
    params: Object.fromEntries(inPath.map((name) => [name, input.shape[name]?.description ?? ""])),
    headers: { ...headers, ...(wait && { Prefer: `\`wait=N\`: ${wait.means}` }) },
    ...(isQuery && { [own.read ? "describedQuery" : "query"]: fields }),
    body: body && {
      schema:
        body.schema?.() ??
        (body.whole === undefined ? fields : (input.shape[body.whole] as z.ZodType)),
      description: body.description,
      example: body.example,
      required: body.optional !== true,
    },
    answers: Object.fromEntries(statuses),
  }) as Route<z.ZodObject>;
}

async function read(
  { c, query }: AnyAsked,
  { body, method }: HttpRoute,
  fields: z.ZodObject,
  own: Own,
): Promise<object> {
  if (own.read) return own.read(body ? await c.req.text() : new URL(c.req.url).search);
  if (body === undefined) {
    if (method !== "get") refuseFields(await c.req.text(), Object.keys(fields.shape));
    return query;
  }
  const text = await c.req.text();
  const like = JSON.stringify(body.example);
  return body.whole === undefined
    ? parseFields(text, fields, like)
    : { ...query, [body.whole]: parseBody(text, like) };
}

function waitOf({ c }: AnyAsked, { wait }: HttpRoute): object {
  const seconds = wait ? readWait(c.req.header("prefer")) : null;
  return wait === undefined || seconds === null ? {} : { [wait.input]: seconds * 1_000 };
}
