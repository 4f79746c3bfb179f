import { z } from "@hono/zod-openapi";
import { nearest } from "../../../lib/nearest.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { UnknownObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { policyModes } from "../../../model/policy-mode.ts";
import { parseToolQuery } from "../../../model/tool-query.ts";
import { readTraceContext } from "../../../model/trace-context.ts";
import { AccessOptions, accessOptionsIn } from "../access-options.ts";
import { parseBody } from "../body.ts";
import { NextCursor } from "../paging.ts";
import { readWait, withWaiting } from "../prefer.ts";
import { renderOutcome } from "../render.ts";
import { type App, addRoute } from "../route.ts";
import { Locked } from "../schemas/locked.ts";
import { Outcome, outcomeExample } from "../schemas/outcome.ts";
import { Tool } from "../schemas/tool.ts";
import { ToolFilters } from "../schemas/tool-filters.ts";
import { renderTool } from "../tool-view.ts";

/** What is not known by then is there the next time. */
const patienceMs = 1_000;
const wording = { spell: (parameter: string) => `'${parameter}'`, nearest };
const name = "The tool's name, in any spelling.";

const ToolPage = z.object({
  count: z.number().int(),
  total: z.number().int().openapi({ description: "All that match, on this page or not." }),
  nextCursor: NextCursor,
  tools: z.array(Tool),
  locked: z
    .array(Locked)
    .optional()
    .openapi({ description: "Tools of servers that are not for the caller and may be told of." }),
});

const CallBody = z.object({
  arguments: z.unknown().optional().openapi({ type: "object", description: "What the tool is called with." }),
  timeoutMs: z.number().min(0).optional().openapi({ description: "0 for no limit." }),
  conversation: z.string().optional(),
  idempotencyKey: z.string().optional(),
  ...AccessOptions,
  dryRun: z.boolean().optional().openapi({
    description: "Find, authorise, check and route the call, and do not make it; nobody is asked.",
  }),
  maxResultBytes: z.number().int().min(0).optional().openapi({
    description:
      "Characters of the result that are given whole; a larger one is kept and its handle given. 0 for no limit.",
  }),
  mode: z
    .enum(policyModes)
    .optional()
    .openapi({ description: "A stricter mode than the configured one; a wider one is not heard." }),
});

/** Finding tools and calling them. */
export function addToolRoutes(app: App, plane: Plane): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tools", tag: "Tools", scope: "read" },
      summary: "The tools that are meant, by name",
      description: "A caller without a persona may look at the tools of any; calling one takes the persona.",
      describedQuery: ToolFilters,
      answers: { 200: { description: "One page.", schema: ToolPage } },
    },
    async ({ c, caller }) => {
      const query = parseToolQuery(new URL(c.req.url).searchParams, wording);
      const { tools, ...page } = await plane.queryTools(query, { ...caller, patienceMs });
      return c.json({ count: tools.length, ...page, tools: tools.map(renderTool) });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/tools/{name}", tag: "Tools", scope: "read", params: { name } },
      summary: "One tool",
      answers: { 200: { description: "The tool.", schema: Tool } },
    },
    async ({ c, caller, param }) => c.json(renderTool(await plane.tool(param("name"), caller))),
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/tools/{name}/call", tag: "Tools", scope: "call", params: { name } },
      summary: "Call a tool",
      description: "When the client goes away, the call is cancelled.",
      headers: {
        Prefer: "`wait=N`: stay so many seconds for a person's yes, where one is needed.",
        Traceparent: "The trace that the call belongs to (W3C); passed on to whoever executes it.",
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
      const outcome = await plane.call(param("name"), args, {
        ...caller,
        signal: c.req.raw.signal,
        ...options,
        ...(trace === null ? {} : { relay: { meta: trace } }),
        ...(waitSeconds === null ? {} : { approvalWaitMs: waitSeconds * 1_000 }),
      });
      return withWaiting(renderOutcome(outcome), outcome, waitSeconds);
    },
  );
}

const callKeys = [
  ...["arguments", "timeoutMs", "conversation", "idempotencyKey", "mode", "maxResultBytes", "dryRun"],
  ...Object.keys(AccessOptions),
];

/** What other APIs call the arguments. */
const argumentWords = ["args", "argument", "params", "parameters", "input"];

/** A misspelt key would run the tool without what was meant; what else is in the body is nobody's business here. */
function refuseMisspelt(body: UnknownObject): void {
  for (const key of Object.keys(body).filter((name) => !callKeys.includes(name))) {
    const word = key.toLowerCase();
    const meant = argumentWords.includes(word)
      ? "arguments"
      : callKeys.find((known) => known.toLowerCase() === word);
    if (meant === undefined || Object.hasOwn(body, meant)) continue;
    throw new PlaneError("USAGE", `The body has no key '${key}'. Did you mean '${meant}'?`, {
      data: { parameter: key },
    });
  }
}

function parseCall(text: string) {
  const body = parseBody(text, '{"arguments": {…}}');
  refuseMisspelt(body);
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
  if (
    maxResultBytes !== undefined &&
    !(Number.isSafeInteger(maxResultBytes) && Number(maxResultBytes) >= 0)
  ) {
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
