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

type AnyRequest = RouteRequest<z.ZodObject>;

/** What HTTP adds to an operation. */
export type HttpAddition = {
  /** Reads the query or the body itself; the input only describes it. */
  read?(text: string): object;
  /** Makes more of the answer than its JSON. `run` takes what else the plane gets beside the caller. */
  answer?(
    request: AnyRequest,
    run: (more?: object) => Promise<never>,
    input: UnknownObject,
  ): Response | Promise<Response>;
};

/** Adds the route of an operation, if it has one. */
export function addOperation(
  app: App,
  plane: Plane,
  operation: Operation,
  setup: ConfigFiles | null,
  addition: HttpAddition = {},
) {
  const { http } = operation;
  if (isMissing(http) || (operation.needsSetup && setup === null)) return;
  const inPath = inputsInPath(http.path);
  const fixed = fixedInputs(operation.input);
  const inputsElsewhere = [...inPath, ...Object.keys(fixed), http.wait?.input, http.body?.whole];
  const { shape } = operation.input;
  const fields = z.object(
    Object.fromEntries(Object.entries(shape).filter(([name]) => !inputsElsewhere.includes(name))),
  );
  addRoute(app, describe(operation, http, inPath, fields, addition), async (request) => {
    const { c, caller, param } = request;
    const input: UnknownObject = {
      ...fixed,
      ...Object.fromEntries(inPath.map((name) => [name, param(name)])),
      ...withoutUndefined(await readInput(request, http, fields, addition)),
      ...waitOf(request, http),
    };
    const asker = { ...caller, ...(http.cancels && { signal: c.req.raw.signal }) };
    const run = (more?: object) =>
      runOperation(operation, plane, input, { ...asker, ...more }, { setup });
    if (addition.answer) return addition.answer(request, run as () => Promise<never>, input);
    const value = (await run()) as never;
    const status = http.status?.(value) ?? Number(Object.keys(http.answers)[0]);
    const shown = http.show ? (http.show(value) as never) : value;
    return c.json((http.hide ? http.hide(shown) : shown) as object, status as 200);
  });
}

function describe(
  operation: Operation,
  http: HttpRoute,
  inPath: string[],
  fields: z.ZodObject,
  addition: HttpAddition,
) {
  const { summary, description, scope, input, output, cli } = operation;
  const { method, path, tag, open, body, wait, headers, answers, type, also, example } = http;
  const isQuery =
    Object.keys(fields.shape).length > 0 && (body === undefined || body.whole !== undefined);
  const ofFirstStatus = { type, also, example };
  const statuses = Object.entries(answers).map(([status, means], index) => {
    const answer = withoutUndefined({
      description: means,
      schema: output,
      ...(index === 0 && ofFirstStatus),
    });
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
    ...(isQuery && { [addition.read ? "describedQuery" : "query"]: fields }),
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

async function readInput(
  { c, query }: AnyRequest,
  { body, method }: HttpRoute,
  fields: z.ZodObject,
  addition: HttpAddition,
): Promise<object> {
  if (addition.read) return addition.read(body ? await c.req.text() : new URL(c.req.url).search);
  if (body === undefined) {
    if (method !== "get") refuseFields(await c.req.text(), Object.keys(fields.shape));
    return query;
  }
  const text = await c.req.text();
  const like = JSON.stringify(body.example);
  if (body.whole === undefined) return parseFields(text, fields, like);
  return { ...query, [body.whole]: parseBody(text, like) };
}

function waitOf({ c }: AnyRequest, { wait }: HttpRoute): object {
  if (wait === undefined) return {};
  const seconds = readWait(c.req.header("prefer"));
  if (seconds === null) return {};
  return { [wait.input]: seconds * 1_000 };
}
