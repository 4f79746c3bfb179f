import { z } from "zod";
import { withoutUndefined } from "../lib/json/plain-data.ts";
import { agentAnswer } from "../model/agent/agent-answer.ts";
import type { ChatMessage } from "../model/agent/chat.ts";
import type { AgentResult, RunAgentOptions } from "../model/agent.ts";
import { PlaneError } from "../model/errors.ts";
import { operation } from "./operation.ts";
import { AgentAnswer, AgentBody } from "./schemas/agent.ts";
import { shownAgentAnswer } from "./strangers.ts";

const tag = "Agents";

export const AgentChoices = z
  .object({
    models: z.array(z.string()).meta({ description: "The configured models, by name." }),
    toolsets: z.array(z.string()),
  })
  .meta({ id: "AgentChoices" });

/** A model with tools. */
export const agentOperations = [
  operation({
    name: "agent.choices",
    args: [],
    summary: "The models and toolsets that can be asked",
    scope: "read",
    input: z.object({}),
    output: AgentChoices,
    http: { method: "get", path: "/agent", tag, answers: { 200: "Their names." } },
    cli: { missing: "`config show` lists them" },
    socket: { missing: "`config` has them" },
    async run(plane) {
      const { models, toolsets } = plane.config();
      return { models: Object.keys(models), toolsets: Object.keys(toolsets) };
    },
  }),
  operation({
    name: "agent.run",
    args: ["question"],
    summary: "One answer of a model that has tools",
    description:
      "With `Accept: text/event-stream` thoughts, actions, observations and the answer come as events; the last one carries the whole answer. When the client goes away, the run is cancelled.",
    scope: "call",
    input: AgentBody.extend({ approvalWaitMs: z.number().optional() }),
    output: AgentAnswer,
    http: {
      method: "post",
      path: "/agent",
      tag,
      open: true,
      cancels: true,
      wait: {
        input: "approvalWaitMs",
        means: "stay so many seconds for a person's yes to a call, where one is needed.",
      },
      headers: {
        Accept: "`text/event-stream` for what the agent says as it says it; JSON otherwise.",
        Traceparent: "The trace that the run belongs to (W3C); its calls go on with it.",
      },
      body: {
        description: "The question, and how to go about it.",
        example: { question: "What is 17 plus 25?", toolset: "my-tools", maxTurns: 3 },
      },
      answers: { 200: "How it went." },
      also: ["text/event-stream"],
      show: (result: AgentResult) => shownAgentAnswer(agentAnswer(result)),
    },
    cli: { command: "agent" },
    async run(plane, { question, context, groups, toolGroups, budgets, history, ...rest }, asker) {
      if (groups !== undefined && toolGroups !== undefined)
        throw new PlaneError("USAGE", "'groups' and 'toolGroups' are the same; give one of them.", {
          data: { parameter: "groups" },
        });
      const options = { ...rest, ...budgets, system: context, toolGroups: toolGroups ?? groups };
      // What the messages hold is checked where they are read.
      const said = { history: history as ChatMessage[] | undefined };
      return plane.agent.run(question, withoutUndefined({ ...options, ...said, ...asker }) as RunAgentOptions);
    },
  }),
];
