import type { SSEStreamingApi } from "hono/streaming";
import type { AgentAnswer } from "../../model/agent/agent-answer.ts";
import type { AgentMessage } from "../../model/agent/agent-run.ts";
import { type ErrorReport, errorTable } from "../../model/errors.ts";

/** Proxies close what is silent for too long. */
const keepAliveMs = 15_000;

/** Names that clients of other agents know. */
type Told = AgentMessage & {
  message_id: string;
  message_type: AgentMessage["type"];
  end_of_message: boolean;
  end_of_dialog: boolean;
};

/**
 * Says what an agent says, as it says it. The last message is kept back until all is known of the run, so that it can
 * carry the rest of the answer.
 */
export function createAgentStream(stream: SSEStreamingApi) {
  let written: Promise<unknown> = Promise.resolve();
  let last: AgentMessage | undefined;
  let count = 0;
  const send = (message: AgentMessage, more: object = {}) => {
    count += 1;
    const { id: message_id, type: message_type, end: end_of_message, endOfDialog: end_of_dialog } = message;
    const told: Told = { ...message, message_id, message_type, end_of_message, end_of_dialog };
    const event = { id: String(count), event: message.type, data: JSON.stringify({ ...told, ...more }) };
    written = written.then(() => stream.writeSSE(event));
  };
  const silence = setInterval(() => {
    written = written.then(() => stream.write(": still here\n\n"));
  }, keepAliveMs);
  return {
    hear(message: AgentMessage): void {
      if (message.endOfDialog) last = message;
      else send(message);
    },
    async end(answer: AgentAnswer): Promise<void> {
      clearInterval(silence);
      const { error } = answer;
      const type = last?.type ?? (error ? "error" : "answer");
      const message = { id: answer.trace.id, type, text: "", end: true, endOfDialog: true, ...last };
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
