import { sizeOf, sourceTextOf } from "../lib/json/json-text.ts";
import { looksSecret, redact, redactFields } from "../lib/text/redact.ts";
import type { HiddenValues } from "../model/calls/provider.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { RecordedMessages, ServerMessage } from "../model/servers/server-schema.ts";
import { type OutgoingMessage, renderMessage } from "../protocol/message.ts";
import type { MessageTap, WaitingRequests } from "../protocol/peer.ts";

const maxMessages = 1_000;
const maxCharacters = 4 * 1024 * 1024;
/** Of one message. */
const maxText = 64 * 1024;
/** A secret at the cut is half a secret, which no pattern matches: so much is left out there. */
const margin = 4 * 1024;
/** The idle timeout: recording ends and the messages are dropped. */
const lookMs = 5 * 60_000;
/** Of the server that are not answered. */
const maxQuestions = 1_000;
/** Ended calls whose injected values a server may still repeat. */
const maxHidden = 20;

type Kept = Omit<ServerMessage, "message"> & { user: string | null; text: string };
type RecordedSession = { user: string | null };
type SessionState = { number: number; questions: Map<unknown, { method: string; at: number }> };
type Reading = { after?: number | undefined; limit?: number | undefined };

/** The JSON-RPC messages of a server's sessions, while a person wants them. */
export function createMessageRecorder(hide: (text: string) => string) {
  const recorder: MessageTap = { take: null };
  const ring = createRing();
  let sessions = new WeakMap<object, SessionState>();
  let opened = 0;
  let hidden = new Set<HiddenValues>();
  let since: string | null = null;
  let clock: NodeJS.Timeout | undefined;
  let until = 0;

  function take(
    session: object,
    isSent: boolean,
    message: UnknownObject,
    waiting: WaitingRequests,
  ): void {
    const state = sessions.get(session) ?? { number: ++opened, questions: new Map() };
    sessions.set(session, state);
    noteHidden(waiting);
    const { user } = session as RecordedSession;
    const described = describe(isSent, message, state, waiting);
    ring.add({ user, session: state.number, ...described, ...write(isSent, message, [...hidden]) });
  }

  function noteHidden(waiting: WaitingRequests): void {
    const now = [...waiting.values()].flatMap(({ options }) => options.hidden ?? []);
    for (const one of now) {
      hidden.delete(one);
      hidden.add(one);
    }
    for (const oldest of hidden)
      if (hidden.size > Math.max(maxHidden, now.length)) hidden.delete(oldest);
  }

  function forget(): void {
    recorder.take = null;
    ring.clear();
    hidden = new Set();
    since = null;
    clearTimeout(clock);
  }

  function looked(): void {
    if (since === null) return;
    until = Date.now() + lookMs;
    clearTimeout(clock);
    clock = setTimeout(forget, lookMs).unref();
  }

  const safe = (text: string) => redact(hide(text));
  const read = (
    user: string | null,
    { after, limit = maxMessages }: Reading = {},
  ): RecordedMessages => {
    looked();
    const mine = ring
      .kept()
      .filter((one) => (one.user === null || one.user === user) && one.number > (after ?? 0));
    const shown = after === undefined ? mine.slice(-limit) : mine.slice(0, limit);
    return {
      recording: recorder.take !== null,
      since,
      until: since === null ? null : new Date(until).toISOString(),
      dropped: ring.dropped(),
      messages: shown.map(({ user: _, text, ...one }) => ({
        ...one,
        message: show(text, one.cut, safe),
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
        opened = 0;
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
  let kept: Kept[] = [];
  let characters = 0;
  let dropped = 0;
  let last = 0;
  return {
    kept: () => kept,
    dropped: () => dropped,
    add(one: Omit<Kept, "number">): void {
      kept.push({ number: ++last, ...one });
      characters += one.text.length;
      while (kept.length > maxMessages || (characters > maxCharacters && kept.length > 1)) {
        characters -= kept.shift()?.text.length ?? 0;
        dropped += 1;
      }
    },
    clear(): void {
      kept = [];
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
  const facts = { at: new Date().toISOString(), direction, id, durationMs: null };
  if (typeof message.method === "string") {
    const { method } = message;
    if (id === null) return { ...facts, kind: "notification" as const, method };
    if (!isSent && questions.size < maxQuestions) questions.set(id, { method, at: now });
    return { ...facts, kind: "request" as const, method };
  }
  const kind = "error" in message ? ("error" as const) : ("result" as const);
  const ours = isSent || id === null ? undefined : waiting.get(id);
  const asked = isSent ? questions.get(id) : ours && { method: ours.method, at: ours.sentAt };
  if (isSent) questions.delete(id);
  return {
    ...facts,
    kind,
    method: asked?.method ?? null,
    durationMs: asked ? now - asked.at : null,
  };
}

/** Injected values are left out before anything is kept; secrets when it is read. */
function write(isSent: boolean, message: UnknownObject, hidden: readonly HiddenValues[]) {
  const { result } = message;
  const size = isObject(result) ? (sizeOf(result) ?? 0) : 0;
  if (isObject(result) && size > maxText) {
    const start = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":`;
    const begun = start + (sourceTextOf(result) ?? "").slice(0, maxText);
    const text = hidden.reduce((shown, { text: without }) => without(shown), begun);
    return { text: text.slice(0, maxText), bytes: start.length + size + 1, cut: true };
  }
  const shown = hidden.reduce((left, one) => withoutInjected(left, one, isSent), message);
  const text =
    shown === message ? renderMessage(message as OutgoingMessage) : JSON.stringify(shown);
  const cut = text.length > maxText;
  return { text: cut ? text.slice(0, maxText) : text, bytes: Buffer.byteLength(text), cut };
}

function withoutInjected(
  message: UnknownObject,
  { names, value }: HiddenValues,
  isSent: boolean,
): UnknownObject {
  const shown = value(message);
  const { params } = shown;
  if (!isSent || !isObject(params) || !isObject(params.arguments)) return shown;
  const given = Object.entries(params.arguments).map(([name, inner]) => [
    name,
    names.includes(name) ? "«injected»" : inner,
  ]);
  return { ...shown, params: { ...params, arguments: Object.fromEntries(given) } };
}

/** The progress token of the protocol is none of the secret ones. */
const isSecret = (key: string) => key !== "progressToken" && looksSecret(key);

function show(text: string, cut: boolean, safe: (text: string) => string): unknown {
  return cut ? safe(text).slice(0, -margin) : redactFields(JSON.parse(text), safe, isSecret);
}
