import { RpcError } from "../protocol/message.ts";
import type { AnswerRequest } from "../protocol/questions-from-peer.ts";

/** What a server is told that asks something nobody can be asked for: declined, never left waiting. */
export function createDefaultAnswers(roots: readonly string[]): AnswerRequest {
  return async (method) => {
    if (method === "roots/list") return { roots: roots.map((uri) => ({ uri, name: lastPart(uri) })) };
    if (method === "elicitation/create") return { action: "cancel" };
    if (method === "sampling/createMessage") {
      throw new RpcError(-1, "No model is configured that could answer, or it is not clear for which call.");
    }
    throw new RpcError(-32601, `Method not found: ${method}`);
  };
}

function lastPart(uri: string): string {
  const last = uri.replace(/\/+$/, "").split("/").at(-1) ?? uri;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
