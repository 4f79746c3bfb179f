import { sizeOf, sourceTextOf } from "../lib/json/json-text.ts";
import { looksSecret, redact, redactFields } from "../lib/text/redact.ts";
import type { HiddenValues } from "../model/calls/provider.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { RecordedMessages, ServerMessage } from "../model/servers/server-schema.ts";
import { type OutgoingMessage, type RequestId, renderMessage } from "../protocol/message.ts";
import type { MessageTap, WaitingRequests } from "../protocol/peer.ts";

const maxMessages = 1_000;
const maxCharacters = 4 * 1024 * 1024;
/** Of one message. */
const maxTextLength = 64 * 1024;
/** A secret at the cut is half a secret, which no pattern matches: so much is left out there. */
const cutMargin = 4 * 1024;
/** The idle timeout: recording ends and the messages are dropped. */
const idleTimeoutMs = 5 * 60_000;
/** Of the server that are not answered. */
const maxQuestions = 1_000;
/** Ended calls whose injected values a server may still repeat. */
const maxHidden = 20;

type StoredMessage = Omit<ServerMessage, "message"> & { user: string | null; text: string };
type RecordedSession = { user: string | null };
type SessionState = { number: number; questions: Map<unknown, Question> };
type ReadOptions = { after?: number | undefined; limit?: number | undefined };

/** The JSON-RPC messages of a server's sessions, while a person wants them. */
export function createMessageRecorder(hide: (text: string) => string) {
  const recorder: MessageTap = { take: null };
  const ring = createRing();
  let sessions = new WeakMap<object, SessionState>();
  let sessionCount = 0;
  let hidden = new Set<HiddenValues>();
  let since: string | null = null;
  let idleTimer: NodeJS.Timeout | undefined;
  let recordsUntil = 0;

  function take(
    session: object,
    isSent: boolean,
    message: UnknownObject,
    waiting: WaitingRequests,
  ): void {
    const state = sessions.get(session) ?? { number: ++sessionCount, questions: new Map() };
    sessions.set(session, state);
    noteHidden(waiting);
    const { user } = session as RecordedSession;
    const described = describe(isSent, message, state, waiting);
    ring.add({
      user,
      session: state.number,
      ...described,
      ...renderForStorage(isSent, message, [...hidden]),
    });
  }

  function noteHidden(waiting: WaitingRequests): void {
    const currentValues = [...waiting.values()].flatMap(({ options }) => options.hidden ?? []);
    for (const values of currentValues) {
      hidden.delete(values);
      hidden.add(values);
    }
    for (const oldest of hidden)
      if (hidden.size > Math.max(maxHidden, currentValues.length)) hidden.delete(oldest);
  }

  function forget(): void {
    recorder.take = null;
    ring.clear();
    hidden = new Set();
    since = null;
    clearTimeout(idleTimer);
  }

  function restartIdleTimer(): void {
    if (since === null) return;
    recordsUntil = Date.now() + idleTimeoutMs;
    clearTimeout(idleTimer);
    idleTimer = setTimeout(forget, idleTimeoutMs).unref();
  }

  const safe = (text: string) => redact(hide(text));
  const read = (
    user: string | null,
    { after, limit = maxMessages }: ReadOptions = {},
  ): RecordedMessages => {
    restartIdleTimer();
    const readable = ring
      .messages()
      .filter(
        (message) =>
          (message.user === null || message.user === user) && message.number > (after ?? 0),
      );
    const page = after === undefined ? readable.slice(-limit) : readable.slice(0, limit);
    return {
      recording: recorder.take !== null,
      since,
      until: since === null ? null : new Date(recordsUntil).toISOString(),
      dropped: ring.dropped(),
      messages: page.map(({ user: _, text, ...message }) => ({
        ...message,
        message: show(text, message.cut, safe),
      })),
    };
  };

  return {
    recorder,
    read,
    /** What was recorded before is dropped at the start, and stays after the end until it is no longer looked at. */
    record(on: boolean, user: string | null): RecordedMessages {
      if (on && recorder.take === null) {
        forget();
        sessions = new WeakMap();
        sessionCount = 0;
        since = new Date().toISOString();
        recorder.take = take;
      }
      if (!on) recorder.take = null;
      return read(user, { limit: 0 });
    },
    stop: forget,
  };
}

function createRing() {
  let messages: StoredMessage[] = [];
  let characters = 0;
  let dropped = 0;
  let lastNumber = 0;
  return {
    messages: () => messages,
    dropped: () => dropped,
    add(message: Omit<StoredMessage, "number">): void {
      messages.push({ number: ++lastNumber, ...message });
      characters += message.text.length;
      while (messages.length > maxMessages || (characters > maxCharacters && messages.length > 1)) {
        characters -= messages.shift()?.text.length ?? 0;
        dropped += 1;
      }
    },
    clear(): void {
      messages = [];
      characters = 0;
      dropped = 0;
    },
  };
}

/** An answer has the method of its request, and the time since. */
function describe(
  isSent: boolean,
  message: UnknownObject,
  { questions }: SessionState,
  waiting: WaitingRequests,
) {
  const now = performance.now();
  const id = typeof message.id === "string" || typeof message.id === "number" ? message.id : null;
  const direction = isSent ? ("sent" as const) : ("received" as const);
  const common = { at: new Date().toISOString(), direction, id, durationMs: null };
  if (typeof message.method === "string") {
    const { method } = message;
    if (id === null) return { ...common, kind: "notification" as const, method };
    if (!isSent && questions.size < maxQuestions) questions.set(id, { method, at: now });
    return { ...common, kind: "request" as const, method };
  }
  const kind = "error" in message ? ("error" as const) : ("result" as const);
  const request = isSent ? takeQuestion(questions, id) : sentRequest(waiting, id);
  return {
    ...common,
    kind,
    method: request?.method ?? null,
    durationMs: request ? now - request.at : null,
  };
}

type Question = { method: string; at: number };

function takeQuestion(questions: SessionState["questions"], id: RequestId | null) {
  const question = questions.get(id);
  questions.delete(id);
  return question;
}

function sentRequest(waiting: WaitingRequests, id: RequestId | null): Question | undefined {
  const request = id === null ? undefined : waiting.get(id);
  return request && { method: request.method, at: request.sentAt };
}

/** Injected values are left out before anything is kept; secrets when it is read. */
function renderForStorage(
  isSent: boolean,
  message: UnknownObject,
  hidden: readonly HiddenValues[],
) {
  const { result } = message;
  const size = isObject(result) ? (sizeOf(result) ?? 0) : 0;
  if (isObject(result) && size > maxTextLength) {
    const prefix = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`;
    const beginning = prefix + (sourceTextOf(result) ?? "").slice(0, maxTextLength);
    const text = hidden.reduce((remaining, { text: hideIn }) => hideIn(remaining), beginning);
    return { text: text.slice(0, maxTextLength), bytes: prefix.length + size + 1, cut: true };
  }
  const shown = hidden.reduce(
    (remaining, values) => withoutInjected(remaining, values, isSent),
    message,
  );
  const text =
    shown === message ? renderMessage(message as OutgoingMessage) : JSON.stringify(shown);
  const cut = text.length > maxTextLength;
  return { text: cut ? text.slice(0, maxTextLength) : text, bytes: Buffer.byteLength(text), cut };
}

function withoutInjected(
  message: UnknownObject,
  { names, value }: HiddenValues,
  isSent: boolean,
): UnknownObject {
  const shown = value(message);
  const { params } = shown;
  if (!isSent || !isObject(params) || !isObject(params.arguments)) return shown;
  const shownArguments = Object.entries(params.arguments).map(([name, inner]) => [
    name,
    names.includes(name) ? "«injected»" : inner,
  ]);
  return { ...shown, params: { ...params, arguments: Object.fromEntries(shownArguments) } };
}

/** The progress token of the protocol is none of the secret ones. */
const isSecret = (key: string) => key !== "progressToken" && looksSecret(key);

function show(text: string, cut: boolean, safe: (text: string) => string): unknown {
  return cut ? safe(text).slice(0, -cutMargin) : redactFields(JSON.parse(text), safe, isSecret);
}
