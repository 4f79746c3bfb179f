import type { ServerResponse } from "node:http";
import { createBriefMap } from "../../lib/brief-map.ts";
import { uniqueId } from "../../lib/stamps.ts";
import type { UnknownObject } from "../../model/json.ts";
import { type ClientSession, createClientSession, type GatewayContext, type SessionOptions } from "./client-session.ts";
import { type Id, isId } from "./request.ts";
import { type Wire, wireBytes, wireText } from "./wire.ts";

/** A client that leaves more than this unread is disconnected. */
const maxUnreadBytes = 16 * 1024 * 1024;
/** Keeps proxies from closing an idle stream. */
const keepAliveMs = 15_000;

const open = new Set<ServerResponse>();
let clock: NodeJS.Timeout | undefined;

/** Begins an event stream, and keeps it alive as long as it is open. */
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

/** Our texts are JSON, so there is no line break in them. */
export function writeEvent(response: ServerResponse, wire: Wire, id?: string): void {
  const text = wireText(wire);
  response.write(id === undefined ? `data: ${text}\n\n` : `id: ${id}\ndata: ${text}\n\n`);
  // A client that does not read is disconnected.
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
  // Held back until all parts are there, so that they leave together.
  response.cork();
  for (const part of wire) response.write(part);
  response.end();
}

/** How long a client may resume a broken stream. */
const resumeMs = 30_000;
export const maxKeptEvents = 256;
const maxKeptEventBytes = 1024 * 1024;

/** Said to a client that listens nowhere yet. */
const maxBacklog = 100;
/** What belongs to no request. */
const general = 0;

/** What goes out because of one POST: an answer, or a stream as soon as there is more to say. */
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
  /** Opens the stream for what belongs to no request, or goes on with one that broke off. False when it cannot. */
  listen(response: ServerResponse, lastEventId: string | undefined): boolean;
  isListening(): boolean;
  stopListening(): void;
  /** Do other planes know it? */
  isKept(): boolean;
};

/** A client's session over Streamable HTTP. */
export function createHttpSession(gateway: GatewayContext, options: Omit<SessionOptions, "announce">): HttpSession {
  const log = createEventLog(uniqueId().slice(0, 8));
  const posts = createBriefMap<Post>();
  const headers = { "mcp-session-id": options.id };
  const session = createClientSession(gateway, { ...options, announce });
  let listening: ServerResponse | null = null;
  let backlog: Event[] = [];
  let lastStream = general;

  function announce(text: string): void {
    const somewhere = listening ? undefined : posts.values().find(({ response, isOver }) => response && !isOver);
    if (somewhere) return say(somewhere, text);
    const event = log.add(general, text);
    if (listening) return writeEvent(listening, text, event.id);
    backlog.push(event);
    if (backlog.length > maxBacklog) backlog.shift();
  }

  /** Something beside the answer: from now on it is a stream. */
  function say(post: Post, text: string): void {
    if (post.isOver) return announce(text);
    if (!post.isStream) beginStream(post);
    const event = log.add(post.stream, text);
    if (post.response) writeEvent(post.response, text, event.id);
  }

  function beginStream(post: Post): void {
    post.isStream = true;
    if (!post.response) return;
    openEvents(post.response, headers);
    // So that a client knows from where to go on, whenever it breaks off; older ones take it for a broken message.
    if (session.version() === "2025-11-25") writeEvent(post.response, "", log.add(post.stream, "").id);
  }

  function answer(post: Post, wire: Wire): void {
    if (post.isStream) say(post, wireText(wire));
    else post.answers.push(wire);
  }

  function finish(post: Post, isBatch: boolean): void {
    post.isOver = true;
    clearTimeout(post.giveUp);
    const { response, answers, isStream } = post;
    if (isStream && answers.length > 0)
      for (const text of answers.map(wireText)) {
        const { id } = log.add(post.stream, text);
        if (response) writeEvent(response, text, id);
      }
    if (isStream) response?.end();
    else if (response && answers.length === 0) response.writeHead(202, headers).end();
    else if (response)
      sendJson(response, 200, isBatch ? `[${answers.map(wireText).join(",")}]` : (answers[0] ?? ""), headers);
    if (response || !isStream) posts.delete(post.stream);
    else setTimeout(() => posts.delete(post.stream), resumeMs).unref();
  }

  function watch(post: Post, response: ServerResponse): void {
    response.once("close", () => {
      if (post.isOver || post.response !== response) return;
      post.response = null;
      const cancel = () => {
        for (const id of post.ids) session.cancel(id);
      };
      // Without an event id it cannot be resumed.
      if (post.isStream) post.giveUp = setTimeout(cancel, resumeMs).unref();
      else cancel();
    });
  }

  function resume(stream: number, response: ServerResponse): boolean {
    if (stream === general) {
      listening?.end();
      listening = response;
      response.once("close", () => {
        if (listening === response) listening = null;
      });
      return true;
    }
    const post = posts.get(stream);
    if (!post || post.isOver) return false;
    clearTimeout(post.giveUp);
    post.response = response;
    watch(post, response);
    return true;
  }

  return {
    id: session.id,
    version: session.version,
    isIdle: session.isIdle,
    takeMail: session.takeMail,
    follow: session.follow,
    isKept: () => options.keeper !== undefined,
    isListening: () => listening !== null,
    stopListening: () => void listening?.end(),
    post(messages, isBatch, response) {
      const ids = messages.flatMap(({ id, method }) => (isId(id) && typeof method === "string" ? id : []));
      if (ids.length === 0) {
        for (const message of messages) void session.take(message, { answer: announce, say: announce });
        return void response.writeHead(202, headers).end();
      }
      lastStream += 1;
      const post: Post = {
        stream: lastStream,
        response,
        ids,
        isStream: false,
        isOver: false,
        answers: [],
        giveUp: undefined,
      };
      posts.set(post.stream, post);
      watch(post, response);
      const out = { answer: (wire: Wire) => answer(post, wire), say: (text: string) => say(post, text) };
      const all = messages.map((message) => session.take(message, out));
      const answered = () => finish(post, isBatch);
      void (all.length === 1 ? all[0] : Promise.allSettled(all))?.then(answered, answered);
    },
    listen(response, lastEventId) {
      const missed = lastEventId === undefined ? undefined : log.after(lastEventId);
      // What a plane that is gone had to say without being asked is found out anew by who lists again.
      const isNew = lastEventId === undefined || log.streamElsewhere(lastEventId) === general;
      if (!isNew && missed === undefined) return false;
      const stream = missed?.stream ?? general;
      openEvents(response, headers);
      const goesOn = resume(stream, response);
      const events = missed?.events ?? backlog;
      if (stream === general) backlog = [];
      for (const { text, id } of events) writeEvent(response, text, id);
      if (!goesOn) response.end();
      return true;
    },
    async close(goesOn) {
      listening?.end();
      await session.close(goesOn);
    },
  };
}

type Event = { id: string; stream: number; text: string };

type EventLog = {
  /** Keeps it, and gives it the id under which it can be asked for. */
  add(stream: number, text: string): Event;
  /** What came after this event on its stream; undefined when it is no longer kept. */
  after(id: string): { stream: number; events: Event[] } | undefined;
  /** The stream of an event that another plane has told; undefined for our own, and for what is no event. */
  streamElsewhere(id: string): number | undefined;
};

/** The last events of one session, so that a stream that broke off can go on. `mark` tells those of other planes apart. */
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
