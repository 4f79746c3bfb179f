import type { ServerResponse } from "node:http";
import { createBriefMap } from "../../lib/brief-map.ts";
import { uniqueId } from "../../lib/stamps.ts";
import type { UnknownObject } from "../../model/json.ts";
import { type ClientSession, createClientSession, type GatewayContext, type SessionOptions } from "./client-session.ts";
import { type Id, isId } from "./request.ts";
import { type Wire, wireBytes, wireText } from "./wire.ts";

/** A client that leaves more unread is disconnected. */
const maxUnreadBytes = 16 * 1024 * 1024;
/** Keeps proxies from closing an idle stream. */
const keepAliveMs = 15_000;

const open = new Set<ServerResponse>();
let clock: NodeJS.Timeout | undefined;

/** Keeps the stream alive while it is open. */
export function openEvents(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    ...headers,
  });
  response.flushHeaders();
  open.add(response);
  clock ??= setInterval(() => {
    for (const one of open) one.write(": still here\n\n");
  }, keepAliveMs).unref();
  response.once("close", () => {
    open.delete(response);
    if (open.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  });
}

/** JSON has no line breaks. */
export function writeEvent(response: ServerResponse, wire: Wire, id?: string): void {
  const text = wireText(wire);
  response.write(id === undefined ? `data: ${text}\n\n` : `id: ${id}\ndata: ${text}\n\n`);
  if (response.writableLength > maxUnreadBytes) response.destroy();
}

export function sendJson(
  response: ServerResponse,
  status: number,
  wire: Wire,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": wireBytes(wire),
    ...headers,
  });
  if (typeof wire === "string") return void response.end(wire);
  // All parts leave together.
  response.cork();
  for (const part of wire) response.write(part);
  response.end();
}

/** How long a client may resume a broken stream. */
const resumeMs = 30_000;
export const maxKeptEvents = 256;
const maxKeptEventBytes = 1024 * 1024;

/** Messages for a client that does not listen yet. */
const maxBacklog = 100;
/** The stream for messages that belong to no request. */
const general = 0;

/** Becomes a stream once there is more than an answer. */
type Post = {
  stream: number;
  response: ServerResponse | null;
  ids: Id[];
  isStream: boolean;
  isOver: boolean;
  answers: Wire[];
  giveUp: NodeJS.Timeout | undefined;
};

export type HttpSession = Pick<ClientSession, "id" | "version" | "isIdle" | "takeMail" | "follow" | "close"> & {
  post(messages: readonly UnknownObject[], isBatch: boolean, response: ServerResponse): void;
  /** The general stream, or a broken one. False when it cannot be resumed. */
  listen(response: ServerResponse, lastEventId: string | undefined): boolean;
  isListening(): boolean;
  stopListening(): void;
  /** Do other planes know it? */
  isKept(): boolean;
};

type State = {
  readonly log: EventLog;
  readonly posts: ReturnType<typeof createBriefMap<Post>>;
  readonly headers: Record<string, string>;
  readonly session: ClientSession;
  listening: ServerResponse | null;
  backlog: Event[];
  lastStream: number;
};

/** A client's session over Streamable HTTP. */
export function createHttpSession(gateway: GatewayContext, options: Omit<SessionOptions, "announce">): HttpSession {
  const session = createClientSession(gateway, { ...options, announce: (text) => announce(state, text) });
  const state: State = {
    log: createEventLog(uniqueId().slice(0, 8)),
    posts: createBriefMap<Post>(),
    headers: { "mcp-session-id": options.id },
    session,
    listening: null,
    backlog: [],
    lastStream: general,
  };
  return {
    id: session.id,
    version: session.version,
    isIdle: session.isIdle,
    takeMail: session.takeMail,
    follow: session.follow,
    isKept: () => options.keeper !== undefined,
    isListening: () => state.listening !== null,
    stopListening: () => void state.listening?.end(),
    post: (messages, isBatch, response) => takePost(state, messages, isBatch, response),
    listen: (response, lastEventId) => listen(state, response, lastEventId),
    async close(goesOn) {
      state.listening?.end();
      await session.close(goesOn);
    },
  };
}

function takePost(state: State, messages: readonly UnknownObject[], isBatch: boolean, response: ServerResponse): void {
  const { session, headers } = state;
  const ids = messages.flatMap(({ id, method }) => (isId(id) && typeof method === "string" ? id : []));
  if (ids.length === 0) {
    const tell = (wire: Wire) => announce(state, wireText(wire));
    for (const message of messages) void session.take(message, { answer: tell, say: tell });
    return void response.writeHead(202, headers).end();
  }
  state.lastStream += 1;
  const post: Post = {
    stream: state.lastStream,
    response,
    ids,
    isStream: false,
    isOver: false,
    answers: [],
    giveUp: undefined,
  };
  state.posts.set(post.stream, post);
  watch(state, post, response);
  const out = { answer: (wire: Wire) => answer(state, post, wire), say: (text: string) => say(state, post, text) };
  const all = messages.map((message) => session.take(message, out));
  const answered = () => finish(state, post, isBatch);
  void (all.length === 1 ? all[0] : Promise.allSettled(all))?.then(answered, answered);
}

function listen(state: State, response: ServerResponse, lastEventId: string | undefined): boolean {
  const { log } = state;
  const missed = lastEventId === undefined ? undefined : log.after(lastEventId);
  // A listener that lists again learns what a lost plane had to announce.
  const isNew = lastEventId === undefined || log.streamElsewhere(lastEventId) === general;
  if (!isNew && missed === undefined) return false;
  const stream = missed?.stream ?? general;
  openEvents(response, state.headers);
  const goesOn = resume(state, stream, response);
  const events = missed?.events ?? state.backlog;
  if (stream === general) state.backlog = [];
  for (const { text, id } of events) writeEvent(response, text, id);
  if (!goesOn) response.end();
  return true;
}

function announce(state: State, text: string): void {
  const somewhere = state.listening
    ? undefined
    : state.posts.values().find(({ response, isOver }) => response && !isOver);
  if (somewhere) return say(state, somewhere, text);
  const event = state.log.add(general, text);
  if (state.listening) return writeEvent(state.listening, text, event.id);
  state.backlog.push(event);
  if (state.backlog.length > maxBacklog) state.backlog.shift();
}

/** Makes the answer a stream. */
function say(state: State, post: Post, text: string): void {
  if (post.isOver) return announce(state, text);
  if (!post.isStream) beginStream(state, post);
  const event = state.log.add(post.stream, text);
  if (post.response) writeEvent(post.response, text, event.id);
}

function beginStream(state: State, post: Post): void {
  post.isStream = true;
  if (!post.response) return;
  openEvents(post.response, state.headers);
  // An id to resume from; older clients take it for a broken message.
  if (state.session.version() === "2025-11-25") writeEvent(post.response, "", state.log.add(post.stream, "").id);
}

function answer(state: State, post: Post, wire: Wire): void {
  if (post.isStream) say(state, post, wireText(wire));
  else post.answers.push(wire);
}

function finish(state: State, post: Post, isBatch: boolean): void {
  post.isOver = true;
  clearTimeout(post.giveUp);
  const { response, answers, isStream } = post;
  if (isStream && answers.length > 0)
    for (const text of answers.map(wireText)) {
      const { id } = state.log.add(post.stream, text);
      if (response) writeEvent(response, text, id);
    }
  if (isStream) response?.end();
  else if (response && answers.length === 0) response.writeHead(202, state.headers).end();
  else if (response)
    sendJson(response, 200, isBatch ? `[${answers.map(wireText).join(",")}]` : (answers[0] ?? ""), state.headers);
  if (response || !isStream) state.posts.delete(post.stream);
  else setTimeout(() => state.posts.delete(post.stream), resumeMs).unref();
}

function watch(state: State, post: Post, response: ServerResponse): void {
  response.once("close", () => {
    if (post.isOver || post.response !== response) return;
    post.response = null;
    const cancel = () => {
      for (const id of post.ids) state.session.cancel(id);
    };
    // Without an event id it cannot be resumed.
    if (post.isStream) post.giveUp = setTimeout(cancel, resumeMs).unref();
    else cancel();
  });
}

function resume(state: State, stream: number, response: ServerResponse): boolean {
  if (stream === general) {
    state.listening?.end();
    state.listening = response;
    response.once("close", () => {
      if (state.listening === response) state.listening = null;
    });
    return true;
  }
  const post = state.posts.get(stream);
  if (!post || post.isOver) return false;
  clearTimeout(post.giveUp);
  post.response = response;
  watch(state, post, response);
  return true;
}

type Event = { id: string; stream: number; text: string };

type EventLog = {
  /** Under an id that a client can resume from. */
  add(stream: number, text: string): Event;
  /** Undefined when it is no longer kept. */
  after(id: string): { stream: number; events: Event[] } | undefined;
  /** Undefined for our own events, and for what is no event. */
  streamElsewhere(id: string): number | undefined;
};

/** For resuming streams. `mark` distinguishes planes. */
export function createEventLog(mark = "0"): EventLog {
  const kept: Event[] = [];
  let bytes = 0;
  let last = 0;
  return {
    add(stream, text) {
      last += 1;
      const event = { id: `${stream}-${last}-${mark}`, stream, text };
      kept.push(event);
      bytes += text.length;
      while (kept.length > maxKeptEvents || (bytes > maxKeptEventBytes && kept.length > 1))
        bytes -= kept.shift()?.text.length ?? 0;
      return event;
    },
    after(id) {
      const { stream, from, isOwn } = readId(id, mark);
      if (stream === undefined || from > last || !isOwn) return undefined;
      const oldest = Number(kept[0]?.id.split("-")[1] ?? last + 1);
      if (from + 1 < oldest) return undefined;
      const events = kept.filter((event) => event.stream === stream && Number(event.id.split("-")[1]) > from);
      return { stream, events };
    },
    streamElsewhere(id) {
      const { stream, isOwn } = readId(id, mark);
      return isOwn ? undefined : stream;
    },
  };
}

function readId(id: string, mark: string): { stream?: number; from: number; isOwn: boolean } {
  const [, stream, from, whose] = /^(\d{1,9})-(\d{1,15})-([\w-]{1,36})$/.exec(id) ?? [];
  return {
    ...(stream === undefined ? {} : { stream: Number(stream) }),
    from: Number(from),
    isOwn: whose === mark,
  };
}
