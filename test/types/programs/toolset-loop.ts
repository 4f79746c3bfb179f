import type { ChatMessage, Plane } from "toolplane";

declare function complete(body: { messages: ChatMessage[]; tools?: object[] }): Promise<object>;

export async function answer(plane: Plane, question: string): Promise<ChatMessage[]> {
  const toolset = plane.toolset("reading");
  const messages: ChatMessage[] = [{ role: "user", content: question }];
  const turns = toolset.max_tool_call_turns ?? 5;
  for (let turn = 0; turn < turns; turn++) {
    const response = await complete({ messages, tools: await toolset.schemas() });
    if (!toolset.hasToolCalls(response)) return messages;
    messages.push(...(await toolset.processResponse(response)));
  }
  messages.push(...toolset.refuseResponse(await complete({ messages })));
  return messages;
}
