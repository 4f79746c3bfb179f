import { z } from "zod";
import { nearest } from "../../../lib/text/nearest.ts";
import { policyModes } from "../../../model/calls/call.ts";
import { type Relay, readTraceContext } from "../../../model/calls/provider.ts";
import { sideEffects } from "../../../model/catalogue/tool.ts";
import { parseToolQuery, withoutShared } from "../../../model/catalogue/tool-query.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { Cursor, Limit, NextCursor } from "../../../operations/fields.ts";
import { AccessOptions, accessOptionsIn } from "../../../operations/schemas/access-options.ts";
import { Locked } from "../../../operations/schemas/locked.ts";
import { Outcome, outcomeExample } from "../../../operations/schemas/outcome.ts";
import { Tool } from "../../../operations/schemas/tool.ts";
import { View } from "../../../operations/schemas/tool-row.ts";
import { Best, checkBest, queryBestFirst } from "../best-first.ts";
import { parseBody, unknownField } from "../body.ts";
import { streamCall } from "../call-stream.ts";
import { readWait, withWaiting } from "../prefer.ts";
import { readQuery } from "../read-query.ts";
import { renderOutcome } from "../render.ts";
import { type App, addRoute } from "../route.ts";
import { renderRows } from "../tool-row.ts";
import { renderTool } from "../tool-view.ts";
import { wantsStream } from "../wants-stream.ts";

const CallBody = z.object({
  arguments: z.unknown().optional().meta({ type: "object", description: "What the tool is called with." }),
  timeoutMs: z.number().min(0).optional().meta({ description: "0 for no limit." }),
  conversation: z.string().optional(),
  idempotencyKey: z.string().optional(),
  ...AccessOptions,
  dryRun: z.boolean().optional().meta({
    description: "Find, authorise, check and route the call, and do not make it; no approval is requested.",
  }),
  maxResultBytes: z.number().int().min(0).optional().meta({
    description:
      "Characters of the result that are given whole; a larger one is kept and its handle given. 0 for no limit.",
  }),
  mode: z
    .enum(policyModes)
    .optional()
    .meta({ description: "A stricter mode than the configured one; a wider one is not heard." }),
});

/** What other APIs call the arguments. */
const argumentWords = ["args", "argument", "params", "parameters", "input"];

const maxShownArguments = 5;

/** An unknown field is a misspelt option or an argument in the wrong place: the call would run without what was meant. */
function refuseUnknown(body: UnknownObject): void {
  const known = Object.keys(CallBody.shape);
  const unknown = Object.keys(body).filter((key) => !known.includes(key));
  const [first] = unknown;
  if (first === undefined) return;
  if (Object.hasOwn(body, "arguments")) throw unknownField(first, known);
  if (argumentWords.includes(first.toLowerCase()) && isObject(body[first]))
    throw unknownField(first, known, "arguments");
  const [near] = nearest(first, known, 1);
  const guess = near === undefined ? "" : ` If you meant '${near}', write that instead of '${first}'.`;
  throw new PlaneError("USAGE", `The body has no 'arguments'. Send ${bodyWith(body, unknown)}.${guess}`, {
    data: { parameter: "arguments" },
  });
}

/** The body that was probably meant. Text is left out of it: it may be secret. */
function bodyWith(body: UnknownObject, names: readonly string[]): string {
  const shown = names.slice(0, maxShownArguments).map((name) => {
    const value = body[name];
    const isPlain = typeof value === "number" || typeof value === "boolean" || value === null;
    return `${JSON.stringify(name)}: ${isPlain ? JSON.stringify(value) : "…"}`;
  });
  const rest = names.length > maxShownArguments ? ", …" : "";
  return `{"arguments": {${shown.join(", ")}${rest}}}`;
}

/** What a call is made with; what makes no sense is refused by name. */
function parseCall(text: string) {
  const body = parseBody(text, '{"arguments": {…}}');
  refuseUnknown(body);
  const { arguments: args, timeoutMs, conversation, idempotencyKey, mode, maxResultBytes, dryRun } = body;
  const narrower = policyModes.find((candidate) => candidate === mode);
  if (mode !== undefined && narrower === undefined) {
    throw new PlaneError("USAGE", `'mode' must be one of ${policyModes.join(", ")}.`);
  }
  if (dryRun !== undefined && typeof dryRun !== "boolean") {
    throw new PlaneError("USAGE", "'dryRun' must be true or false.", { data: { parameter: "dryRun" } });
  }
  if (timeoutMs !== undefined && (typeof timeoutMs !== "number" || timeoutMs < 0)) {
    throw new PlaneError("USAGE", "'timeoutMs' must be a number of milliseconds, 0 for no limit.");
  }
  if (conversation !== undefined && typeof conversation !== "string") {
    throw new PlaneError("USAGE", "'conversation' must be a text.");
  }
  if (idempotencyKey !== undefined && (typeof idempotencyKey !== "string" || idempotencyKey === "")) {
    throw new PlaneError("USAGE", "'idempotencyKey' must be a text.");
  }
  if (maxResultBytes !== undefined && !(Number.isSafeInteger(maxResultBytes) && Number(maxResultBytes) >= 0)) {
    throw new PlaneError("USAGE", "'maxResultBytes' must be a whole number of characters, 0 for no limit.");
  }
  return {
    arguments: args,
    ...accessOptionsIn(body),
    ...(dryRun === undefined ? {} : { dryRun }),
    ...(maxResultBytes === undefined ? {} : { maxResultBytes: Number(maxResultBytes) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(narrower === undefined ? {} : { mode: narrower }),
  };
}

const list = (description: string, of: z.ZodType = z.string()) =>
  z
    .array(of)
    .optional()
    .meta({ description: `${description} Repeated, or separated by commas.` });
const text = (description: string) => z.string().optional().meta({ description });
const flag = (description: string) => z.boolean().optional().meta({ description });

/** What `parseToolQuery` takes, in words; it alone decides. A test compares the names. */
export const ToolFilters = z.object({
  persona: list(
    `What belongs to these personas, and what is shared; ${withoutShared.join(", ")} leave out what is shared.`,
  ),
  provider: list("Tools that have all of these kinds of provider."),
  capability: list("Tools that have all of these capabilities, in any case."),
  version: text("A semver range: `^1.2`, `~1.2`, `1.x`, `>=1.2, <2`, `1.2 || ^3`; `1.2` is 1.2.0."),
  min_success_rate: text("`0.8`, `80` or `80%`; `1` is all of them."),
  include_unused: flag("Tools that were never called; left out only where a success rate above 0 is asked for."),
  side_effects: list("Tools with one of these.", z.enum(sideEffects)),
  safety_level: list("Tools with one of these.", z.enum(["low", "medium", "high"])),
  server: text("The tools of this server."),
  group: list("Tools of one of these groups; `default` when left out, `*` for all, an empty one for none."),
  state: text("Tools that are there in this state."),
  q: text("Words that the name, the title, the description or the capabilities contain."),
  limit: Limit,
  cursor: Cursor,
  include_provider_health: flag("False leaves out the health of each provider."),
});

/** What is not known by then is there the next time. */
const waitMs = 1_000;
/** A list while typing waits for no server; an event follows when one has listed. */
const atOnceMs = 1;
const wording = { spell: (parameter: string) => `'${parameter}'`, nearest };
const name = "The tool's name, in any spelling.";

const ToolPage = z.object({
  count: z.number().int(),
  total: z.number().int().meta({ description: "All that match, on this page or not." }),
  nextCursor: NextCursor,
  tools: z.array(Tool).meta({ description: "`ToolRow` where `view` is `row`." }),
  locked: z
    .array(Locked)
    .optional()
    .meta({ description: "Tools of servers that are not for the caller and may be told of." }),
  note: z.string().optional().meta({ description: "What `GET /search` has to say, where `best` is given." }),
});

/** Finding tools and calling them. */
export function addToolRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tools", tag: "Tools", scope: "read" },
      summary: "The tools that are meant, by name",
      description: "A caller without a persona may look at the tools of any; calling one takes the persona.",
      describedQuery: ToolFilters.extend({ view: View, best: Best }),
      answers: { 200: { description: "One page.", schema: ToolPage } },
    },
    async ({ c, caller }) => {
      const { view, best, asked } = takeView(new URL(c.req.url).searchParams);
      const isRow = view === "row";
      const query = parseToolQuery(asked, wording);
      // No row tells of providers.
      const meant = isRow ? { ...query, includeProviderHealth: false } : query;
      const who = { ...caller, waitMs: isRow && query.server === null ? atOnceMs : waitMs };
      const { tools, ...page } = await (best === undefined
        ? plane.tools.page(meant, who)
        : queryBestFirst(plane, meant, best, who));
      const shown = isRow ? await renderRows(plane, tools) : tools.map(renderTool);
      return c.json({ count: tools.length, ...page, tools: shown });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tools/{name}", tag: "Tools", scope: "read", params: { name } },
      summary: "One tool",
      answers: { 200: { description: "The tool.", schema: Tool } },
    },
    async ({ c, caller, param }) => c.json(renderTool(await plane.tools.get(param("name"), caller))),
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/tools/{name}/call", tag: "Tools", scope: "call", params: { name } },
      summary: "Call a tool",
      description:
        "When the client goes away, the call is cancelled. With `Accept: text/event-stream` the answer is a stream: `progress` and `log` as the server tells of them, then `outcome`, which is what the answer is otherwise.",
      headers: {
        Prefer: "`wait=N`: stay so many seconds for a person's yes, where one is needed.",
        Traceparent: "The trace that the call belongs to (W3C); passed on to its provider.",
      },
      body: {
        schema: CallBody,
        description: "No body is a call without arguments.",
        example: { arguments: { name: "Ann" } },
        required: false,
      },
      answers: {
        200: {
          description: "The tool answered; `ok` is false when it said no.",
          schema: Outcome,
          example: outcomeExample,
        },
        202: {
          description:
            "A person has to say yes first: `approval` or `plan` tells what it waits for, `Location` where to look.",
          schema: Outcome,
        },
      },
    },
    async ({ c, caller, param }) => {
      const { arguments: args, ...options } = parseCall(await c.req.text());
      const trace = readTraceContext(c.req.header());
      const waitSeconds = readWait(c.req.header("prefer"));
      const call = (relay: Relay, signal: AbortSignal) =>
        plane.call(param("name"), args, {
          ...{ ...caller, signal, ...options },
          relay: { ...relay, ...(trace === null ? {} : { meta: trace }) },
          ...(waitSeconds === null ? {} : { approvalWaitMs: waitSeconds * 1_000 }),
        });
      if (wantsStream(c)) return streamCall(c, call);
      const outcome = await call({}, c.req.raw.signal);
      return withWaiting(renderOutcome(outcome), outcome, waitSeconds);
    },
  );
}

const Shown = z.object({ view: View, best: Best });

/** How tools are shown, and in which order, is not which of them are meant. */
function takeView(given: URLSearchParams) {
  const isShown = (name: string) => Object.hasOwn(Shown.shape, name);
  const shown = readQuery(Shown, new URLSearchParams([...given].filter(([name]) => isShown(name))));
  const asked = [...given].filter(([name]) => !isShown(name)) as [string, string][];
  const { view, best } = shown as z.output<typeof Shown>;
  if (best !== undefined) checkBest(asked.map(([name]) => name));
  return { view, best, asked };
}
