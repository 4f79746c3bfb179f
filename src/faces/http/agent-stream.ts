import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import { type AgentAnswer, agentAnswer } from "../../model/agent/agent-answer.ts";
import type { AgentMessage } from "../../model/agent/agent-run.ts";
import type { AgentResult, RunAgentOptions } from "../../model/agent.ts";
import { readTraceContext } from "../../model/calls/provider.ts";
import { errorTable } from "../../model/errors.ts";
import type { ErrorReport } from "../../model/errors-schema.ts";
import { shownAgentAnswer } from "../../operations/public-errors.ts";
import { renderAgentAnswer, shownError } from "./render.ts";
import { type HttpContext, keepAliveMs, wantsStream } from "./route.ts";

/** A model may think for longer than a proxy waits for the first byte. */
const waitMs = 1_000;

type Run = (more: RunAgentOptions) => Promise<AgentResult>;

/** The answer of an agent; for clients that ask for a stream what it says, as it says it. */
export async function answerAgent(
  c: HttpContext,
  run: Run,
  closing: AbortSignal,
  isDetached: boolean,
): Promise<Response> {
  const meta = readTraceContext(c.req.header());
  const traced: Run = (more) => run({ ...(meta && { meta }), ...more });
  if (wantsStream(c)) return streamAgent(c, traced, closing, isDetached);
  const agentResult = await traced({ ...(isDetached && { signal: closing }) });
  return renderAgentAnswer(agentAnswer(agentResult));
}

/** What is wrong with the request is a status, as long as nothing was said. */
async function streamAgent(
  c: HttpContext,
  run: Run,
  closing: AbortSignal,
  isDetached: boolean,
): Promise<Response> {
  const disconnect = new AbortController();
  const firstMessage = Promise.withResolvers<void>();
  const early: AgentMessage[] = [];
  let hear = (message: AgentMessage): void => void early.push(message);
  const running = run({
    signal: isDetached ? closing : AbortSignal.any([c.req.raw.signal, disconnect.signal, closing]),
    onMessage: (message) => {
      hear(message);
      firstMessage.resolve();
    },
  });
  const timer = setTimeout(firstMessage.resolve, waitMs);
  await Promise.race([firstMessage.promise, running]).finally(() => clearTimeout(timer));
  return streamSSE(c, async (stream) => {
    stream.onAbort(() => disconnect.abort(new Error("the client went away")));
    const agentStream = createAgentStream(stream);
    hear = agentStream.hear;
    for (const message of early) agentStream.hear(message);
    await running.then(
      (result) => agentStream.end(shownAgentAnswer(agentAnswer(result))),
      (thrown) => agentStream.fail(shownError(thrown)),
    );
  });
}

/** The last message is kept back until all is known of the run, so that it can carry the rest of the answer. */
function createAgentStream(stream: SSEStreamingApi) {
  let written: Promise<unknown> = Promise.resolve();
  let lastMessage: AgentMessage | undefined;
  let count = 0;
  const send = (message: AgentMessage, more: object = {}) => {
    count += 1;
    // Names that clients of other agents know.
    const {
      id: message_id,
      type: message_type,
      end: end_of_message,
      endOfDialog: end_of_dialog,
    } = message;
    const body = { ...message, message_id, message_type, end_of_message, end_of_dialog, ...more };
    const event = { id: String(count), event: message.type, data: JSON.stringify(body) };
    written = written.then(() => stream.writeSSE(event));
  };
  const silence = setInterval(() => {
    written = written.then(() => stream.write(": still here\n\n"));
  }, keepAliveMs);
  return {
    hear(message: AgentMessage): void {
      if (message.endOfDialog) lastMessage = message;
      else send(message);
    },
    async end(answer: AgentAnswer): Promise<void> {
      clearInterval(silence);
      const { error } = answer;
      const type = lastMessage?.type ?? (error ? "error" : "answer");
      const message = {
        id: answer.trace.id,
        type,
        text: "",
        end: true,
        endOfDialog: true,
        ...lastMessage,
      };
      // The text of an internal error is for the operator.
      if (type === "error" && error) message.text = error.message;
      send(message, answer);
      await written;
    },
    /** It did not even begin. */
    async fail(error: ErrorReport): Promise<void> {
      clearInterval(silence);
      const id = `error-${errorTable[error.code].http}`;
      send({ id, type: "error", text: error.message, end: true, endOfDialog: true }, { error });
      await written;
    },
  };
}
