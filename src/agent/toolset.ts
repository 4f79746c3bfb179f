import type { AskedCall } from "../model/agent/chat.ts";
import type { CallAnswer, ProcessOptions, Toolset } from "../model/agent.ts";
import type { Tool } from "../model/catalogue/tool.ts";
import {
  isToolFormat,
  type ToolFormatName,
  type ToolFormats,
  toObjectSchema,
  toolFormats,
} from "../model/catalogue/tool-formats.ts";
import type { ToolsetDefinition } from "../model/config/config.ts";

import { PlaneError } from "../model/errors.ts";
import type { UnknownObject } from "../model/json.ts";
import { countCalls, finishOf, readResponse } from "./asked-calls.ts";
import { createCallMemory } from "./call-memory.ts";
import { isCutOff } from "./cut-off.ts";
import { refuseCalls } from "./refuse.ts";
import { type CallTool, type OfferedTool, runCalls } from "./run-calls.ts";
import type { NamedTool } from "./select-tools.ts";
import { toToolMessage } from "./tools-style.ts";

/** What a toolset can call, for one caller. */
export type ToolsetParts = {
  /** Null where it has no name: an inline definition, or every tool. */
  alias: string | null;
  definition(): ToolsetDefinition;
  /** Looked up anew each time: a toolset that was registered again counts at once. */
  tools(): Promise<NamedTool[]>;
  mayChange(tool: Tool): boolean;
  call(tools: readonly NamedTool[], options: ProcessOptions): CallTool;
  generate: Toolset["generate"];
  usage: Toolset["usage"];
};

/** For whoever runs a model on their own: schemas for its request, and messages for what it answers. */
export function createToolset(parts: ToolsetParts): Toolset {
  async function answer(
    calls: readonly AskedCall[],
    options: ProcessOptions = {},
    isCut = false,
  ): Promise<CallAnswer[]> {
    if (calls.length === 0) return [];
    const tools = await parts.tools();
    const called = await runCalls(calls, {
      offered: tools.map((named) => toOffered(named, parts.mayChange)),
      call: parts.call(tools, options),
      memory: createCallMemory(),
      callsLeft: Number.POSITIVE_INFINITY,
      isCut,
      signal: options.signal,
    });
    return called.map(({ observation }) => observation);
  }

  return {
    alias: parts.alias,
    get providers() {
      return parts.definition().providers;
    },
    get allow_tools() {
      return parts.definition().allow_tools;
    },
    get max_tool_call_turns() {
      return parts.definition().max_tool_call_turns;
    },
    get timeout_sec() {
      return parts.definition().timeout_sec;
    },
    async schemas<Format extends ToolFormatName = "openai">(format?: Format) {
      const name = format ?? "openai";
      if (!isToolFormat(name)) {
        const known = Object.keys(toolFormats).join(", ");
        throw new PlaneError("USAGE", `'${String(name)}' is no format of tools. Use one of ${known}.`);
      }
      const tools = await parts.tools();
      const described = tools.map((named) => ({ ...named.tool, modelName: named.name }));
      // The catalogue's own are frozen, and libraries write into what they are given.
      return structuredClone(toolFormats[name](described)) as ToolFormats[Format];
    },
    toolCallCount: countCalls,
    hasToolCalls: (response) => countCalls(response) > 0,
    async processResponse(response, options) {
      const message = readResponse(response);
      const answers = await answer(message.tool_calls ?? [], options, isCutOff(finishOf(response)));
      return [message, ...answers.map(toToolMessage)];
    },
    answerCalls: (calls, options) => answer(calls, options),
    refuseResponse: (response, text) => refuseCalls(readResponse(response), text),
    generate: parts.generate,
    usage: parts.usage,
  };
}

export function toOffered({ name, tool }: NamedTool, mayChange: (tool: Tool) => boolean): OfferedTool {
  const { description, parameters } = tool;
  return {
    name,
    description,
    parameters: shownSchema(parameters),
    mayChange: mayChange(tool),
    id: tool.id,
  };
}

/** A schema that says nothing of properties takes any, and a model would think that it takes none. */
function shownSchema(parameters: UnknownObject): UnknownObject {
  const shown = toObjectSchema(parameters);
  const isSilent = parameters.properties === undefined && shown.additionalProperties === undefined;
  return isSilent && Object.keys(shown.properties).length === 0 ? { ...shown, additionalProperties: true } : shown;
}
