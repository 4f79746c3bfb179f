import type { ServerResponse } from "node:http";
import { uniqueId } from "../../lib/ids-and-time.ts";
import { createShortLivedMap } from "../../lib/short-lived-map.ts";
import type { UnknownObject } from "../../model/json.ts";
import { ClientSession, type GatewayContext, type SessionOptions } from "./client-session.ts";
import type { Out } from "./exchange.ts";
import { type Id, isId, type Receipt } from "./request.ts";
import { type Wire, wireBytes, wireText } from "./wire.ts";

/** A client that leaves more unread is disconnected. */
const maxUnreadBytes = 16 * 1024 * 1024;
/** Keeps proxies from closing an idle stream. */
const keepAliveMs = 15_000;

type Headers = Readonly<Record<string, string>>;

const openStreams = new Set<ServerResponse>();
let keepAlive: NodeJS.Timeout | undefined;

export function openEvents(response: ServerResponse, headers?: Headers): void {
  response.writeHead(200, {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    ...headers,
  });
  response.flushHeaders();
  openStreams.add(response);
  keepAlive ??= setInterval(() => {
    for (const stream of openStreams) stream.write(": still here\n\n");
  }, keepAliveMs).unref();
  response.once("close", () => {
    openStreams.delete(response);
    if (openStreams.size > 0) return;
    clearInterval(keepAlive);
    keepAlive = undefined;
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
  headers?: Headers,
): void {
  // As a list: an object would be looked through name by name.
  const headerList = [
    "content-type",
    "application/json",
    "content-length",
    String(wireBytes(wire)),
  ];
  if (headers) for (const name in headers) headerList.push(name, headers[name] as string);
  response.writeHead(status, headerList);
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
  receipts: Receipt[];
  /** Of answers that were written while no connection was open. */
  unwritten: ReturnType<Receipt>[];
  giveUp?: NodeJS.Timeout;
};

/** A client's session over Streamable HTTP. */
export class HttpSession {
  readonly client: ClientSession;
  /** Do other planes know it? */
  readonly isKept: boolean;
  readonly #headers: Headers;
  readonly #log = createEventLog(uniqueId().slice(0, 8));
  readonly #posts = createShortLivedMap<Post>();
  #listening: ServerResponse | null = null;
  #backlog: Event[] = [];
  #lastStream = general;

  constructor(gateway: GatewayContext, options: Omit<SessionOptions, "announce">) {
    this.isKept = options.keeper !== undefined;
    this.#headers = { "mcp-session-id": options.id };
    this.client = new ClientSession(gateway, {
      ...options,
      announce: (text) => this.#announce(text),
    });
  }

  post(messages: readonly UnknownObject[], isBatch: boolean, response: ServerResponse): void {
    const ids: Id[] = [];
    for (const { id, method } of messages) if (isId(id) && typeof method === "string") ids.push(id);
    if (ids.length === 0) {
      const announce = (wire: Wire) => this.#announce(wireText(wire));
      for (const message of messages)
        void this.client.take(message, { answer: announce, say: announce });
      return void response.writeHead(202, this.#headers).end();
    }
    const stream = ++this.#lastStream;
    const post: Post = {
      stream,
      response,
      ids,
      isStream: false,
      isOver: false,
      answers: [],
      receipts: [],
      unwritten: [],
    };
    this.#posts.set(stream, post);
    this.#watch(post, response);
    const out = new PostOut(this, post);
    const answered = () => this.#finish(post, isBatch);
    const [only] = messages;
    if (only && !isBatch) return void this.client.take(only, out).then(answered, answered);
    const takings = messages.map((message) => this.client.take(message, out));
    void Promise.allSettled(takings).then(answered, answered);
  }

  /** The general stream, or a broken one. False when it cannot be resumed. */
  listen(response: ServerResponse, lastEventId: string | undefined): boolean {
    const missed = lastEventId === undefined ? undefined : this.#log.after(lastEventId);
    // A listener that lists again learns what a lost plane had to announce.
    const isNew = lastEventId === undefined || this.#log.streamElsewhere(lastEventId) === general;
    if (!isNew && missed === undefined) return false;
    const stream = missed?.stream ?? general;
    openEvents(response, this.#headers);
    const goesOn = this.#resume(stream, response);
    const events = missed?.events ?? this.#backlog;
    if (stream === general) this.#backlog = [];
    const unwritten = this.#posts.get(stream)?.unwritten ?? [];
    const writeEvents = () => {
      for (const { text, id } of events) writeEvent(response, text, id);
      if (!goesOn) response.end();
    };
    if (unwritten.length === 0) writeEvents();
    else void takeBack(unwritten).then((isTheirs) => (isTheirs ? writeEvents() : response.end()));
    return true;
  }

  isListening(): boolean {
    return this.#listening !== null;
  }

  stopListening(): void {
    this.#listening?.end();
  }

  close(goesOn: boolean): Promise<void> {
    this.stopListening();
    return this.client.close(goesOn);
  }

  #announce(text: string): void {
    const isOpen = ({ response, isOver }: Post) => response !== null && !isOver;
    const somewhere = this.#listening ? undefined : this.#posts.values().find(isOpen);
    if (somewhere) return this.say(somewhere, text);
    const event = this.#log.add(general, text);
    if (this.#listening) return writeEvent(this.#listening, text, event.id);
    this.#backlog.push(event);
    if (this.#backlog.length > maxBacklog) this.#backlog.shift();
  }

  /** Makes the answer a stream. */
  say(post: Post, text: string): void {
    if (post.isOver) return this.#announce(text);
    if (!post.isStream) {
      post.isStream = true;
      if (post.response) openEvents(post.response, this.#headers);
      // An id to resume from; older clients take it for a broken message.
      if (post.response && this.client.version() === "2025-11-25") this.#write(post, "");
    }
    this.#write(post, text);
  }

  #write(post: Post, text: string): void {
    const { id } = this.#log.add(post.stream, text);
    if (post.response) writeEvent(post.response, text, id);
  }

  #finish(post: Post, isBatch: boolean): void {
    post.isOver = true;
    clearTimeout(post.giveUp);
    const { stream, response, answers, isStream } = post;
    if (response === null) post.unwritten = post.receipts.map((receipt) => receipt());
    if (isStream) {
      for (const wire of answers) this.#write(post, wireText(wire));
      response?.end();
    } else if (response && answers.length === 0) response.writeHead(202, this.#headers).end();
    else if (response) {
      const wire = isBatch ? `[${answers.map(wireText).join(",")}]` : (answers[0] ?? "");
      sendJson(response, 200, wire, this.#headers);
    }
    if (response || !isStream) this.#posts.delete(stream);
    else setTimeout(() => this.#posts.delete(stream), resumeMs).unref();
  }

  #watch(post: Post, response: ServerResponse): void {
    response.once("close", () => {
      if (post.isOver || post.response !== response) return;
      post.response = null;
      const cancel = () => {
        for (const id of post.ids) this.client.cancel(id);
      };
      // Without an event id it cannot be resumed.
      if (post.isStream) post.giveUp = setTimeout(cancel, resumeMs).unref();
      else cancel();
    });
  }

  #resume(stream: number, response: ServerResponse): boolean {
    if (stream === general) {
      this.stopListening();
      this.#listening = response;
      response.once("close", () => {
        if (this.#listening === response) this.#listening = null;
      });
      return true;
    }
    const post = this.#posts.get(stream);
    if (!post || post.isOver) return false;
    clearTimeout(post.giveUp);
    post.response = response;
    this.#watch(post, response);
    return true;
  }
}

/** False where an equal call has collected what was answered on a broken stream. */
async function takeBack(unwritten: readonly ReturnType<Receipt>[]): Promise<boolean> {
  try {
    const accepted = unwritten.map(async (takingBack) => (await takingBack)());
    return (await Promise.all(accepted)).every(Boolean);
  } catch {
    return false;
  }
}

class PostOut implements Out {
  readonly #session: HttpSession;
  readonly #post: Post;

  constructor(session: HttpSession, post: Post) {
    this.#session = session;
    this.#post = post;
  }

  answer(wire: Wire, receipt: Receipt | null = null): void {
    if (receipt) this.#post.receipts.push(receipt);
    if (this.#post.isStream) this.say(wireText(wire));
    else this.#post.answers.push(wire);
  }

  say(text: string): void {
    this.#session.say(this.#post, text);
  }
}

type Event = { id: string; sequence: number; stream: number; text: string };

/** For resuming streams. `mark` distinguishes planes. */
export function createEventLog(mark = "0") {
  const keptEvents: Event[] = [];
  let bytes = 0;
  let lastSequence = 0;
  const parseEventId = (id: string) => {
    const [, stream, sequence, logMark] = /^(\d{1,9})-(\d{1,15})-([\w-]{1,36})$/.exec(id) ?? [];
    if (stream === undefined) return undefined;
    return { stream: Number(stream), sequence: Number(sequence), isOwn: logMark === mark };
  };
  return {
    /** Under an id that a client can resume from. */
    add(stream: number, text: string): Event {
      lastSequence += 1;
      const id = `${stream}-${lastSequence}-${mark}`;
      const event = { id, sequence: lastSequence, stream, text };
      keptEvents.push(event);
      bytes += text.length;
      while (
        keptEvents.length > maxKeptEvents ||
        (bytes > maxKeptEventBytes && keptEvents.length > 1)
      )
        bytes -= keptEvents.shift()?.text.length ?? 0;
      return event;
    },
    /** Undefined when it is no longer kept. */
    after(id: string) {
      const position = parseEventId(id);
      if (
        !position?.isOwn ||
        position.sequence > lastSequence ||
        position.sequence + 1 < (keptEvents[0]?.sequence ?? lastSequence + 1)
      )
        return undefined;
      const events = keptEvents.filter(
        ({ stream, sequence }) => stream === position.stream && sequence > position.sequence,
      );
      return { stream: position.stream, events };
    },
    /** Undefined for our own events, and for what is no event. */
    streamElsewhere(id: string): number | undefined {
      const position = parseEventId(id);
      return position?.isOwn ? undefined : position?.stream;
    },
  };
}
