import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import type { Outcome } from "../../model/calls/call.ts";
import type { Relay } from "../../model/calls/provider.ts";
import { renderOutcome, renderProblem } from "./render.ts";
import type { HttpContext } from "./route.ts";

/** Proxies close what is silent for too long. */
const keepAliveMs = 15_000;

/** How far a call is, as its server tells, and at last what came of it. A client that goes away cancels it. */
export function streamCall(c: HttpContext, call: (relay: Relay, signal: AbortSignal) => Promise<Outcome>): Response {
  return streamSSE(c, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort(new Error("the client went away")));
    const say = createSpeaker(stream);
    const silence = setInterval(() => say(() => stream.write(": still here\n\n")), keepAliveMs);
    const tell = (event: string, data: string) => say(() => stream.writeSSE({ event, data }));
    const relay: Relay = {
      onProgress: (progress) => void tell("progress", JSON.stringify(progress)),
      onLog: (message) => void tell("log", JSON.stringify(message)),
    };
    try {
      const answer = await call(relay, gone.signal).then(renderOutcome, renderProblem);
      await tell("outcome", await answer.text());
    } finally {
      clearInterval(silence);
    }
  });
}

/** One after the other, as they come. */
function createSpeaker(stream: SSEStreamingApi) {
  let last: Promise<unknown> = Promise.resolve();
  return (write: () => Promise<unknown>): Promise<unknown> => {
    last = last.then(() => (stream.aborted ? undefined : write()));
    return last;
  };
}
