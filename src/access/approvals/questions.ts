import { uniqueId } from "../../lib/ids-and-time.ts";
import { withExactNumbers } from "../../lib/json/exact-numbers.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { Routed } from "../../model/calls/call.ts";
import type { QuestionAnswer, Relay, ServerRequest } from "../../model/calls/provider.ts";
import type { Question, SamplingAsked } from "../../model/calls/question-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { isObject, type Json, type JsonObject, type UnknownObject } from "../../model/json.ts";
import type { PlaneQuestions } from "../../model/plane-access.ts";
import type { PlaneOptions, Sampling } from "../../model/plane-options.ts";
import type { AbortSignal } from "../../model/platform.ts";
import { type Inside, isOwner, ownerOf, type Principal } from "../../model/principal.ts";
import { toldToServers } from "../../protocol/extensions.ts";
import { RpcError } from "../../protocol/message.ts";

/** After this time the question is cancelled at the server. */
const answerTimeoutMs = 300_000;
/** A user who listed or listened within this time counts as present. */
const presenceMs = 60_000;

type AnswersContext = {
  readonly options: Pick<PlaneOptions, "answersQuestions" | "sampling" | "relays">;
  readonly recorder: { emit(event: PlaneEvent): void };
  readonly agent: {
    sampling: {
      answer: Sampling;
      /** Is there a model to sample from? Asked whenever a server connects: models change with the configuration. */
      isOffered(): boolean;
      /** May a person answer in the place of a model? */
      isByHand(): boolean;
    };
  };
  readonly calls: {
    checkSchema(schema: JsonObject, value: Json): Promise<{ path: string; message: string }[]>;
  };
};

export type Answers = ReturnType<typeof createAnswers>;

/** Answers what servers ask in the middle of a call: elicitation, sampling, roots. */
export function createAnswers(context: AnswersContext) {
  const { options, agent, recorder } = context;
  const { answersQuestions = false, relays = false, sampling = agent.sampling.answer } = options;
  const isSampling = () => options.sampling !== undefined || agent.sampling.isOffered();
  const isByHand = () => options.sampling === undefined && agent.sampling.isByHand();
  const problems: QuestionPorts["problems"] = async (schema, value) =>
    (await context.calls.checkSchema(schema, value)).map(({ path, message }) =>
      `${path} ${message}`.trim(),
    );
  const questions = createQuestions({ emit: recorder.emit, problems });
  const elicitation = { form: {}, url: {} };
  const ownCapabilities = {
    ...(answersQuestions ? { elicitation } : {}),
    get sampling() {
      return isSampling() ? {} : undefined;
    },
  };

  /** An MCP client that cannot be asked is represented by its user in another face, where there is one. */
  function mayAsk({ face, principal }: Routed) {
    return answersQuestions && (face !== "mcp" || questions.isListening(principal));
  }

  async function confirm(
    call: Routed,
    server: string,
    relay: Relay | undefined,
    text: string,
    signal: AbortSignal,
  ) {
    const params = { message: text, requestedSchema: { type: "object", properties: {} } };
    const reply =
      (await relay?.onQuestion?.(server, { method: "elicitation/create", params }, signal)) ??
      (mayAsk(call)
        ? await questions.ask({ ...causeOf(call), server, params }, signal, call.principal)
        : null);
    if (reply === null) return null;
    return reply.action === "accept";
  }

  /** Only a person who tries a tool and can see the question: for others a call would wait in vain. */
  const canWrite = ({ face }: Routed) => answersQuestions && face === "workbench";

  async function write(call: Routed, server: string, sampling: SamplingAsked, signal: AbortSignal) {
    const message = sampling.hasModel ? samplingText : samplingWithoutModelText;
    const requestedSchema = { ...writtenSchema, required: sampling.hasModel ? [] : ["text"] };
    const params = { message, requestedSchema };
    const reply = await questions.ask(
      { ...causeOf(call), server, params, sampling },
      signal,
      call.principal,
    );
    if (reply.action !== "accept") return null;
    return (reply.content ?? {}) as { text?: string };
  }

  const verbs: Inside<PlaneQuestions> = {
    list: async ({ principal }) => questions.waiting(principal),
    answer: (id, answer, { principal }) => questions.answer(id, answer, principal),
  };
  return {
    verbs,
    questions,
    samples: (call: Routed) => canWrite(call) && !isSampling() && isByHand(),
    ownCapabilities,
    /** A connected client is asked everything, or refuses. */
    capabilities: relays ? { elicitation, sampling: { tools: {} }, roots: {} } : ownCapabilities,
    /** Extensions of the plane itself: it has pages only where clients show them. */
    extensions: relays ? toldToServers : {},
    /** A client's answer as its server may read it: an invalid form counts as cancelled. */
    fit: (question: ServerRequest, reply: UnknownObject, relay?: Relay) =>
      fitAnswer(question, reply, relay, problems),
    async answer(
      call: Routed,
      server: string,
      question: ServerRequest,
      signal: AbortSignal,
      relay?: Relay,
    ): Promise<UnknownObject> {
      const { method, params } = question;
      if (method === "elicitation/create") {
        if (!mayAsk(call)) return { action: "cancel" };
        return questions.ask({ ...causeOf(call), server, params }, signal, call.principal);
      }
      if (method === "roots/list") return { roots: [] };
      if (method !== "sampling/createMessage")
        throw new RpcError(-32601, `No one here can answer '${method}'.`);
      if (!(isSampling() || (canWrite(call) && isByHand())))
        throw new RpcError(-1, "No model is configured for sampling.");
      const { conversation: _, ...cause } = causeOf(call);
      return sampling(params, {
        ...cause,
        server,
        signal,
        ...(relay?.tokens ? { tokens: relay.tokens } : {}),
        confirm: (text) => confirm(call, server, relay, text, signal),
        ...(canWrite(call) ? { byHand: (shown) => write(call, server, shown, signal) } : {}),
      });
    },
  };
}

const samplingText =
  "The server requests a completion (sampling). Let the model answer, or write the answer yourself.";
const samplingWithoutModelText =
  "The server requests a completion (sampling), and no model is configured. Write the answer yourself.";
const writtenSchema = {
  type: "object",
  properties: { text: { type: "string", title: "Answer", minLength: 1 } },
};

async function fitAnswer(
  { method, params }: ServerRequest,
  reply: UnknownObject,
  relay: Relay | undefined,
  problems: QuestionPorts["problems"],
): Promise<UnknownObject> {
  const exact = withExactNumbers(reply);
  const schema = params.requestedSchema;
  const isForm = method === "elicitation/create" && params.mode !== "url" && isObject(schema);
  if (!isForm || reply.action !== "accept") return exact;
  // Who asks for a yes alone gets nothing else.
  if (isYesAlone(schema)) return { ...exact, content: {} };
  // A schema that cannot be checked is left to the server.
  const violations = await problems(schema as JsonObject, (reply.content ?? {}) as Json).catch(
    () => [],
  );
  if (violations.length === 0) return exact;
  const data = `The answer is not what the server asked for: ${violations.join("; ")}. The server got the answer that the question was cancelled.`;
  relay?.onLog?.({ level: "warning", logger: "toolplane", data });
  return { action: "cancel" };
}

function isYesAlone({
  properties,
  additionalProperties,
  patternProperties,
}: UnknownObject): boolean {
  const isOpen = [additionalProperties, patternProperties].some(
    (keyword) => keyword !== undefined && keyword !== false,
  );
  return (
    !isOpen &&
    (properties === undefined || (isObject(properties) && Object.keys(properties).length === 0))
  );
}

function causeOf({ id, tool, principal: { user }, options: { conversation } }: Routed) {
  return { callId: id, tool: tool.name, user, ...withoutUndefined({ conversation }) };
}

export type QuestionPorts = {
  emit(event: PlaneEvent): void;
  problems(schema: JsonObject, value: Json): Promise<string[]>;
};

type AskedQuestion = Pick<
  Question,
  "callId" | "server" | "tool" | "user" | "conversation" | "sampling"
> & {
  params: UnknownObject;
};

export function createQuestions({ emit, problems }: QuestionPorts) {
  const open = new Map<
    string,
    { question: Question; owner: Principal; settle(answer: QuestionAnswer): boolean }
  >();
  const listeners = new Map<string, { principal: Principal; heardAt: number }>();

  function noteListener(principal: Principal): void {
    const before = Date.now() - presenceMs;
    for (const [owner, { heardAt }] of listeners) if (heardAt < before) listeners.delete(owner);
    listeners.set(ownerOf(principal), { principal, heardAt: Date.now() });
  }

  function ask(
    request: AskedQuestion,
    signal: AbortSignal,
    owner: Principal,
  ): Promise<UnknownObject> {
    const question = toQuestion(request);
    const { id: questionId, callId, server, tool } = question;
    return new Promise((resolve) => {
      function settle({ action, content }: QuestionAnswer) {
        if (!open.delete(questionId)) return false;
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
        emit({ type: "question.answered", questionId, callId, action });
        resolve(action === "accept" && question.url === null ? { action, content } : { action });
        return true;
      }

      const giveUp = () => settle({ action: "cancel" });
      const timer = setTimeout(giveUp, answerTimeoutMs);
      signal.addEventListener("abort", giveUp, { once: true });
      open.set(questionId, { question, owner, settle });
      emit({ type: "question.asked", questionId, callId, server, tool });
      if (signal.aborted) giveUp();
    });
  }

  async function answer(id: string, reply: QuestionAnswer, principal: Principal): Promise<void> {
    const pending = open.get(id);
    if (!pending) throw notOpen(id);
    const { schema } = pending.question;
    if (!isOwner(principal, pending.owner))
      throw new PlaneError(
        "FORBIDDEN",
        "Only the user who made the call may answer this question.",
      );
    if (reply.action !== "accept" || schema === null) return void pending.settle(reply);
    const content = completed(schema, reply.content);
    const violations = await problems(schema, content as Json);
    const text = `The answer is invalid: ${violations.join("; ")}.`;
    if (violations.length > 0)
      throw new PlaneError("INVALID_ARGUMENTS", text, { data: { problems: violations } });
    // Another answer, or the timeout, may have been faster than the check.
    if (!pending.settle({ action: "accept", content })) throw notOpen(id);
  }

  return {
    ask,
    answer,
    noteListener,
    /** Would a listener be one who may answer? */
    isListening: (caller: Principal) =>
      [...listeners.values()].some(
        ({ principal, heardAt }) =>
          heardAt >= Date.now() - presenceMs && isOwner(principal, caller),
      ),
    waiting(principal: Principal): Question[] {
      noteListener(principal);
      return [...open.values()].flatMap(({ question, owner }) =>
        isOwner(principal, owner) ? question : [],
      );
    },
  };
}

function notOpen(id: string): PlaneError {
  const why = "It was answered already, has expired, or was never asked";
  return new PlaneError("NOT_FOUND", `No question '${id}' waits for an answer. ${why}.`);
}

function toQuestion({ params, ...request }: AskedQuestion): Question {
  const isUrl = params.mode === "url";
  const schema = isObject(params.requestedSchema) ? (params.requestedSchema as JsonObject) : {};
  const now = Date.now();
  return {
    ...request,
    id: uniqueId(),
    message: typeof params.message === "string" ? params.message : "",
    schema: isUrl ? null : schema,
    url: isUrl && typeof params.url === "string" ? params.url : null,
    askedAt: new Date(now).toISOString(),
    expiresAt: new Date(now + answerTimeoutMs).toISOString(),
  };
}

/** A lone value fills the only field there is; missing fields get their defaults. */
function completed(schema: JsonObject, content: unknown): unknown {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const [only, ...otherFields] = Object.keys(properties);
  if (only === undefined) return {};
  const answers = content ?? {};
  if (!isObject(answers))
    return otherFields.length === 0 ? completed(schema, { [only]: answers }) : answers;
  const defaults = Object.entries(properties).flatMap(([name, field]) =>
    isObject(field) && field.default !== undefined ? [[name, field.default]] : [],
  );
  return { ...Object.fromEntries(defaults), ...answers };
}
