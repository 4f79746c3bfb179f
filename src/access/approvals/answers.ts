import { withExactNumbers } from "../../lib/json/exact-numbers.ts";
import type { Routed } from "../../model/calls/call.ts";
import type { Asked, Relay } from "../../model/calls/provider.ts";
import { isObject, type Json, type JsonObject, type UnknownObject } from "../../model/json.ts";
import type { Sampling } from "../../model/plane-options.ts";
import type { AbortSignal } from "../../model/platform.ts";
import { RpcError } from "../../protocol/message.ts";
import { createQuestions, type QuestionsOptions } from "./questions.ts";

type Answering = {
  answersQuestions?: boolean;
  sampling?: Sampling;
  relays?: boolean;
  /** Is there somebody who can sample at all? Asked whenever a server is connected. */
  isSampling(): boolean;
};

export type Answers = ReturnType<typeof createAnswers>;

/** What a server can ask back in the middle of a call, as far as somebody is there to answer. */
export function createAnswers(
  { answersQuestions = false, sampling, relays = false, isSampling }: Answering,
  options: QuestionsOptions,
) {
  const questions = createQuestions(options);
  const ownCapabilities = {
    ...(answersQuestions ? { elicitation: { form: {}, url: {} } } : {}),
    // Models come and go with the configuration.
    get sampling() {
      return isSampling() ? {} : undefined;
    },
  };
  /** A client that cannot be asked is no reason to wait for somebody who is not there. */
  const isAnybodyThere = ({ face, principal }: Routed) =>
    answersQuestions && (face !== "mcp" || questions.isListening(principal.user));
  const confirm = async (call: Routed, server: string, relay: Relay | undefined, text: string, signal: AbortSignal) => {
    const params = { message: text, requestedSchema: { type: "object", properties: {} } };
    const asked = { ...causeOf(call), server, params };
    const said =
      (await relay?.onQuestion?.(server, { method: "elicitation/create", params }, signal)) ??
      (isAnybodyThere(call) ? await questions.ask(asked, signal) : null);
    return said === null ? null : said.action === "accept";
  };
  return {
    questions,
    ownCapabilities,
    /** Who is connected to us can be asked all of it, or says no. */
    capabilities: relays ? { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} } : ownCapabilities,
    /** What a client answered, as its server may read it: a form that is not filled in as it asks is none. */
    async fit({ method, params }: Asked, answered: UnknownObject, relay?: Relay): Promise<UnknownObject> {
      const exact = withExactNumbers(answered);
      const schema = params.requestedSchema;
      const isForm = method === "elicitation/create" && params.mode !== "url" && isObject(schema);
      if (!isForm || answered.action !== "accept") return exact;
      const content = answered.content ?? {};
      // What cannot be checked is for the server to look at.
      const wrong = await options.problems(schema as JsonObject, content as Json).catch(() => []);
      if (wrong.length === 0) return exact;
      const data = `The answer does not fit what the server asked for: ${wrong.join("; ")}. The server was told that nobody answered.`;
      relay?.onLog?.({ level: "warning", logger: "toolplane", data });
      return { action: "cancel" };
    },
    async answer(
      call: Routed,
      server: string,
      { method, params }: Asked,
      signal: AbortSignal,
      relay?: Relay,
    ): Promise<UnknownObject> {
      const { user } = call.principal;
      if (method === "elicitation/create") {
        if (!isAnybodyThere(call)) return { action: "cancel" };
        return questions.ask({ ...causeOf(call), server, params }, signal);
      }
      if (method === "sampling/createMessage" && sampling && isSampling()) {
        const context = { server, callId: call.id, tool: call.tool.name, user, signal };
        return sampling(params, {
          ...context,
          ...(relay?.tokens ? { tokens: relay.tokens } : {}),
          confirm: (text) => confirm(call, server, relay, text, signal),
        });
      }
      if (method === "roots/list") return { roots: [] };
      if (method === "sampling/createMessage") throw new RpcError(-1, "Nobody who could answer has a model for it.");
      throw new RpcError(-32601, `Nobody here can answer '${method}'.`);
    },
  };
}

/** Which call a question belongs to, and who made it where. */
function causeOf({ id, tool, principal: { user }, options: { conversation } }: Routed) {
  return { callId: id, tool: tool.name, user, ...(conversation === undefined ? {} : { conversation }) };
}
