import { createQuestions, type QuestionsOptions } from "../approvals/questions.ts";
import type { Routed } from "../model/call.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Asked } from "../model/relay.ts";
import { RpcError } from "../protocol/message.ts";

/** Answers a server's request for a model's words; `params` and the result are those of `sampling/createMessage`. */
export type Sampling = (
  params: UnknownObject,
  context: { server: string; callId: string; user: string | null; signal: AbortSignal },
) => Promise<UnknownObject>;

type Answering = { answersQuestions?: boolean; sampling?: Sampling; relays?: boolean };

export type Answers = ReturnType<typeof createAnswers>;

/** What a server can ask back in the middle of a call, as far as somebody is there to answer. */
export function createAnswers(
  { answersQuestions = false, sampling, relays = false }: Answering,
  options: QuestionsOptions,
) {
  const questions = createQuestions(options);
  const ownCapabilities = {
    ...(answersQuestions ? { elicitation: { form: {}, url: {} } } : {}),
    ...(sampling ? { sampling: {} } : {}),
  };
  return {
    questions,
    ownCapabilities,
    /** Who is connected to us can be asked all of it, or says no. */
    capabilities: relays
      ? { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }
      : ownCapabilities,
    async answer(
      call: Routed,
      server: string,
      { method, params }: Asked,
      signal: AbortSignal,
    ): Promise<UnknownObject> {
      const { user } = call.principal;
      if (method === "elicitation/create") {
        if (!answersQuestions) return { action: "cancel" };
        return questions.ask({ callId: call.id, server, tool: call.tool.name, user, params }, signal);
      }
      if (method === "sampling/createMessage" && sampling) {
        return sampling(params, { server, callId: call.id, user, signal });
      }
      if (method === "roots/list") return { roots: [] };
      if (method === "sampling/createMessage")
        throw new RpcError(-1, "Nobody who could answer has a model for it.");
      throw new RpcError(-32601, `Nobody here can answer '${method}'.`);
    },
  };
}
