import { uniqueId } from "../../lib/stamps.ts";
import type { Question, QuestionAnswer } from "../../model/calls/provider.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import { isObject, type Json, type JsonObject, type UnknownObject } from "../../model/json.ts";
import type { AbortSignal } from "../../model/platform.ts";

/** A person may take this long; then the server is told that nobody answered. */
const answerWithinMs = 300_000;
/** Whoever looked or listened within this time is taken to be there. */
const presentMs = 60_000;

export type QuestionsOptions = {
  emit(event: PlaneEvent): void;
  /** What is wrong with these values, each as one sentence. */
  problems(schema: JsonObject, value: Json): Promise<string[]>;
};

export type Asked = Pick<Question, "callId" | "server" | "tool" | "user" | "conversation"> & {
  params: UnknownObject;
};

export type Questions = {
  /** Resolves with what the server is told. */
  ask(asked: Asked, signal: AbortSignal): Promise<UnknownObject>;
  /** Those that wait for this user, who is there from now on. */
  waiting(user: string | null): Question[];
  /** This user hears of what is asked. */
  noteListener(user: string | null): void;
  /** Would anybody see a question to this user? */
  isListening(user: string | null): boolean;
  answer(id: string, answer: QuestionAnswer, user: string | null): Promise<void>;
};

/** Questions of servers to the person whose call they belong to. */
export function createQuestions({ emit, problems }: QuestionsOptions): Questions {
  const open = new Map<string, { question: Question; settle(answer: QuestionAnswer): boolean }>();
  const seenAt = new Map<string | null, number>();
  const noteListener = (user: string | null) => {
    const before = Date.now() - presentMs;
    for (const [other, at] of seenAt) if (at < before) seenAt.delete(other);
    seenAt.set(user, Date.now());
  };

  function ask(asked: Asked, signal: AbortSignal): Promise<UnknownObject> {
    const question = toQuestion(asked);
    return new Promise((resolve) => {
      const settle = ({ action, content }: QuestionAnswer) => {
        if (!open.delete(question.id)) return false;
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
        emit({ type: "question.answered", questionId: question.id, callId: question.callId, action });
        resolve(action === "accept" && question.url === null ? { action, content } : { action });
        return true;
      };
      const giveUp = () => settle({ action: "cancel" });
      const timer = setTimeout(giveUp, answerWithinMs);
      signal.addEventListener("abort", giveUp, { once: true });
      open.set(question.id, { question, settle });
      const { id: questionId, callId, server, tool } = question;
      emit({ type: "question.asked", questionId, callId, server, tool });
      if (signal.aborted) giveUp();
    });
  }

  async function answer(id: string, given: QuestionAnswer, user: string | null): Promise<void> {
    const found = open.get(id);
    if (!found) throw notWaiting(id);
    if (found.question.user !== user) {
      throw new PlaneError("FORBIDDEN", "This question was asked to the one who made the call.");
    }
    const { schema } = found.question;
    if (given.action !== "accept" || schema === null) return void found.settle(given);
    const content = completed(schema, given.content);
    const wrong = await problems(schema, content as Json);
    if (wrong.length > 0) {
      throw new PlaneError("INVALID_ARGUMENTS", `The answer does not fit: ${wrong.join("; ")}.`, {
        data: { problems: wrong },
      });
    }
    // Somebody else, or the time, may have been faster than the check.
    if (!found.settle({ action: "accept", content })) throw notWaiting(id);
  }

  return {
    ask,
    answer,
    noteListener,
    isListening: (user) => (seenAt.get(user) ?? 0) >= Date.now() - presentMs,
    waiting(user) {
      noteListener(user);
      return [...open.values()].map(({ question }) => question).filter((question) => question.user === user);
    },
  };
}

function notWaiting(id: string): PlaneError {
  const why = "It was answered already, has expired, or was never asked";
  return new PlaneError("NOT_FOUND", `No question '${id}' waits for an answer. ${why}.`);
}

function toQuestion({ params, ...asked }: Asked): Question {
  const isUrl = params.mode === "url";
  const schema = isObject(params.requestedSchema) ? (params.requestedSchema as JsonObject) : {};
  return {
    ...asked,
    id: uniqueId(),
    message: typeof params.message === "string" ? params.message : "",
    schema: isUrl ? null : schema,
    url: isUrl && typeof params.url === "string" ? params.url : null,
    askedAt: new Date().toISOString(),
    expiresAt: new Date(Date.now() + answerWithinMs).toISOString(),
  };
}

/** A lone value is taken for the only field there is, and what is left out gets its default. */
function completed(schema: JsonObject, content: unknown): unknown {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const names = Object.keys(properties);
  const [only] = names;
  if (only === undefined) return {};
  const given =
    content === undefined || content === null
      ? {}
      : !isObject(content) && names.length === 1
        ? { [only]: content }
        : content;
  if (!isObject(given)) return given;
  const defaults = Object.entries(properties).flatMap(([name, field]) =>
    isObject(field) && field.default !== undefined ? [[name, field.default]] : [],
  );
  return { ...Object.fromEntries(defaults), ...given };
}
