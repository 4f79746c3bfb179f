import { createSemaphore } from "@toolplane/core/lib/async/semaphore";
import { stableJson } from "@toolplane/core/lib/json/stable-json";
import { nearest } from "@toolplane/core/lib/text/nearest";
import { noName } from "@toolplane/core/model/agent/asked-calls";
import { cutOffText, hasWholeArguments } from "@toolplane/core/model/agent/broken-replies";
import type {
  AskedCall,
  ChatContent,
  ChatContentBlock,
  ModelTool,
} from "@toolplane/core/model/agent/chat";
import type { AgentCall } from "@toolplane/core/model/agent/run-schema";
import {
  artifactLines,
  artifactTexts,
  withoutPayload,
} from "@toolplane/core/model/calls/artifact-texts";
import type { Outcome } from "@toolplane/core/model/calls/call";
import {
  isJsonOfArtifacts,
  type ContentBlock as ResultBlock,
  readArtifacts,
  readMedia,
  type ToolResult,
  unsaidStructure,
} from "@toolplane/core/model/calls/result";
import type { ToolId } from "@toolplane/core/model/catalogue/tool";
import { spellings } from "@toolplane/core/model/catalogue/tool-name";
import { messageForModel } from "@toolplane/core/model/errors";
import type { Observation } from "./style.ts";

/** As much of an offered tool as its name. */
type ToolNames = { name: string; id?: ToolId };

/** The names that a model gets after an unknown one. */
const maxNames = 30;
/** What some models put before every name. */
const prefix = /^(?:functions|tools?|default_api)[.:/]/;

/** A tool by another spelling of its name, where only one fits. */
function findBySpelling<T extends ToolNames>(name: string, offered: readonly T[]): T | undefined {
  const bare = name.trim().replace(prefix, "");
  if (bare === "") return undefined;
  const spelledAlike = offered.filter(
    (tool) => tool.name === bare || (tool.id && spellings(tool.id).includes(bare)),
  );
  return spelledAlike.length === 1 ? spelledAlike[0] : undefined;
}

function unknownTool(name: string, offered: readonly ToolNames[]): string {
  const names = offered.map((tool) => tool.name);
  const isNameless = name.trim() === "" || name === noName;
  const complaint = isNameless ? "A call names no tool" : `No tool '${name}' can be called here`;
  if (names.length === 0) return `${complaint}: no tools can be called now.`;
  const near = nearest(withoutServer(name), names).map((candidate) => `'${candidate}'`);
  const suggestion = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  const more = names.length > maxNames ? `, and ${names.length - maxNames} more` : "";
  return `${complaint}.${suggestion} There are: ${names.slice(0, maxNames).join(", ")}${more}.`;
}

/** The last part of a name of several is what the tool is called. */
function withoutServer(name: string): string {
  if (/[.:/]/.test(name)) return name.split(/[.:/]/).at(-1) ?? name;
  return name;
}

/** A tool as the model sees it, and what only we know. */
export type OfferedTool = ModelTool & {
  /** Unless it is known to only read. */
  mayChange: boolean;
  /** What it is called elsewhere. */
  id?: ToolId;
  /** Hosts show a page of MCP Apps with its results. */
  hasPage?: true;
};

export type CallByName = (
  name: string,
  argumentsText: string,
  context: { id: string; signal: AbortSignal | undefined },
) => Promise<Outcome>;

/** The path knows which of them have to wait for each other. */
const maxConcurrentCalls = 16;

type RunCallsParts = {
  offered: readonly OfferedTool[];
  call: CallByName;
  memory: RepeatDetector;
  /** How many more calls may be made. */
  callsLeft: number;
  /** The reply that asked for them ended in the middle. */
  isCut?: boolean;
  signal: AbortSignal | undefined;
  /** Told as they end, which may be in another order. */
  onEnd?(called: Called): void;
};

export type Called = {
  observation: Observation;
  record: AgentCall;
  /** Answered with what an earlier call came to. */
  isRepeat: boolean;
  /** Not made, because the run had made all its calls. */
  isBeyondBudget?: true;
  outcome: Outcome | null;
  /** Of its tool. */
  hasPage?: true;
};

/** Makes the calls of one turn concurrently; the results are in the order of the calls. */
export async function runCalls(
  calls: readonly AskedCall[],
  parts: RunCallsParts,
): Promise<Called[]> {
  const { offered, memory, signal, onEnd } = parts;
  const semaphore = createSemaphore(maxConcurrentCalls, Number.POSITIVE_INFINITY);
  const byName = new Map(offered.map((tool) => [tool.name, tool]));
  let callsLeft = parts.callsLeft;
  const round = memory.round();
  const startTimes = new Map<AskedCall, string>();

  async function make(call: AskedCall, tool: OfferedTool): Promise<Called> {
    const earlierOutcome = round.before(call);
    if (earlierOutcome) return repeatedCall(call, await earlierOutcome);
    if (callsLeft <= 0) {
      const refused = unmadeCall(
        call,
        `'${tool.name}' was not run: this run may make no more calls.`,
      );
      return { ...refused, isBeyondBudget: true };
    }
    callsLeft -= 1;
    const outcome = await round.keep(call, tool.mayChange, enter(call, tool.name));
    const called = toCalled(call, outcome, signal);
    if (tool.hasPage) called.hasPage = tool.hasPage;
    const startTime = startTimes.get(call);
    if (startTime === undefined) return called;
    return { ...called, record: { ...called.record, at: startTime } };
  }

  async function enter(call: AskedCall, name: string): Promise<Outcome | null> {
    try {
      await semaphore.acquire(signal);
    } catch {
      return null;
    }
    startTimes.set(call, new Date().toISOString());
    try {
      return await parts.call(name, call.function.arguments, { id: call.id, signal });
    } finally {
      semaphore.release();
    }
  }

  const pendingCalls = calls.map(async (call) => {
    const { name } = call.function;
    const tool = byName.get(name) ?? findBySpelling(name, offered);
    let called: Called;
    if (!tool) called = unmadeCall(call, unknownTool(name, offered));
    else if (parts.isCut && !hasWholeArguments(call)) called = unmadeCall(call, cutOffText(name));
    else called = await make(call, tool);
    onEnd?.(called);
    return called;
  });
  const called = await Promise.all(pendingCalls);
  round.end();
  return called;
}

function toCalled(
  call: AskedCall,
  outcome: Outcome | null,
  signal: AbortSignal | undefined,
): Called {
  if (outcome === null) return lateCall(call);
  const isEnded = outcome.call.status === "cancelled" || outcome.error?.data.stopped === true;
  const isInterrupted = isEnded && signal?.aborted === true && mayHaveRun(outcome);
  const content: ChatContent = isInterrupted
    ? `Interrupted: the run ended before '${call.function.name}' did. Whether it took effect is not known.`
    : observe(outcome, call.function.name);
  return {
    observation: { call, content, isError: !outcome.ok },
    record: recordOf(call, outcome, isInterrupted ? "interrupted" : outcome.call.status),
    isRepeat: false,
    outcome,
  };
}

/** What waited for a person, or never left, has not. */
function mayHaveRun({ error }: Outcome): boolean {
  return error?.data.approvalId === undefined && error?.data.sent !== false;
}

function recordOf(call: AskedCall, { call: callRecord }: Outcome, status: string): AgentCall {
  const { id: record, tool, durationMs, provider, attempts } = callRecord;
  return { id: call.id, tool, record, status, durationMs, provider, attempts };
}

/** The record is the first call's: there is no other. */
function repeatedCall(call: AskedCall, outcome: Outcome | null): Called {
  if (outcome === null) return lateCall(call);
  const note =
    "(not run again: the same call was made before, and nothing was changed since; this is its result)";
  const observed = observe(outcome, call.function.name);
  const content: ChatContent =
    typeof observed === "string"
      ? `${note}\n${observed}`
      : [{ type: "text", text: note }, ...observed];
  return {
    observation: { call, content, isError: !outcome.ok },
    record: { ...recordOf(call, outcome, "repeated"), durationMs: 0, attempts: 0 },
    isRepeat: true,
    outcome: null,
  };
}

function unmadeCall(call: AskedCall, text: string): Called {
  const observation = { call, content: `Error: ${text}`, isError: true };
  return { observation, record: notMadeRecord(call, "refused"), isRepeat: false, outcome: null };
}

function lateCall(call: AskedCall): Called {
  const observation = {
    call,
    content: "Not run: the run ended before its turn came.",
    isError: true,
  };
  return { observation, record: notMadeRecord(call, "cancelled"), isRepeat: false, outcome: null };
}

export function notMadeRecord({ id, function: { name } }: AskedCall, status: string): AgentCall {
  return { id, tool: name, record: null, status, durationMs: 0, provider: null, attempts: 0 };
}

/** The outcome of a call, for the model to read. */
export function observe(outcome: Outcome, name = outcome.call.tool): ChatContent {
  const { result, call } = outcome;
  if (!result) {
    const { error } = outcome;
    // A model that reads another name than the one it used takes it for another tool.
    const message = messageForModel(error).replaceAll(`'${call.tool}'`, `'${name}'`);
    return `Error: ${message}${outcome.approval ? waitsForApproval : ""} [${error.code}]`;
  }
  const content = contentOf(result);
  // A model can do nothing about the other warnings.
  const notes = (call.argumentNotes ?? []).map((note) => `Note: ${note}`);
  return withText(content, result.isError ? "Error: " : "", notes);
}

function withText(content: ChatContent, before: string, after: readonly string[]): ChatContent {
  if (before === "" && after.length === 0) return content;
  if (typeof content === "string") return [`${before}${content}`, ...after].join("\n");
  return [
    ...(before === "" ? [] : [{ type: "text" as const, text: before.trim() }]),
    ...content,
    ...after.map((text) => ({ type: "text" as const, text })),
  ];
}

/** Texts one per line; with pictures among them, all of it in order. */
function contentOf(result: ToolResult): ChatContent {
  const artifacts = readArtifacts(result);
  const blocks = result.content
    .filter((block) => !artifacts || !isJsonOfArtifacts(block))
    .map(toBlock);
  const extraTexts = artifacts
    ? [...artifactTexts(artifacts), ...artifactLines(artifacts)]
    : structureTexts(result);
  blocks.push(...extraTexts.map((text) => ({ type: "text" as const, text })));
  if (blocks.some(({ type }) => type === "image_url")) return blocks;
  return blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

function toBlock(block: ResultBlock): ChatContentBlock {
  if (block.type === "text" && typeof block.text === "string")
    return { type: "text", text: block.text };
  if (block.type !== "image") return { type: "text", text: withoutPayload(block) };
  const media = readMedia(block);
  if ("problem" in media)
    return { type: "text", text: `[An image that cannot be shown: ${media.problem}.]` };
  return {
    type: "image_url",
    image_url: { url: `data:${media.mimeType};base64,${String(block.data)}` },
  };
}

function structureTexts(result: ToolResult): string[] {
  const structure = unsaidStructure(result);
  if (structure === undefined) return [];
  return [withoutPayload(structure, [])];
}

/** Without it a model calls again, or waits for nothing. */
const waitsForApproval =
  " Do not call it again: it runs once a person says yes. Go on without its result, and say in your answer that it waits.";

type RememberedCall = { outcome: Promise<Outcome | null>; mayChange: boolean };

export type RepeatDetector = ReturnType<typeof createRepeatDetector>;

/**
 * The calls of a run by name and arguments, for models that repeat themselves. A result holds until another call may
 * have changed something; a write is not repeated in a row, but may follow another: a switch goes on, off and on.
 */
export function createRepeatDetector() {
  const remembered = new Map<string, RememberedCall>();
  return {
    round() {
      const roundCalls = new Map<string, RememberedCall>();
      return {
        /** The outcome of the same call, where it still holds. */
        before(call: AskedCall): Promise<Outcome | null> | undefined {
          const key = keyOf(call);
          return (roundCalls.get(key) ?? remembered.get(key))?.outcome;
        },
        async keep(
          call: AskedCall,
          mayChange: boolean,
          outcome: Promise<Outcome | null>,
        ): Promise<Outcome | null> {
          const key = keyOf(call);
          roundCalls.set(key, { outcome, mayChange });
          const settled = await outcome;
          // A recoverable failure may be tried again.
          if (settled === null || (!settled.ok && settled.error?.recoverable === true))
            roundCalls.delete(key);
          return settled;
        },
        end(): void {
          const changes = [...roundCalls].filter(([, { mayChange }]) => mayChange);
          if (changes.length > 0) remembered.clear();
          for (const [key, call] of changes.length > 0 ? changes : roundCalls)
            remembered.set(key, call);
        },
      };
    },
  };
}

/** Independent of the spacing and order of the arguments. */
function keyOf({ function: { name, arguments: text } }: AskedCall): string {
  return JSON.stringify([name, canonical(text)]);
}

function canonical(text: string): string {
  if (text.trim() === "") return "{}";
  try {
    return stableJson(JSON.parse(text));
  } catch {
    return text;
  }
}
