import { cutText } from "../lib/cut-text.ts";
import type { AskedCall, ModelPart } from "../model/chat.ts";
import { modelBrokeOff } from "./broke-off.ts";
import type { Conversation } from "./conversation.ts";
import type { LoopParts } from "./loop-parts.ts";
import { limitParts } from "./models/limit-parts.ts";
import { streamPatiently } from "./models/stream-patiently.ts";
import type { OfferedTool } from "./run-calls.ts";
import type { Said } from "./style.ts";
import { withOwnIds } from "./unique-calls.ts";

/** As much of a call as is told while a run goes on. */
const shownCharacters = 1_000;
const shownArguments = 20_000;

/** One turn of the model, kept in the conversation; what it had said before it failed is kept too. */
export async function askModel(
  conversation: Conversation,
  tools: readonly OfferedTool[],
  { model, style, system, settings, limiter, voice }: LoopParts,
): Promise<Said> {
  const offered = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  const request = {
    ...style.request({ messages: conversation.messages, tools: offered, system }),
    ...settings,
    signal: limiter.signal,
  };
  const step = conversation.beginStep(tools.length);
  const heard = { text: "" };
  try {
    const parts = streamPatiently(model, request, limiter.leftMs);
    const read = await style.read(listen(limitParts(parts), heard, model.name), voice);
    const said = withOwnIds(read, conversation.messages);
    step.end(said.usage, said.reason);
    conversation.said(said);
    for (const call of said.calls) tellAction(call, voice);
    return said;
  } catch (thrown) {
    step.end();
    voice.end();
    if (heard.text.trim() !== "") conversation.add([{ role: "assistant", content: heard.text }]);
    throw thrown;
  }
}

async function* listen(
  parts: AsyncIterable<ModelPart>,
  heard: { text: string },
  model: string,
): AsyncGenerator<ModelPart> {
  let hasEnded = false;
  for await (const part of parts) {
    if (part.type === "text") heard.text += part.text;
    hasEnded ||= part.type === "end";
    yield part;
  }
  if (!hasEnded) throw modelBrokeOff(model);
}

function tellAction({ id, function: { name, arguments: text } }: AskedCall, voice: LoopParts["voice"]): void {
  voice.tell("action", cutText(`${name} ${text}`.trim(), shownCharacters), {
    call: { id, tool: name, ...(text.length > shownArguments ? {} : { arguments: readable(text) }) },
  });
}

/** What is no JSON is shown as it is. */
function readable(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    return text;
  }
}
