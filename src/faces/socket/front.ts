import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { createLineSplitter } from "../../protocol/line-splitter.ts";
import {
  type Aside,
  type Attached,
  type AttachedSession,
  asideMark,
  type Farewell,
} from "./attachment.ts";
import type { Reached } from "./reach-plane.ts";

const maxMessageBytes = 64 * 1024 * 1024;
/** The plane closes the session of a client that leaves; a plane that hangs does not keep the client. */
const leaveMs = 5_000;
/** A plane that hands over says so before the other is there. */
const handoverGraceMs = 5_000;

/** Requests that only ask. They are made again where a plane ended before it answered. */
const repeatable: ReadonlySet<string> = new Set([
  "initialize",
  "ping",
  "server/discover",
  "tools/list",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "subscriptions/listen",
  "completion/complete",
  "logging/setLevel",
]);

const listChanges = ["tools", "prompts", "resources"].map(
  (kind) => `{"jsonrpc":"2.0","method":"notifications/${kind}/list_changed"}`,
);

/** How the plane writes the beginning of what has an id, and what it no longer asks. */
const withId = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|[^",]+),"(result|error|method)"/;
const withdrawn =
  /^\{"jsonrpc":"2\.0","method":"notifications\/cancelled","params":\{"requestId":("(?:[^"\\]|\\.)*")/;

type Message = { id?: unknown; method?: string; params?: { requestId?: unknown } };
type Request = { id: string; method: string; text: string };
/** A line of the client: what it says, and the requests in it whose answers can be distinguished from others. */
type Line = { text: string; message: Message; requests: Request[] };
type Connection = {
  socket: Socket;
  /** Requests of the client that wait for an answer, by id. */
  sent: Map<string, Request>;
  /** Requests of the plane that the client has not answered. */
  openQuestions: Set<string>;
  bye: Farewell | null;
};

export type FrontOptions = {
  input: Readable;
  output: Writable;
  /** The plane that the client was attached to before it said anything. */
  first: Attached;
  /** Finds a plane again; `graceMs` as in `reachPlane`. */
  reach(session: AttachedSession | null, graceMs: number): Promise<Reached>;
  /** For the person who looks why something does not work. */
  say(text: string): void;
  signal: AbortSignal;
};

/** Passes messages between one MCP client and the plane that serves it, and finds another plane when that one is gone. */
export function runFront(options: FrontOptions): Promise<void> {
  return new Front(options).run();
}

class Front {
  readonly #options: FrontOptions;
  readonly #connections = new Set<Connection>();
  readonly #over = Promise.withResolvers<void>();
  #current: Connection | null = null;
  #session: AttachedSession | null = null;
  #attaching: Promise<void> | null = null;
  /** Lines that wait for a plane. */
  #queue: Line[] = [];
  #isLeaving = false;

  constructor(options: FrontOptions) {
    this.#options = options;
  }

  run(): Promise<void> {
    const { input, output, first, signal } = this.#options;
    this.#current = this.#use(first);
    const leave = () => this.#leave();
    const tooLong = () =>
      this.#tell('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}');
    const split = createLineSplitter(
      maxMessageBytes,
      (text) => this.#takeFromClient(text),
      tooLong,
    );
    input.on("data", (chunk: Buffer) => {
      const planeSocket = this.#current?.socket;
      // The lines that came together go on together.
      planeSocket?.cork();
      split(chunk);
      planeSocket?.uncork();
    });
    input.once("end", leave).once("error", leave);
    output.once("error", leave);
    signal.addEventListener("abort", () => this.#over.resolve(), { once: true });
    if (signal.aborted) this.#over.resolve();
    return this.#over.promise.finally(() => {
      this.#isLeaving = true;
      // A process ends once nothing is read any more, even if the other end stays open.
      input.pause();
      for (const { socket } of this.#connections) socket.destroy();
    });
  }

  #tell(text: string | Buffer, sender?: Socket): void {
    const { output } = this.#options;
    if (typeof text !== "string") output.write(text);
    if (output.write(typeof text === "string" ? `${text}\n` : "\n") || sender === undefined) return;
    sender.pause();
    output.once("drain", () => sender.resume());
  }

  #use({ socket, notices }: Attached): Connection {
    const connection: Connection = { socket, sent: new Map(), openQuestions: new Set(), bye: null };
    this.#connections.add(connection);
    for (const notice of notices) this.#options.say(notice);
    const onLine = (line: string, bytes?: Buffer) => this.#takeFromPlane(connection, line, bytes);
    const split = createLineSplitter(Number.POSITIVE_INFINITY, onLine, () => undefined);
    const { output } = this.#options;
    socket.on("data", (chunk: Buffer) => {
      output.cork();
      split(chunk);
      output.uncork();
    });
    socket.once("close", () => this.#lose(connection));
    socket.resume();
    return connection;
  }

  #takeFromPlane(connection: Connection, line: string, bytes?: Buffer): void {
    if (line.startsWith(asideMark)) return this.#takeAside(connection, line);
    const [, id, what] = withId.exec(line) ?? [];
    if (id !== undefined && what === "method") connection.openQuestions.add(id);
    else if (id !== undefined) connection.sent.delete(id);
    else connection.openQuestions.delete(withdrawn.exec(line)?.[1] ?? "");
    this.#tell(bytes ?? line, connection.socket);
    this.#letGo(connection);
  }

  #takeAside(connection: Connection, line: string): void {
    const aside = readAside(line);
    if (aside === null) return;
    if ("session" in aside) {
      this.#session = aside.session;
      return;
    }
    connection.bye = aside.bye;
    if (connection === this.#current) this.#current = null;
    this.#letGo(connection);
    if (aside.bye === "handover") void this.#attachAgain(handoverGraceMs);
  }

  /** A plane that stops is left as soon as it has answered everything. */
  #letGo({ bye, sent, socket }: Connection): void {
    if (bye !== null && sent.size === 0) socket.end();
  }

  /** The connection is gone, as it should be or not. */
  #lose(connection: Connection): void {
    this.#connections.delete(connection);
    if (connection === this.#current) this.#current = null;
    if (this.#isLeaving) return this.#settleIfOver();
    const reason = "the plane that asked has ended";
    for (const id of connection.openQuestions)
      this.#tell(
        `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"${reason}"}}`,
      );
    for (const { id, method, text } of connection.sent.values())
      if (repeatable.has(method)) this.#queue.push(readLine(text));
      else this.#tell(failure(id, lostText(method), "OUTCOME_UNKNOWN"));
    // After a stop the plane starts again only when it is needed.
    if (connection.bye === null || this.#queue.length > 0) void this.#attachAgain();
  }

  #attachAgain(graceMs = 0): Promise<void> {
    this.#attaching ??= this.#findPlane(graceMs).finally(() => {
      this.#attaching = null;
      this.#settleIfOver();
    });
    return this.#attaching;
  }

  async #findPlane(graceMs: number): Promise<void> {
    const reached = await this.#options.reach(this.#session, graceMs);
    if (this.#options.signal.aborted)
      return void (reached.kind === "attached" && reached.socket.destroy());
    const waiting = this.#queue;
    this.#queue = [];
    if (reached.kind === "failed") {
      this.#options.say(`The plane is gone and cannot be started again: ${reached.why}`);
      for (const line of waiting) this.#refuse(line, reached.why);
      return;
    }
    this.#current = this.#use(reached);
    // What the client knows may be what only the last plane had. Before the handshake it knows nothing.
    const isNew = waiting.some(({ message }) => message.method === "initialize");
    if (this.#session !== null && !isNew) for (const notice of listChanges) this.#tell(notice);
    for (const line of waiting) this.#send(this.#current, line);
    if (this.#isLeaving) this.#current.socket.end();
  }

  #refuse({ requests }: Line, why: string): void {
    const text = `No plane serves this client: ${why}. Nothing was done; try again.`;
    for (const { id } of requests) this.#tell(failure(id, text, "SERVER_UNAVAILABLE"));
  }

  #send({ socket, sent }: Connection, { text, requests }: Line): void {
    for (const request of requests) sent.set(request.id, request);
    if (socket.write(`${text}\n`)) return;
    this.#options.input.pause();
    const resumeInput = () => {
      socket.off("drain", resumeInput).off("close", resumeInput);
      if (!this.#isLeaving) this.#options.input.resume();
    };
    socket.on("drain", resumeInput).on("close", resumeInput);
  }

  #takeFromClient(text: string): void {
    if (text.trim() === "") return;
    const line = readLine(text);
    const { id, method, params } = line.message;
    if (method === undefined && id !== undefined) {
      const asker = [...this.#connections].find(({ openQuestions }) =>
        openQuestions.delete(JSON.stringify(id)),
      );
      if (asker) return this.#send(asker, line);
    }
    if (method === "notifications/cancelled")
      return this.#cancel(JSON.stringify(params?.requestId), line);
    // Its answer could not be distinguished from the other's, also when the plane ends.
    const [onlyRequest] = line.requests;
    if (line.requests.length === 1 && onlyRequest && this.#isRunning(onlyRequest.id))
      return this.#tell(
        `{"jsonrpc":"2.0","id":${onlyRequest.id},"error":{"code":-32600,"message":"A request with this id is running."}}`,
      );
    if (this.#current !== null) return this.#send(this.#current, line);
    // What only tells something is for a plane that knows the client; the next one learns it from the session.
    const isNotice = method !== undefined && id === undefined;
    if (isNotice && this.#attaching === null) return;
    this.#queue.push(line);
    void this.#attachAgain();
  }

  #isRunning(id: string): boolean {
    for (const { sent } of this.#connections) if (sent.has(id)) return true;
    return this.#queue.some(({ requests }) => requests.some((request) => request.id === id));
  }

  /** A cancelled request is not answered. */
  #cancel(id: string, line: Line): void {
    const remaining = this.#queue.filter(
      ({ requests }) => requests.length !== 1 || requests[0]?.id !== id,
    );
    const wasWaiting = remaining.length < this.#queue.length;
    this.#queue = remaining;
    if (wasWaiting) return;
    const holder = [...this.#connections].find(({ sent }) => sent.delete(id)) ?? this.#current;
    if (holder === null) return;
    this.#send(holder, line);
    this.#letGo(holder);
  }

  #leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#options.input.pause();
    for (const { socket } of this.#connections) socket.end();
    setTimeout(() => this.#over.resolve(), leaveMs).unref();
    this.#settleIfOver();
  }

  #settleIfOver(): void {
    if (this.#isLeaving && this.#connections.size === 0 && this.#attaching === null)
      this.#over.resolve();
  }
}

/** Null for what this version does not know. */
function readAside(line: string): Aside | null {
  try {
    return JSON.parse(line.slice(asideMark.length)) as Aside;
  } catch {
    return null;
  }
}

/** How most clients write a request: with its id in front, or, as the official one does, at the very end. */
const requestInFront = /^\{"jsonrpc":"2\.0","id":("[^"\\]*"|\d{1,15}),"method":"([\w/]+)"/;
const methodInFront = /^\{"method":"([\w/]+)"/;
const idAtEnd = /,"jsonrpc":"2\.0","id":("[^"\\]*"|\d{1,15})\}$/;
const endLength = 300;

/** Of a call nothing more needs to be known than its id, so the rest is not read. */
function readCall(text: string): Line | null {
  const [, inFront, method = methodInFront.exec(text)?.[1]] = requestInFront.exec(text) ?? [];
  if (method !== "tools/call") return null;
  const id = inFront ?? idAtEnd.exec(text.slice(-endLength))?.[1];
  if (id === undefined) return null;
  return { text, message: { id, method }, requests: [{ id, method, text }] };
}

function readLine(text: string): Line {
  const call = readCall(text);
  if (call) return call;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The plane says what is wrong with it.
  }
  if (!Array.isArray(value))
    return { text, message: messageIn(value), requests: requestsIn(value, text) };
  return {
    text,
    message: {},
    requests: value.flatMap((part) => requestsIn(part, JSON.stringify(part))),
  };
}

function messageIn(value: unknown): Message {
  return typeof value === "object" && value !== null ? (value as Message) : {};
}

function requestsIn(value: unknown, text: string): Request[] {
  const { id, method } = messageIn(value);
  // Larger numbers are others once they are read, and the plane answers with what was written.
  const isId =
    typeof id === "string" || (typeof id === "number" && Math.abs(id) <= Number.MAX_SAFE_INTEGER);
  if (isId && typeof method === "string") return [{ id: JSON.stringify(id), method, text }];
  return [];
}

function lostText(method: string): string {
  const isCall = method === "tools/call";
  const remedy = isCall ? "The tool may have run: look before you call it again." : "Try again.";
  return `The plane behind this connection ended before it answered '${method}'. ${remedy}`;
}

function failure(id: string, message: string, code: string): string {
  const error = { code: -32000, message, data: { code, retryable: code !== "OUTCOME_UNKNOWN" } };
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`;
}
