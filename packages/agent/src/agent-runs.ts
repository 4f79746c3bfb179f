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
import type { Left } from "./loop.ts";
import type { OpenModel } from "./models/open-model.ts";
import { type Converse, generate, type RunParts, runAgent } from "./run-agent.ts";
import type { OfferedTool } from "./run-calls.ts";
import type { RunningRuns } from "./running-runs.ts";
import type { Style } from "./style.ts";

const interrupted = "Interrupted: nothing is known of how this call ended.";

/**
 * A given conversation, made fit for a model: endpoints refuse one in which a call has no answer or an answer no call.
 */
export function readHistory(given: unknown): ChatMessage[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw new PlaneError("USAGE", "'history' must be a list of messages.");
  const messages = given.flatMap((one, at) => readStep(one, at) ?? readMessage(one, at));
  const history: ChatMessage[] = [];
  const taken = new Set<string>();
  for (const [at, message] of messages.entries()) {
    if (message.role === "tool") continue;
    if (message.role === "assistant" && message.tool_calls)
      history.push(
        ...renameTurn(message, answersTo(message.tool_calls, messages.slice(at + 1)), taken),
      );
    else history.push(message);
  }
  return history;
}

/** A step as other agents keep it: what was thought, what was called, and the result. Null where it is a message. */
function readStep(step: unknown, at: number): ChatMessage[] | null {
  if (!isObject(step) || step.role !== undefined) return null;
  const { thought, action, arguments: args = {}, observation } = step;
  if (thought === undefined && action === undefined) return null;
  const texts = { thought, action, observation };
  const wrong = Object.entries(texts).find(
    ([, value]) => value !== undefined && typeof value !== "string",
  );
  if (wrong)
    throw new PlaneError(
      "USAGE",
      `'${wrong[0]}' of message ${at + 1} of 'history' must be a string.`,
    );
  const said = { role: "assistant" as const, content: String(thought ?? "") };
  if (typeof action !== "string" || action === "") return [said];
  const id = `step-${at + 1}`;
  const call = { name: action, arguments: typeof args === "string" ? args : JSON.stringify(args) };
  return [
    readResponse({ ...said, tool_calls: [{ id, type: "function", function: call }] }),
    { role: "tool", tool_call_id: id, content: String(observation ?? interrupted) },
  ];
}

/** The tool messages right after an assistant message: some models reuse call ids in each turn. */
function answersTo(
  calls: NonNullable<AssistantMessage["tool_calls"]>,
  rest: readonly ChatMessage[],
): ToolMessage[] {
  const end = rest.findIndex(({ role }) => role !== "tool");
  const answers = (end === -1 ? rest : rest.slice(0, end)) as ToolMessage[];
  return calls.map(
    ({ id }) =>
      answers.find((answer) => answer.tool_call_id === id) ?? {
        role: "tool",
        tool_call_id: id,
        content: interrupted,
      },
  );
}

function readMessage(message: unknown, at: number): ChatMessage {
  const place = `Message ${at + 1} of 'history'`;
  if (!isObject(message)) throw new PlaneError("USAGE", `${place} is not an object.`);
  const { role, tool_call_id } = message;
  try {
    if (role === "assistant") return readResponse(message);
    if (role === "system" || role === "user")
      return { role, content: readContent(message.content) };
    if (role === "tool" && typeof tool_call_id === "string")
      return { role, tool_call_id, content: readContent(message.content) };
  } catch (thrown) {
    throw new PlaneError("USAGE", `${place} cannot be used. ${toPlaneError(thrown).message}`);
  }
  const why =
    role === "tool"
      ? "has no 'tool_call_id'"
      : "must have the role system, user, assistant or tool";
  throw new PlaneError("USAGE", `${place} ${why}.`);
}

type Parts = AgentParts & {
  tools: AgentTools;
  open: OpenModel;
  keepRun: AgentRunner["keepRun"];
  watch: RunningRuns["watch"];
};

/** Runs of agents, wired to models, tools and what is kept of them. */
export function createAgentRuns(parts: Parts): Pick<AgentRunner, "run" | "generate" | "settled"> {
  const { defaultPrincipal, registry, plane } = parts;
  const running = new Set<Promise<unknown>>();

  /** From the first question to what is kept; a conversation of its own ends with it. */
  async function account(
    question: string,
    run: RunParts,
    own: Own,
    goOn?: Converse,
  ): Promise<AgentResult> {
    const watched = parts.watch(question, run, own.principal);
    try {
      const result = await runAgent(question, watched.run, goOn).catch((thrown) => {
        own.span?.end();
        throw thrown;
      });
      own.span?.end(result);
      registry.count(own.toolset, result.counters);
      await parts.keepRun({ ...result, owner: ownerOf(own.principal) });
      return result;
    } finally {
      watched.end();
      // A session that does not end well is no reason to lose an answer.
      if (own.isOwn)
        await plane()
          .conversations.end(run.conversation, { principal: own.principal })
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
      return track(account(question, prepared.run, prepared));
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
        (text, run, goOn) => track(account(text, run, prepared, goOn)),
      );
    },
    settled: async () => void (await Promise.allSettled(running)),
  };
}

type Own = {
  principal: Principal;
  toolset: ToolsetRef | null;
  isOwn: boolean;
  span: Awaited<ReturnType<Spans["beginRunSpan"]>>;
};

/** Checks a request before the model is called. */
async function prepare(
  options: RunAgentOptions,
  { open, tools, registry, stopping, guardPrompt, ownTool, plane, beginRunSpan }: Parts,
  caller: Principal,
): Promise<Own & { run: RunParts }> {
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
  const [model, loaded] = await Promise.all([open(options.model), styleOf(style)]);
  const { signal, onMessage } = options;
  const asked = {
    principal,
    toolset,
    history,
    ...(toolGroups && { toolGroups }),
    ...(options.only && { only: options.only }),
  };
  const optionsIn = (now: string | undefined, left: Left) => ({
    ...callOptions(options, now, left.ms),
    conversation,
    run: id,
    relay: {
      ...(span?.relay ?? relayOf(options)),
      tokens: { left: left.tokens, used: left.sampled },
    },
  });
  const offered =
    style === "code"
      ? createCodeTools({ tools, ownTool, plane }, asked, optionsIn)
      : createRunTools(tools, asked, optionsIn);
  await offered.check(state);
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
    style: loaded,
    signal: signal ? AbortSignal.any([signal, stopping]) : stopping,
    onMessage,
    settings,
    missing: offered.missing,
    listTools: offered.listTools,
    call: offered.call,
    guard: (event, payload, signal) =>
      guardPrompt(event, payload, {
        principal,
        session: conversation,
        run: id,
        model: model.name,
        signal,
      }),
  };
  return { run, principal, toolset, isOwn: options.conversation === undefined, span };
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
function callOptions(options: RunAgentOptions, state: string | undefined, leftMs: number) {
  const { compliance, consent, mode, toolGroups, askHere } = options;
  const { approvalWaitMs: wanted } = options;
  const approvalWaitMs =
    wanted === undefined ? undefined : Math.floor(Math.min(wanted, leftMs * 0.8));
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

function requireOneOf(name: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return;
  throw new PlaneError("USAGE", `'${name}' cannot be '${value}': give one of ${known.join(", ")}.`);
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
  optionsIn: (state: string | undefined, left: Left) => AgentCallOptions,
): RunTools {
  let named: NamedTool[] = [];
  let checked: OfferedTool[] | undefined;
  let isLater = false;
  let reads = /\br_[0-9a-f]{20}\b/.test(JSON.stringify(history));

  async function list(state: string | undefined): Promise<OfferedTool[]> {
    const asked = { ...(toolGroups && { toolGroups }), ...(state && { state }), reads, isLater };
    const all = await tools.named({ principal, toolset, ...asked });
    named = only
      ? all.filter(({ tool }) => only(tool) || (reads && tool.source === "builtin"))
      : all;
    isLater = true;
    return named.map((tool) => toOffered(tool, tools.mayChange));
  }

  return {
    missing: () => tools.missing({ principal, toolset }, named),
    async check(state) {
      checked = await list(state);
    },
    async listTools(state) {
      const listed = checked ?? (await list(state));
      checked = undefined;
      return listed;
    },
    call(state, left) {
      const options = optionsIn(state, left);
      const call = tools.call(named, { principal, toolset, options });
      // A model that guesses a name has not been given the tool.
      const refuse = tools.call(named, {
        principal,
        toolset,
        options: { ...options, unseen: true },
      });
      const isOffered = (name: string) => !only || named.some((one) => one.name === name);
      return async (...asked) => {
        const outcome = await (isOffered(asked[0]) ? call : refuse)(...asked);
        reads ||= outcome.stored !== undefined;
        return outcome;
      };
    },
  };
}
