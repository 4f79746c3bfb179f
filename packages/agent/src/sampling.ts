import type { AgentParts } from "@toolplane/core/agent";
import { once } from "@toolplane/core/lib/async/once";
import { steadyNow } from "@toolplane/core/lib/async/steady-time";
import { createLru } from "@toolplane/core/lib/lru";
import { cutText } from "@toolplane/core/lib/text/cut-text";
import { toPlaneError } from "@toolplane/core/model/errors";
import type { PlaneEvent } from "@toolplane/core/model/events";
import type { Sampling } from "@toolplane/core/model/plane-options";
import { RpcError } from "@toolplane/core/protocol/message";
import type { OpenModel } from "./models/open-model.ts";
import type { SamplingRequest } from "./sampling-request.ts";

/** A server does not wait longer for a model. */
const maxMs = 120_000;
/** How many calls are counted at a time. */
const minCalls = 10_000;

type SamplingParts = Pick<AgentParts, "config" | "profile" | "models"> & {
  open: OpenModel;
  emit(event: PlaneEvent): void;
};

type Context = Parameters<Sampling>[1];

/** Answers the sampling requests of servers with our models, as far as the configuration allows. */
export function createSampling({ config, profile, models, open, emit }: SamplingParts): Sampling {
  const settings = () => config().sampling;
  const requestModule = once(() => import("./sampling-request.ts"));
  const counts = createLru<number>(minCalls);

  function note(
    { server, callId, tool }: Context,
    status: "answered" | "refused" | "failed",
    reason: string,
  ): void {
    const unused = { model: null, inputTokens: 0, outputTokens: 0 };
    emit({ type: "model.sampled", callId, server, tool, status, reason, ...unused });
  }

  function answeredByHand(context: Context, text: string) {
    note(context, "answered", "a person answered");
    return {
      role: "assistant",
      content: { type: "text", text },
      model: "person",
      stopReason: "endTurn",
    };
  }

  function refuse(context: Context, reason: string, code = -1): never {
    note(context, "refused", reason);
    throw new RpcError(code, `Sampling was refused: ${reason}.`);
  }

  /** Without one in the configuration the profile decides: a shared plane asks first. */
  async function verdictOn(server: string): Promise<"allow" | "ask" | "deny"> {
    const { verdict } = settings();
    if (verdict !== null) return verdict;
    const activeProfile = await profile();
    if (activeProfile === "personal") return "allow";
    return activeProfile === "guarded" && config().servers[server]?.trusted === true
      ? "allow"
      : "ask";
  }

  function count(context: Context): void {
    const { maxCallsPerToolCall: maxCalls } = settings();
    const callCount = (counts.get(context.callId) ?? 0) + 1;
    if (callCount > maxCalls)
      refuse(context, `one call of a tool may ask a model ${maxCalls} times`);
    counts.set(context.callId, callCount);
  }

  /** Null where a model may answer; else what a person wrote. */
  async function askPerson(context: Context, request: SamplingRequest): Promise<string | null> {
    const verdict = await verdictOn(context.server);
    const hasModel = models.known().length > 0;
    if (verdict === "deny") refuse(context, "the configuration does not let servers ask models");
    if (verdict === "allow" && hasModel) return null;
    if (context.byHand) {
      const reply = await context.byHand((await requestModule()).showSampling(request, hasModel));
      if (reply === null) refuse(context, "a person declined");
      return reply.text ?? null;
    }
    if (!hasModel) refuse(context, "no model is configured");
    const isAgreed = await context.confirm(describe(context, request));
    if (isAgreed === null) refuse(context, "a person has to agree, and no person can be asked");
    if (!isAgreed) refuse(context, "a person declined");
    return null;
  }

  async function serve(context: Context, request: SamplingRequest) {
    const { chooseByHints, collectReply, toSamplingResult } = await requestModule();
    const { streamWithRetries } = await import("./models/stream.ts");
    const knownModels = models.known();
    const model = await open(
      chooseByHints(request.hints, knownModels) ?? settings().model ?? usualModel(knownModels),
    );
    const endsAt = steadyNow() + maxMs;
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(maxMs)]);
    const reply = await collectReply(
      streamWithRetries(model, { ...request.request, signal }, () => endsAt - steadyNow()),
    );
    context.tokens?.used(reply.usage);
    const { inputTokens, outputTokens } = reply.usage;
    const { callId, server, tool } = context;
    const names = { callId, server, tool, model: model.name };
    emit({
      type: "model.sampled",
      ...names,
      status: "answered",
      reason: null,
      inputTokens,
      outputTokens,
    });
    return toSamplingResult(
      knownModels.find(({ name }) => name === model.name)?.model ?? model.name,
      reply,
    );
  }

  return async (params, context) => {
    if (!settings().enabled) refuse(context, "the configuration does not let servers ask models");
    count(context);
    const request = (await requestModule()).readSampling(params, settings().maxTokens);
    if (typeof request === "string") return refuse(context, request, -32602);
    if ((context.tokens?.left() ?? 1) <= 0)
      refuse(context, "the run that made the call has used its tokens");
    const written = await askPerson(context, request);
    if (written !== null) return answeredByHand(context, written);
    try {
      return await serve(context, request);
    } catch (thrown) {
      note(context, "failed", toPlaneError(thrown).code);
      // Where the model is and what it said is not for a server to know.
      throw new RpcError(-32603, "The model could not answer.");
    }
  };
}

function describe({ server, tool }: Context, { request, hints }: SamplingRequest): string {
  const last = JSON.stringify(request.messages.at(-1)?.content ?? "");
  const wish = hints.length === 0 ? "a model" : `a model like '${hints[0]}'`;
  return `Server '${server}' wants to ask ${wish}, in the middle of '${tool}': ${cutText(last, 500)}`;
}

function usualModel(models: readonly { name: string }[]): string | undefined {
  return (models.find(({ name }) => name === "default") ?? models[0])?.name;
}
