import { uniqueId } from "../../lib/ids-and-time.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { ChatContent } from "../../model/agent/chat.ts";
import type { ProcessOptions, Toolset } from "../../model/agent.ts";

import type { AbortSignal } from "../../model/platform.ts";

type RunConfig = { signal?: AbortSignal; toolCall?: { id?: string } };

/** What LangChain's `DynamicStructuredTool` is made with. */
export type LangChainFields = {
  name: string;
  description: string;
  schema: { type: "object" };
  func(input: unknown, run?: unknown, config?: RunConfig): Promise<ChatContent>;
};

/**
 * A toolset as tools for `bindTools` and agents of LangChain.js. `DynamicStructuredTool` is that library's own class, so
 * that it is the version you have.
 *
 * @example
 * import { DynamicStructuredTool } from "@langchain/core/tools";
 *
 * const tools = await asLangChainTools(plane.toolset("reading"), DynamicStructuredTool);
 * const answer = await model.bindTools(tools).invoke("What is in notes.txt?");
 */
export async function asLangChainTools<Tool>(
  toolset: Pick<Toolset, "schemas" | "answerCalls">,
  DynamicStructuredTool: new (fields: LangChainFields) => Tool,
  options: Omit<ProcessOptions, "signal"> = {},
): Promise<Tool[]> {
  const schemas = await toolset.schemas();
  return schemas.map(
    ({ function: { name, description, parameters } }) =>
      new DynamicStructuredTool({
        name,
        description,
        schema: parameters,
        async func(input, _run, { signal, toolCall } = {}) {
          const toolCallFunction = { name, arguments: JSON.stringify(input ?? {}) };
          const [answer] = await toolset.answerCalls(
            [{ id: toolCall?.id ?? uniqueId(), type: "function", function: toolCallFunction }],
            { ...options, ...withoutUndefined({ signal }) },
          );
          return answer?.content ?? "";
        },
      }),
  );
}
