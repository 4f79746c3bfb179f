import { streamSSE } from "hono/streaming";
import { z } from "zod";
import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { agentAnswer } from "../../../model/agent/agent-answer.ts";
import type { AgentMessage } from "../../../model/agent/agent-run.ts";
import type { ChatMessage } from "../../../model/agent/chat.ts";
import type { AgentResult, RunAgentOptions } from "../../../model/agent.ts";

import { readTraceContext } from "../../../model/calls/provider.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { Plane } from "../../../model/plane.ts";
import { AgentAnswer, AgentBody } from "../../../operations/schemas/agent.ts";
import { shownAgentAnswer } from "../../../operations/strangers.ts";
import { createAgentStream } from "../agent-stream.ts";
import { parseFields } from "../body.ts";
import { readWait } from "../prefer.ts";
import { renderAgentAnswer, shownError } from "../render.ts";
import { type App, addRoute, type HttpContext } from "../route.ts";
import { wantsStream } from "../wants-stream.ts";

/** A model may think for longer than a proxy waits for the first byte. */
const waitMs = 1_000;
const like = '{"question": "What is 17 plus 25?"}';

export const AgentChoices = z
  .object({
    models: z.array(z.string()).meta({ description: "The configured models, by name." }),
    toolsets: z.array(z.string()),
  })
  .meta({ id: "AgentChoices" });

/** A model with tools. */
export function addAgentRoutes(app: App, plane: Plane, closing: AbortSignal): void {
  addRoute(
    app,
    {
      ...{ method: "get", path: "/agent", tag: "Agents", scope: "read" },
      summary: "The models and toolsets that can be asked",
      answers: { 200: { description: "Their names.", schema: AgentChoices } },
    },
    async ({ c }) => {
      const { models, toolsets } = plane.config();
      return c.json({ models: Object.keys(models), toolsets: Object.keys(toolsets) });
    },
  );
  addRoute(
    app,
    {
      ...{ method: "post", path: "/agent", tag: "Agents", scope: "call" },
      summary: "One answer of a model that has tools",
      description:
        "With `Accept: text/event-stream` thoughts, actions, observations and the answer come as events; the last one carries the whole answer. When the client goes away, the run is cancelled.",
      headers: {
        Accept: "`text/event-stream` for what the agent says as it says it; JSON otherwise.",
        Prefer: "`wait=N`: stay so many seconds for a person's yes to a call, where one is needed.",
        Traceparent: "The trace that the run belongs to (W3C); its calls go on with it.",
      },
      body: {
        schema: AgentBody,
        description: "The question, and how to go about it.",
        example: { question: "What is 17 plus 25?", toolset: "my-tools", maxTurns: 3 },
      },
      answers: {
        200: { description: "How it went.", schema: AgentAnswer, also: ["text/event-stream"] },
      },
    },
    async ({ c, caller }) => {
      const { question, options } = readBody(await c.req.text(), c);
      const meta = readTraceContext(c.req.header());
      const run = (more: RunAgentOptions) =>
        plane.agent.run(question, { ...options, ...caller, ...(meta === null ? {} : { meta }), ...more });
      if (!wantsStream(c)) return renderAgentAnswer(agentAnswer(await run({ signal: c.req.raw.signal })));
      return streamAgent(c, run, closing);
    },
  );
}

type Run = (more: RunAgentOptions) => Promise<AgentResult>;

/** What is wrong with the request is a status, as long as nothing was said. */
async function streamAgent(c: HttpContext, run: Run, closing: AbortSignal): Promise<Response> {
  const gone = new AbortController();
  const begun = Promise.withResolvers<void>();
  const early: AgentMessage[] = [];
  let hear = (message: AgentMessage): void => void early.push(message);
  const running = run({
    signal: AbortSignal.any([c.req.raw.signal, gone.signal, closing]),
    onMessage: (message) => {
      hear(message);
      begun.resolve();
    },
  });
  const timer = setTimeout(begun.resolve, waitMs);
  await Promise.race([begun.promise, running]).finally(() => clearTimeout(timer));
  return streamSSE(c, async (stream) => {
    stream.onAbort(() => gone.abort(new Error("the client went away")));
    const talk = createAgentStream(stream);
    hear = talk.hear;
    for (const message of early) talk.hear(message);
    await running.then(
      (result) => talk.end(shownAgentAnswer(agentAnswer(result))),
      (thrown) => talk.fail(shownError(thrown)),
    );
  });
}

function readBody(body: string, c: HttpContext): { question: string; options: RunAgentOptions } {
  const { question, context, groups, toolGroups, budgets = {}, history, ...rest } = parseFields(body, AgentBody, like);
  if (groups !== undefined && toolGroups !== undefined)
    throw new PlaneError("USAGE", "'groups' and 'toolGroups' are the same; give one of them.", {
      data: { parameter: "groups" },
    });
  const waitSeconds = readWait(c.req.header("prefer"));
  const options = {
    ...rest,
    ...budgets,
    system: context,
    toolGroups: toolGroups ?? groups,
    ...(waitSeconds === null ? {} : { approvalWaitMs: waitSeconds * 1_000 }),
  };
  // What the messages hold is looked at where it counts.
  const said = history === undefined ? {} : { history: history as unknown as ChatMessage[] };
  return { question, options: { ...withoutUndefined(options), ...said } };
}
