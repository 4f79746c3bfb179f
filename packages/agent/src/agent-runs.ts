import type { AgentParts, AgentRunner, NamedTool, ToolsetRef } from "@toolplane/core/agent";
import type { Spans } from "@toolplane/core/calls";
import { uniqueId } from "@toolplane/core/lib/ids-and-time";
import { withoutUndefined } from "@toolplane/core/lib/json/plain-data";
import type { AgentResult, AnswerParser, RunAgentOptions } from "@toolplane/core/model/agent";
import { type AgentStyle, agentStyles, traceTypes } from "@toolplane/core/model/agent/agent-run";
import { readContent, readResponse, renameTurn } from "@toolplane/core/model/agent/asked-calls";
import type { AssistantMessage, ChatMessage, ToolMessage } from "@toolplane/core/model/agent/chat";
import type { MissingServer } from "@toolplane/core/model/agent/run-schema";
import type { CallOptions } from "@toolplane/core/model/calls/call";
import type { Relay } from "@toolplane/core/model/calls/provider";
import type { Tool } from "@toolplane/core/model/catalogue/tool";
import { PlaneError, toPlaneError } from "@toolplane/core/model/errors";
import { isObject } from "@toolplane/core/model/json";
import { narrow, ownerOf, type Principal, requireScope } from "@toolplane/core/model/principal";
import { type AgentCallOptions, type AgentTools, toOffered } from "./agent-tools.ts";
import { budgetOf } from "./budgets.ts";
import { createCodeTools } from "./code-tools.ts";
import type { Remaining } from "./loop.ts";
import type { OpenModel } from "./models/open-model.ts";
import { type Converse, generate, type RunParts, runAgent } from "./run-agent.ts";
import type { OfferedTool } from "./run-calls.ts";
import type { RunningRuns } from "./running-runs.ts";
import type { Style } from "./style.ts";

const interrupted = "Interrupted: nothing is known of how this call ended.";

/**
 * A given conversation, made fit for a model: endpoints refuse one in which a call has no answer or an answer no call.
 */
export function readHistory(rawHistory: unknown): ChatMessage[] {
  if (rawHistory === undefined || rawHistory === null) return [];
  if (!Array.isArray(rawHistory))
    throw new PlaneError("USAGE", "'history' must be a list of messages.");
  const messages = rawHistory.flatMap(
    (step, index) => readStep(step, index) ?? readMessage(step, index),
  );
  const history: ChatMessage[] = [];
  const usedIds = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") continue;
    if (message.role === "assistant" && message.tool_calls)
      history.push(
        ...renameTurn(message, answersTo(message.tool_calls, messages.slice(index + 1)), usedIds),
      );
    else history.push(message);
  }
  return history;
}

/** A step as other agents keep it: what was thought, what was called, and the result. Null where it is a message. */
function readStep(step: unknown, index: number): ChatMessage[] | null {
  if (!isObject(step) || step.role !== undefined) return null;
  const { thought, action, arguments: args = {}, observation } = step;
  if (thought === undefined && action === undefined) return null;
  const texts = { thought, action, observation };
  const invalidField = Object.entries(texts).find(
    ([, value]) => value !== undefined && typeof value !== "string",
  );
  if (invalidField)
    throw new PlaneError(
      "USAGE",
      `'${invalidField[0]}' of message ${index + 1} of 'history' must be a string.`,
    );
  const message = { role: "assistant" as const, content: String(thought ?? "") };
  if (typeof action !== "string" || action === "") return [message];
  const id = `step-${index + 1}`;
  const call = { name: action, arguments: typeof args === "string" ? args : JSON.stringify(args) };
  return [
    readResponse({ ...message, tool_calls: [{ id, type: "function", function: call }] }),
    { role: "tool", tool_call_id: id, content: String(observation ?? interrupted) },
  ];
}

/** The tool messages right after an assistant message: some models reuse call ids in each turn. */
function answersTo(
  calls: NonNullable<AssistantMessage["tool_calls"]>,
  following: readonly ChatMessage[],
): ToolMessage[] {
  const end = following.findIndex(({ role }) => role !== "tool");
  const answers = (end === -1 ? following : following.slice(0, end)) as ToolMessage[];
  return calls.map(
    ({ id }) =>
      answers.find((answer) => answer.tool_call_id === id) ?? {
        role: "tool",
        tool_call_id: id,
        content: interrupted,
      },
  );
}

function readMessage(message: unknown, index: number): ChatMessage {
  const title = `Message ${index + 1} of 'history'`;
  if (!isObject(message)) throw new PlaneError("USAGE", `${title} is not an object.`);
  const { role, tool_call_id } = message;
  try {
    if (role === "assistant") return readResponse(message);
    if (role === "system" || role === "user")
      return { role, content: readContent(message.content) };
    if (role === "tool" && typeof tool_call_id === "string")
      return { role, tool_call_id, content: readContent(message.content) };
  } catch (thrown) {
    throw new PlaneError("USAGE", `${title} cannot be used. ${toPlaneError(thrown).message}`);
  }
  if (role === "tool") throw new PlaneError("USAGE", `${title} has no 'tool_call_id'.`);
  throw new PlaneError("USAGE", `${title} must have the role system, user, assistant or tool.`);
}

type RunsParts = AgentParts & {
  tools: AgentTools;
  open: OpenModel;
  keepRun: AgentRunner["keepRun"];
  watch: RunningRuns["watch"];
};

/** Runs of agents, wired to models, tools and what is kept of them. */
export function createAgentRuns(
  parts: RunsParts,
): Pick<AgentRunner, "run" | "generate" | "settled"> {
  const { defaultPrincipal, registry, plane } = parts;
  const running = new Set<Promise<unknown>>();

  /** From the first question to what is kept; a conversation of its own ends with it. */
  async function runAndKeep(
    question: string,
    run: RunParts,
    owner: RunOwner,
    goOn?: Converse,
  ): Promise<AgentResult> {
    const watched = parts.watch(question, run, owner.principal);
    try {
      const result = await runAgent(question, watched.run, goOn).catch((thrown) => {
        owner.span?.end();
        throw thrown;
      });
      owner.span?.end(result);
      registry.count(owner.toolset, result.counters);
      await parts.keepRun({ ...result, owner: ownerOf(owner.principal) });
      return result;
    } finally {
      watched.end();
      // A session that does not end well is no reason to lose an answer.
      if (owner.ownsConversation)
        await plane()
          .conversations.end(run.conversation, { principal: owner.principal })
          .catch(() => undefined);
    }
  }

  function track<T>(run: Promise<T>): Promise<T> {
    running.add(run);
    return run.finally(() => running.delete(run));
  }

  return {
    async run(question, options = {}) {
      requireText(question, "a question");
      const prepared = await prepare(options, parts, options.principal ?? defaultPrincipal);
      return track(runAndKeep(question, prepared.run, prepared));
    },
    async generate(request) {
      const { prompt, parser, maxCorrectionSteps = 0, maxRestarts = 0, ...options } = request;
      requireText(prompt, "a prompt");
      for (const [name, count] of Object.entries({ maxCorrectionSteps, maxRestarts }))
        if (!Number.isSafeInteger(count) || count < 0)
          throw new PlaneError(
            "USAGE",
            `'${name}' must be an integer >= 0, not '${String(count)}'.`,
          );
      const prepared = await prepare(options, parts, options.principal ?? defaultPrincipal);
      type Value = Awaited<ReturnType<NonNullable<typeof parser>>>;
      const asIs = ((answer: string) => answer) as unknown as AnswerParser<Value>;
      return generate(
        prompt,
        prepared.run,
        { parser: parser ?? asIs, maxCorrectionSteps, maxRestarts },
        (text, run, goOn) => track(runAndKeep(text, run, prepared, goOn)),
      );
    },
    settled: async () => void (await Promise.allSettled(running)),
  };
}

type RunOwner = {
  principal: Principal;
  toolset: ToolsetRef | null;
  ownsConversation: boolean;
  span: Awaited<ReturnType<Spans["beginRunSpan"]>>;
};

/** Checks a request before the model is called. */
async function prepare(
  options: RunAgentOptions,
  { open, tools, registry, stopping, guardPrompt, ownTool, plane, beginRunSpan }: RunsParts,
  caller: Principal,
): Promise<RunOwner & { run: RunParts }> {
  requireScope(caller, "call", "run an agent");
  const { style = "tools", trace = "none", system = null, state, toolGroups } = options;
  requireOneOf("style", style, agentStyles);
  requireOneOf("trace", trace, traceTypes);
  const toolset = options.toolset === undefined ? null : registry.refer(options.toolset);
  const alias = typeof toolset === "string" ? toolset : null;
  const turns = toolset === null ? null : registry.definition(toolset).max_tool_call_turns;
  const budget = budgetOf(options, style, turns);
  const history = readHistory(options.history);
  const settings = settingsOf(options);
  if (system !== null && typeof system !== "string")
    throw new PlaneError("USAGE", "'system' must be a string.");
  const principal = options.mcp === undefined ? caller : narrow(caller, { servers: options.mcp });
  const id = uniqueId();
  const conversation = options.conversation ?? `agent-${id}`;
  const [model, loadedStyle] = await Promise.all([open(options.model), styleOf(style)]);
  const { signal, onMessage } = options;
  const context = {
    principal,
    toolset,
    history,
    ...withoutUndefined({ toolGroups, only: options.only }),
  };
  const optionsIn = (currentState: string | undefined, remaining: Remaining) => ({
    ...callOptions(options, currentState, remaining.ms),
    conversation,
    run: id,
    relay: {
      ...(span?.relay ?? relayOf(options)),
      tokens: { left: remaining.tokens, used: remaining.sampled },
    },
  });
  const runTools =
    style === "code"
      ? createCodeTools({ tools, ownTool, plane }, context, optionsIn)
      : createRunTools(tools, context, optionsIn);
  await runTools.check(state);
  const span = await beginRunSpan(
    { id, model: model.modelId ?? model.name, style, toolset: alias, conversation },
    options.meta,
  );
  const run: RunParts = {
    id,
    user: principal.user,
    toolset: alias,
    conversation,
    trace,
    history,
    state,
    system,
    budget,
    model: span?.model(model) ?? model,
    style: loadedStyle,
    signal: signal ? AbortSignal.any([signal, stopping]) : stopping,
    onMessage,
    settings,
    missing: runTools.missing,
    listTools: runTools.listTools,
    call: runTools.call,
    guard: (event, payload, signal) =>
      guardPrompt(event, payload, {
        principal,
        session: conversation,
        run: id,
        model: model.name,
        signal,
      }),
  };
  return { run, principal, toolset, ownsConversation: options.conversation === undefined, span };
}

/** What the caller says beside its question is said beside its calls, too. */
function relayOf({ meta }: RunAgentOptions): Relay | undefined {
  return meta === undefined ? undefined : { meta };
}

function settingsOf({ temperature, maxOutputTokens }: RunAgentOptions): RunParts["settings"] {
  if (temperature !== undefined && !(Number.isFinite(temperature) && temperature >= 0))
    throw new PlaneError(
      "USAGE",
      `'temperature' must be a number >= 0, not '${String(temperature)}'.`,
    );
  if (
    maxOutputTokens !== undefined &&
    !(Number.isSafeInteger(maxOutputTokens) && maxOutputTokens > 0)
  )
    throw new PlaneError(
      "USAGE",
      `'maxOutputTokens' must be an integer >= 1, not '${String(maxOutputTokens)}'.`,
    );
  return withoutUndefined({ temperature, maxOutputTokens });
}

/** A person is waited for as long as enough time is left to answer without them. */
function callOptions(options: RunAgentOptions, state: string | undefined, remainingMs: number) {
  const { compliance, consent, mode, toolGroups, askHere } = options;
  let { approvalWaitMs } = options;
  if (approvalWaitMs !== undefined)
    approvalWaitMs = Math.floor(Math.min(approvalWaitMs, remainingMs * 0.8));
  return { approvalWaitMs, compliance, consent, mode, toolGroups, askHere, state };
}

async function styleOf(name: AgentStyle): Promise<Style> {
  if (name === "react") return (await import("./react/style.ts")).reactStyle;
  return { ...(await import("./style.ts")).toolsStyle, name };
}

function requireText(value: unknown, what: string): void {
  if (typeof value === "string" && value.trim() !== "") return;
  throw new PlaneError("USAGE", `An agent needs ${what}: a text that is not empty.`);
}

function requireOneOf(name: string, value: string, choices: readonly string[]): void {
  if (choices.includes(value)) return;
  throw new PlaneError(
    "USAGE",
    `'${name}' cannot be '${value}': give one of ${choices.join(", ")}.`,
  );
}

type RunContext = Pick<CallOptions, "toolGroups"> & {
  principal: Principal;
  toolset: ToolsetRef | null;
  history: readonly ChatMessage[];
  /** The only ones that are offered, beside the one that reads on in large results. */
  only?(tool: Tool): boolean;
};

type RunTools = Pick<RunParts, "listTools" | "call"> & {
  /** Says what is wrong with the selection, before the model is asked. */
  check(state: string | undefined): Promise<void>;
  missing(): MissingServer[];
};

/** What one run may call: listed again for each turn, and called by the names of the last listing. */
function createRunTools(
  tools: AgentTools,
  { principal, toolset, toolGroups, history, only }: RunContext,
  optionsIn: (state: string | undefined, remaining: Remaining) => AgentCallOptions,
): RunTools {
  let namedTools: NamedTool[] = [];
  let checkedTools: OfferedTool[] | undefined;
  let isLater = false;
  let reads = /\br_[0-9a-f]{20}\b/.test(JSON.stringify(history));

  async function list(state: string | undefined): Promise<OfferedTool[]> {
    const filter = withoutUndefined({ toolGroups, state: state || undefined });
    namedTools = await tools.named({ principal, toolset, ...filter, reads, isLater });
    if (only)
      namedTools = namedTools.filter(
        ({ tool }) => only(tool) || (reads && tool.source === "builtin"),
      );
    isLater = true;
    return namedTools.map((tool) => toOffered(tool, tools.mayChange));
  }

  return {
    missing: () => tools.missing({ principal, toolset }, namedTools),
    async check(state) {
      checkedTools = await list(state);
    },
    async listTools(state) {
      const offered = checkedTools ?? (await list(state));
      checkedTools = undefined;
      return offered;
    },
    call(state, remaining) {
      const options = optionsIn(state, remaining);
      const call = tools.call(namedTools, { principal, toolset, options });
      // A model that guesses a name has not been given the tool.
      const refuse = tools.call(namedTools, {
        principal,
        toolset,
        options: { ...options, unseen: true },
      });
      const isOffered = (name: string) => !only || namedTools.some((tool) => tool.name === name);
      return async (...callArguments) => {
        const outcome = await (isOffered(callArguments[0]) ? call : refuse)(...callArguments);
        reads ||= outcome.stored !== undefined;
        return outcome;
      };
    },
  };
}
