import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import { countOf } from "@toolplane/core/lib/text/wording";
import type { AgentResult, RunAgentOptions } from "@toolplane/core/model/agent";
import { agentAnswer } from "@toolplane/core/model/agent/agent-answer";
import { agentOutcomes } from "@toolplane/core/model/agent/agent-run";
import type { ChatMessage } from "@toolplane/core/model/agent/chat";
import { ConversationRuns, RunningRun, StoppedRun } from "@toolplane/core/model/agent/run-schema";
import { ModelDefinition } from "@toolplane/core/model/config/config";
import { PlaneError } from "@toolplane/core/model/errors";
import type { JsonObject } from "@toolplane/core/model/json";
import { AnyObject } from "@toolplane/core/model/json-schema";
import type { Plane } from "@toolplane/core/model/plane";
import {
  modelOptions,
  pageOptions,
  recordingOptions,
} from "@toolplane/core/operations/command-options";
import { setupIn, withoutPath } from "@toolplane/core/operations/declared/setup";
import {
  Cursor,
  defaultPage,
  Limit,
  NextCursor,
  oneOf,
  text,
} from "@toolplane/core/operations/fields";
import { filesOnly, operation } from "@toolplane/core/operations/operation";
import { shownAgentAnswer } from "@toolplane/core/operations/public-errors";
import { ownOnly, user } from "@toolplane/core/operations/schemas/call-filters";
import { z } from "zod";
import { AgentAnswerSchema, AgentBody, RunSchema, RunSummarySchema } from "./agent-schemas.ts";
import { knownToolsets } from "./toolsets.ts";

const tag = "Agents";

const AgentChoices = z
  .object({
    models: z.array(z.string()).meta({ description: "The configured models, by name." }),
    toolsets: z.array(z.string()),
  })
  .meta({ id: "AgentChoices" });

/** What agents did. */
const runs = [
  operation({
    name: "runs.page",
    args: ["..."],
    summary: "Runs of agents, newest first",
    description: `${ownOnly} Without steps and messages.`,
    scope: "read",
    input: z.object({
      outcome: oneOf(agentOutcomes).optional(),
      model: z.string().optional(),
      toolset: z.string().optional(),
      conversation: z.string().optional(),
      since: z.string().optional().meta({
        description: "Those that began then or later: a time such as `2026-11-15T09:00:00Z`.",
      }),
      user,
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({ runs: z.array(RunSummarySchema), nextCursor: NextCursor }),
    http: { method: "get", path: "/runs", tag: "Calls", answers: { 200: "One page." } },
    cli: {
      command: "calls runs",
      about:
        "agent runs with question and outcome, newest first; with --user only those of that user",
      options: {
        "--outcome <outcome>":
          "only this outcome: completed, max-iterations, budget, failed, cancelled",
        "--model <name>": "only runs with this model",
        "--toolset <alias>": "only runs with this toolset",
        "--conversation <id>": "only runs of this conversation",
        "--since <time>":
          "only runs that started at this time or later, such as 2026-11-15T09:00:00Z",
        ...pageOptions,
      },
      examples: ["calls runs", "calls runs --outcome failed --since 2026-11-15"],
    },
    run: (plane, { limit = defaultPage, ...query }, asker) =>
      plane.runs.page({ limit, ...(query as object) }, asker),
  }),
  operation({
    name: "runs.running",
    args: ["..."],
    summary: "Runs of agents that have not ended, oldest first",
    description: `${ownOnly} Of this plane alone, where several share a store.`,
    scope: "read",
    input: z.object({
      id: z
        .string()
        .optional()
        .meta({ description: "This run alone, with its steps and messages so far." }),
    }),
    output: z.object({ runs: z.array(RunningRun) }),
    http: {
      method: "get",
      path: "/runs/running",
      tag: "Calls",
      answers: { 200: "All of them." },
      show: (runs: unknown[]) => ({ runs: runs }),
    },
    cli: {
      command: "conversations running",
      about: "agent runs that have not ended, oldest first",
      table: {
        rows: "runs",
        none: "No agent is running.",
        columns: { at: "SINCE", id: "ID", user: "USER", question: "QUESTION" },
      },
      examples: ["conversations running"],
    },
  }),
  operation({
    name: "runs.get",
    args: ["id"],
    summary: "One run: messages, calls and timing",
    scope: "read",
    input: z.object({ id: text("The run's id.") }),
    output: RunSchema,
    http: {
      method: "get",
      path: "/runs/{id}",
      tag: "Calls",
      headers: { Accept: "`text/plain` for text to read; JSON otherwise." },
      answers: { 200: "What is kept of it." },
      also: ["text/plain"],
    },
    cli: { command: "calls show" },
  }),
  operation({
    name: "runs.stop",
    args: ["id"],
    summary: "Stop a run of an agent that has not ended",
    description: "It is kept as `cancelled`.",
    scope: "call",
    input: z.object({ id: text("The run's id, as `runs.running` names it.") }),
    output: StoppedRun,
    // Who may begin one without a proof may end it.
    http: {
      method: "post",
      path: "/runs/{id}/stop",
      tag,
      open: true,
      answers: { 200: "It is being stopped." },
    },
    audit: { after: (answer) => answer },
    cli: {
      command: "conversations stop",
      about: "stop an agent run that has not ended",
      arguments: { "<id>": "the id of the run" },
      examples: ["conversations stop 0mwhyf64f-3lz9cvxd00w24d5n"],
      text: ({ id }) => `Run ${id} is being stopped.`,
    },
  }),
];

const conversation = text("The conversation's id, as its runs and calls name it.");

const conversations = [
  operation({
    name: "runs.rename",
    args: ["conversation", "title"],
    summary: "Give a conversation with an agent a title",
    description: "Yours only. It is kept with the runs of the conversation.",
    scope: "call",
    input: z.object({
      conversation,
      title: text("At most 200 characters; an empty one removes the title."),
    }),
    output: ConversationRuns,
    http: {
      method: "put",
      path: "/conversations/{conversation}",
      tag,
      body: { description: "The title.", example: { title: "Release notes" } },
      answers: { 200: "How many runs have it." },
    },
    audit: { input: ({ title }) => ({ title }), after: (answer) => answer },
    cli: {
      command: "conversations rename",
      about: "give a conversation a title",
      arguments: {
        "<conversation>": "the id, as 'calls runs --json' and 'calls show' name it",
        "<title>": "at most 200 characters; '' removes it",
      },
      examples: ["conversations rename chat-0a1b 'Release notes'"],
      text: ({ runs }) => `Renamed, with ${countOf(runs, "run")}.`,
    },
  }),
  operation({
    name: "runs.delete",
    args: ["conversation"],
    summary: "Delete a conversation with an agent",
    description:
      "Yours only: its runs with their messages, and arguments and results of its calls where they are kept. The records of its calls stay, because their hash chain must hold.",
    scope: "call",
    input: z.object({ conversation }),
    output: ConversationRuns,
    http: {
      method: "delete",
      path: "/conversations/{conversation}",
      tag,
      answers: { 200: "How many runs were deleted." },
    },
    audit: { after: (answer) => answer },
    cli: {
      command: "conversations delete",
      about: "delete its runs and messages; the records of its calls stay",
      arguments: { "<conversation>": "the id, as 'calls runs --json' and 'calls show' name it" },
      examples: ["conversations delete chat-0a1b"],
      text: ({ runs }) => `${countOf(runs, "run")} deleted.`,
    },
  }),
];

/** A model with tools. */
const agent = [
  operation({
    name: "agent.choices",
    args: [],
    summary: "The available models and toolsets",
    scope: "read",
    input: z.object({}),
    output: AgentChoices,
    http: { method: "get", path: "/agent", tag, answers: { 200: "Their names." } },
    cli: { missing: "`config show` lists them" },
    socket: { missing: "`config` has them" },
    async run(plane, _input, asker) {
      const toolsets = await knownToolsets(plane, asker);
      return {
        models: Object.keys(plane.config().models),
        toolsets: toolsets.map(({ name }) => name),
      };
    },
  }),
  operation({
    name: "models.set",
    args: [],
    summary: "Write a model into the configuration, or replace the one of that name",
    description:
      "Name its key by a reference such as `${OPENAI_API_KEY}`, so that the file holds no secret.",
    scope: "admin",
    input: z.object({
      name: text("The model's name in the configuration."),
      definition: AnyObject,
    }),
    output: AgentChoices,
    http: {
      method: "put",
      path: "/models/{name}",
      tag,
      body: {
        whole: "definition",
        schema: () =>
          z.toJSONSchema(z.object({ ...ModelDefinition.shape }).partial(), { io: "input" }),
        description: "The entry as a configuration file has it.",
        example: {
          baseURL: "https://models.example.org/v1",
          model: "large",
          apiKey: "${MODEL_KEY}",
        },
      },
      answers: { 200: "The models there are now." },
    },
    cli: { missing: "`config` files have them" },
    socket: filesOnly,
    needsSetup: true,
    audit: {
      target: (input: { name: string }) => input.name,
      input: (input: object) => input,
      snapshot: (plane: Plane, input: { name: string }) =>
        plane.config().models[input.name] ?? null,
    },
    async run(plane, { name, definition }, asker, situation) {
      await setupIn(situation)
        .putModel(name, definition as JsonObject)
        .catch(withoutPath);
      await plane.reload(asker);
      const toolsets = await knownToolsets(plane, asker);
      return {
        models: Object.keys(plane.config().models),
        toolsets: toolsets.map((toolset) => toolset.name),
      };
    },
  }),
  operation({
    name: "agent.run",
    args: ["question"],
    summary: "Ask a model that has tools",
    description:
      "With `Accept: text/event-stream` thoughts, actions, observations and the answer come as events; the last one carries the whole answer. When the client goes away, the run is cancelled, unless it is `detached`.",
    scope: "call",
    input: AgentBody.extend({ approvalWaitMs: z.number().optional() }),
    output: AgentAnswerSchema,
    http: {
      method: "post",
      path: "/agent",
      tag,
      open: true,
      cancels: true,
      wait: {
        input: "approvalWaitMs",
        means: "wait this many seconds for a person's approval of a call, if it needs one.",
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
    cli: {
      command: "agent",
      about: "answer a question with a model and tools",
      arguments: { "<question>": "what to answer; - for standard input" },
      options: {
        ...modelOptions,
        "--history <file>": "continue the conversation in this file, and save it there",
        "--trace <file>": "write the trace of the run: a page for .html, text for .txt, else JSON",
        "--conversation <name>": "the conversation that the calls belong to",
        "--plan": "queue writes instead of making them",
        "--yes": "agree to what the policy would ask about",
        "--verbose": "show thoughts, calls and results, even without a terminal",
        "--no-stream": "print the answer when it is complete",
        ...recordingOptions,
      },
      examples: [
        'agent "What is 17 plus 25?"',
        'agent "Greet Ann" --toolset my-tools --trace run.txt',
        "agent - --json < question.txt",
      ],
    },
    async run(
      plane,
      { question, context, groups, toolGroups, budgets, history, detached: _, ...rest },
      asker,
    ) {
      if (groups !== undefined && toolGroups !== undefined)
        throw new PlaneError("USAGE", "'groups' and 'toolGroups' are the same; give one of them.", {
          data: { parameter: "groups" },
        });
      const options = { ...rest, ...budgets, system: context, toolGroups: toolGroups ?? groups };
      // What the messages hold is checked where they are read.
      const conversation = { history: history as ChatMessage[] | undefined };
      return plane.agent.run(
        question,
        withoutUndefined({ ...options, ...conversation, ...asker }) as RunAgentOptions,
      );
    },
  }),
];

export const agentOperations = [...agent, ...runs, ...conversations];
