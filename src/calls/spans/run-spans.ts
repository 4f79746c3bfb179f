import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { AgentRun } from "../../model/agent/agent-run.ts";
import type { ChatModel, ModelPart, ModelRequest } from "../../model/agent/chat.ts";
import { type Relay, withTraceContext } from "../../model/calls/provider.ts";
import { toPlaneError } from "../../model/errors.ts";
import type { UnknownObject } from "../../model/json.ts";
import { beginSpan, endSpan, type OpenSpan, runWithin } from "./tracer.ts";

/** What is known of a run when it begins. */
export type RunBeginning = Pick<AgentRun, "id" | "model" | "style" | "toolset" | "conversation">;

/** A run that is traced: its model's turns and its calls belong below it. */
export type TracedRun = {
  /** The same model, with a span for each time it is asked. */
  model(model: ChatModel): ChatModel;
  /** To be passed with each call. */
  relay: Relay;
  /** `run` is left out where nothing came of it. */
  end(run?: Pick<AgentRun, "outcome" | "error" | "usage" | "turns" | "counters">): void;
};

export function traceRun({ id, model, style, toolset, conversation }: RunBeginning, meta?: UnknownObject): TracedRun {
  const begun = beginSpan({
    name: toolset === null ? "invoke_agent" : `invoke_agent ${toolset}`,
    kind: "INTERNAL",
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "toolplane",
      "gen_ai.request.model": model,
      "gen_ai.conversation.id": conversation,
      ...(toolset === null ? {} : { "gen_ai.agent.name": toolset }),
      ...{ "toolplane.run.id": id, "toolplane.agent.style": style },
    },
    meta,
  });
  const { span, said } = begun;
  return {
    model: (asked) => ({
      ...factsOf(asked),
      stream: (request) => traceTurn(asked, request, begun, conversation),
    }),
    relay: { meta: withTraceContext(meta, said) },
    end(run) {
      if (run === undefined) return endSpan(span, "INTERNAL");
      span.setAttributes({
        "gen_ai.usage.input_tokens": run.usage.inputTokens,
        "gen_ai.usage.output_tokens": run.usage.outputTokens,
        "toolplane.agent.outcome": run.outcome,
        "toolplane.agent.turns": run.turns,
        "toolplane.agent.calls": run.counters.totalToolCalls,
      });
      const isFailed = run.outcome === "failed" || run.outcome === "cancelled";
      endSpan(span, isFailed ? (run.error?.code ?? "CANCELLED") : null);
    },
  };
}

function factsOf({ name, provider, modelId }: ChatModel): Omit<ChatModel, "stream"> {
  return { name, ...withoutUndefined({ provider, modelId }) };
}

/** One time that the model is asked: from the request to the last piece of its answer. */
async function* traceTurn(
  model: ChatModel,
  request: ModelRequest,
  run: OpenSpan,
  conversation: string,
): AsyncGenerator<ModelPart> {
  const begun = beginSpan({
    name: `chat ${model.modelId ?? model.name}`,
    kind: "CLIENT",
    attributes: {
      "gen_ai.operation.name": "chat",
      ...(model.provider === undefined ? {} : { "gen_ai.provider.name": model.provider }),
      "gen_ai.request.model": model.modelId ?? model.name,
      "gen_ai.conversation.id": conversation,
      "toolplane.tools.offered": request.tools?.length ?? 0,
      ...(request.temperature === undefined ? {} : { "gen_ai.request.temperature": request.temperature }),
      ...(request.maxOutputTokens === undefined ? {} : { "gen_ai.request.max_tokens": request.maxOutputTokens }),
    },
    meta: run.said,
  });
  const { span } = begun;
  let hasEnded = false;
  // Whoever has heard enough may stop listening, and that is no error.
  let error: string | null = null;
  try {
    for await (const part of runWithin(begun, () => model.stream(request))) {
      if (part.type === "end") {
        hasEnded = true;
        span.setAttributes({
          "gen_ai.response.finish_reasons": [part.reason],
          "gen_ai.usage.input_tokens": part.usage.inputTokens,
          "gen_ai.usage.output_tokens": part.usage.outputTokens,
        });
      }
      yield part;
    }
    if (!hasEnded) error = "PROVIDER_FAILED";
  } catch (thrown) {
    error = toPlaneError(thrown).code;
    throw thrown;
  } finally {
    endSpan(span, request.signal?.aborted && !hasEnded ? "CANCELLED" : error);
  }
}
