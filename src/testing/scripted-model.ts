import { setTimeout as delay } from "node:timers/promises";
import type { ChatModel, ModelPart, ModelRequest } from "../model/agent/chat.ts";
import { PlaneError } from "../model/errors.ts";
import { textOrJson, type UnknownObject } from "../model/json.ts";

/** A call without `id` gets one; `id: null` leaves it out of an endpoint's answer. Text arguments are sent as they are. */
export type ScriptedCall = { name: string; arguments: UnknownObject | string; id?: string | null };

/** One answer of a scripted model. `finish` is the reason why it stopped, where that is another than usual. */
export type ScriptedReply = { delay?: number; reasoning?: string; finish?: string } & (
  | { kind: "text"; text: string }
  | { kind: "tools"; calls: readonly ScriptedCall[]; text?: string }
  | { kind: "error"; status: number; message: string; headers?: Record<string, string> }
  /** The answer breaks off after this text. */
  | { kind: "broken"; text: string }
  /** It writes this and then nothing more, until the client disconnects. */
  | { kind: "hang"; text: string }
);

/** The answers in order, or a function that reads the request and decides. */
export type Script<Request = UnknownObject> =
  | readonly ScriptedReply[]
  | ((request: Request, index: number) => ScriptedReply);

/** The reply to a request, by its number; after the last one, an error. */
export function nextReply<Request>(
  script: Script<Request>,
  request: Request,
  index: number,
): ScriptedReply {
  const reply = typeof script === "function" ? script(request, index) : script[index];
  return (
    reply ?? { kind: "error", status: 500, message: `The script has no reply number ${index + 1}.` }
  );
}

export type ScriptedModel = ChatModel & {
  /** What it was asked, in order. */
  readonly requests: readonly ModelRequest[];
};

/**
 * A model that follows a script, for `models` of `createPlane`.
 *
 * @example
 * const model = scriptedModel([
 *   { kind: "tools", calls: [{ name: "weather__forecast", arguments: { city: "Rome" } }] },
 *   { kind: "text", text: "It will rain." },
 * ]);
 */
export function scriptedModel(script: Script<ModelRequest>, name = "scripted"): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name,
    requests,
    async *stream(request): AsyncGenerator<ModelPart> {
      requests.push(request);
      const reply = nextReply(script, request, requests.length - 1);
      const { signal } = request;
      if (reply.delay !== undefined)
        await delay(reply.delay, undefined, { signal: signal as AbortSignal });
      if (reply.kind === "error")
        throw new PlaneError("PROVIDER_FAILED", `Model '${name}' failed: ${reply.message}`, {
          data: { status: reply.status },
        });
      if (reply.reasoning !== undefined) yield { type: "reasoning", text: reply.reasoning };
      if (reply.text !== undefined) yield { type: "text", text: reply.text };
      if (reply.kind === "broken") return;
      if (reply.kind === "hang")
        return void (await untilAborted(signal as AbortSignal | undefined));
      const calls = reply.kind === "tools" ? reply.calls : [];
      for (const [index, { id, name: tool, arguments: args }] of calls.entries()) {
        const text = argumentText(args);
        const callId = id ?? `call_${requests.length}_${index + 1}`;
        yield {
          type: "call",
          call: { id: callId, type: "function", function: { name: tool, arguments: text } },
        };
      }
      const reason = reply.finish ?? (calls.length > 0 ? "tool_calls" : "stop");
      yield { type: "end", reason, usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } };
    },
  };
}

/** As a model writes them. */
export function argumentText(args: ScriptedCall["arguments"]): string {
  return textOrJson(args);
}

function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((_, reject) =>
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true }),
  );
}
