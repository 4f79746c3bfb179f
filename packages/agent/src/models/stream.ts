import { backoffMs, pause } from "@toolplane/core/lib/async/pause";
import { abortable } from "@toolplane/core/lib/async/signals";
import type { ChatModel, ModelPart, ModelRequest } from "@toolplane/core/model/agent/chat";
import { toPlaneError } from "@toolplane/core/model/errors";

const attempts = 3;
const firstPauseMs = 500;

/** Retries an endpoint that is unavailable while the time suffices; never in the middle of an answer. */
export async function* streamWithRetries(
  model: ChatModel,
  request: ModelRequest,
  leftMs: () => number,
): AsyncGenerator<ModelPart> {
  for (let attempt = 1; ; attempt++) {
    let hasBegun = false;
    try {
      for await (const part of untilAborted(model.stream(request), request.signal)) {
        hasBegun = true;
        yield part;
      }
      return;
    } catch (thrown) {
      const waitMs = hasBegun || attempt === attempts ? null : pauseAfter(thrown, attempt);
      if (waitMs === null || waitMs >= leftMs() || request.signal?.aborted) throw thrown;
      await pause(waitMs, { signal: request.signal });
      if (request.signal?.aborted) throw thrown;
    }
  }
}

/** Stops at the signal, also where the model ignores it. */
async function* untilAborted(parts: AsyncIterable<ModelPart>, signal: AbortSignal | undefined) {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await abortable(Promise.resolve(iterator.next()), signal);
      if (done) return;
      yield value;
    }
  } finally {
    // A model that cannot be stopped has nothing more to say.
    Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

/** How long to wait before the next attempt; null where it would fail the same way. */
function pauseAfter(thrown: unknown, attempt: number): number | null {
  const { code, data } = toPlaneError(thrown);
  if (code !== "SERVER_UNAVAILABLE" || data.retryAt === null) return null;
  if (typeof data.retryInMs === "number") return data.retryInMs;
  return backoffMs({ firstMs: firstPauseMs }, attempt);
}

/** No answer is as long, and a model that never ends would fill the memory. */
const maxText = 1_000_000;
export const maxArguments = 4_000_000;
const charactersPerToken = 4;

/** Cuts an endless reply off. */
export async function* limitParts(parts: AsyncIterable<ModelPart>): AsyncGenerator<ModelPart> {
  const heard = { text: 0, arguments: 0 };
  for await (const part of parts) {
    if (part.type === "text" || part.type === "reasoning") heard.text += part.text.length;
    if (part.type === "call") heard.arguments += part.call.function.arguments.length;
    if (heard.text > maxText || heard.arguments > maxArguments) {
      yield endOfRoom(heard.text + heard.arguments);
      return;
    }
    yield part;
  }
}

export function endOfRoom(characters: number): ModelPart {
  const tokens = Math.ceil(characters / charactersPerToken);
  return {
    type: "end",
    reason: "length",
    usage: { inputTokens: 0, outputTokens: tokens, totalTokens: tokens },
  };
}
