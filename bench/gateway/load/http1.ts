import { connect, type Socket } from "node:net";

/**
 * HTTP/1.1 with keep-alive on a raw socket. The load shares two cores with what is measured, and a leaner client takes
 * less of them than `node:http`. One request at a time; knows Content-Length, chunks, and bodies that end with the connection.
 */
export type Response = { status: number; headers: Record<string, string>; body: Buffer };
type Head = Omit<Response, "body">;
/** With `onChunk` the body is handed over piece by piece and not collected. */
export type Hooks = { onHead?: (head: Head) => void; onChunk?: (chunk: Buffer) => void };

const headEnd = Buffer.from("\r\n\r\n");

type State = "idle" | "head" | "length" | "close" | "size" | "data" | "line end" | "trailer";

export class Connection {
  isAlive = false;
  #socket: Socket | undefined;
  #state: State = "idle";
  #pending: Buffer | undefined;
  #chunks: Buffer[] = [];
  #remaining = 0;
  #line = "";
  #head: Head = { status: 0, headers: {} };
  #hooks: Hooks = {};
  #resolve: ((response: Response) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  open(host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, noDelay: true });
      this.#socket = socket;
      socket.once("connect", () => {
        this.isAlive = true;
        resolve();
      });
      socket.on("data", (chunk) => this.#feed(chunk));
      socket.on("error", (error) => {
        this.isAlive = false;
        reject(error);
        this.#fail(error);
      });
      socket.on("close", () => {
        this.isAlive = false;
        if (this.#state === "close") this.#finish();
        else this.#fail(new Error("the other side closed the connection"));
      });
    });
  }

  /** `head` is the request line and headers, each with its line end; Content-Length is added here. */
  send(head: string, body: string | undefined, hooks: Hooks = {}): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (this.#state !== "idle" || this.#socket === undefined)
        return reject(new Error("busy or not open"));
      this.#resolve = resolve;
      this.#reject = reject;
      this.#hooks = hooks;
      this.#state = "head";
      this.#socket.write(
        body === undefined
          ? `${head}\r\n`
          : `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    });
  }

  close(): void {
    this.isAlive = false;
    this.#socket?.destroy();
  }

  #reset(): void {
    this.#state = "idle";
    this.#pending = undefined;
    this.#chunks = [];
    this.#line = "";
    this.#hooks = {};
    this.#resolve = undefined;
    this.#reject = undefined;
  }

  #fail(error: Error): void {
    const reject = this.#reject;
    this.#reset();
    reject?.(error);
  }

  #finish(): void {
    const resolve = this.#resolve;
    const [first] = this.#chunks;
    const body =
      this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    const { status, headers } = this.#head;
    if (headers.connection?.toLowerCase() === "close") this.close();
    this.#reset();
    resolve?.({ status, headers, body });
  }

  #push(chunk: Buffer): void {
    if (this.#hooks.onChunk) this.#hooks.onChunk(chunk);
    else this.#chunks.push(chunk);
  }

  #feed(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      // Bytes without a request, such as a late 408: the end of the connection follows.
      if (this.#state === "idle") return;
      if (this.#state === "head") rest = this.#readHead(rest);
      else if (this.#state === "length" || this.#state === "data") rest = this.#readBody(rest);
      else if (this.#state === "close") {
        this.#push(rest);
        return;
      } else rest = this.#readLine(rest);
    }
  }

  #readHead(chunk: Buffer): Buffer {
    const seen = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk]);
    const end = seen.indexOf(headEnd);
    if (end < 0) {
      this.#pending = seen;
      return seen.subarray(seen.length);
    }
    this.#pending = undefined;
    const [first = "", ...lines] = seen.toString("latin1", 0, end).split("\r\n");
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(":");
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const status = Number(first.slice(9, 12));
    this.#head = { status, headers };
    this.#hooks.onHead?.(this.#head);
    if (headers["transfer-encoding"]?.toLowerCase() === "chunked") this.#state = "size";
    else if (headers["content-length"] !== undefined) {
      this.#remaining = Number(headers["content-length"]);
      this.#state = "length";
      if (this.#remaining === 0) this.#finish();
    } else if (status === 204 || status === 304) this.#finish();
    else this.#state = "close";
    return seen.subarray(end + 4);
  }

  #readBody(chunk: Buffer): Buffer {
    const length = Math.min(this.#remaining, chunk.length);
    this.#push(length === chunk.length ? chunk : chunk.subarray(0, length));
    this.#remaining -= length;
    if (this.#remaining === 0) {
      if (this.#state === "length") this.#finish();
      else this.#state = "line end";
    }
    return chunk.subarray(length);
  }

  /** Lines between the chunks of a body. */
  #readLine(chunk: Buffer): Buffer {
    const end = chunk.indexOf(10);
    if (end < 0) {
      this.#line += chunk.toString("latin1");
      return chunk.subarray(chunk.length);
    }
    const line = (this.#line + chunk.toString("latin1", 0, end)).trim();
    this.#line = "";
    if (this.#state === "line end") this.#state = "size";
    else if (this.#state === "size") {
      this.#remaining = Number.parseInt(line, 16);
      this.#state = this.#remaining === 0 ? "trailer" : "data";
    } else if (line === "") this.#finish();
    return chunk.subarray(end + 1);
  }
}

/** Grows to the concurrency in use and keeps its connections. */
export class ConnectionPool {
  readonly host: string;
  readonly port: number;
  #free: Connection[] = [];
  readonly #all = new Set<Connection>();

  constructor(host: string, port: number) {
    this.host = host;
    this.port = port;
  }

  async send(head: string, body: string): Promise<Response> {
    let connection = this.#free.pop();
    while (connection && !connection.isAlive) {
      this.#all.delete(connection);
      connection = this.#free.pop();
    }
    let response: Response | undefined;
    if (connection) {
      try {
        response = await connection.send(head, body);
      } catch {
        // The server closed the idle connection just now: once more on a new one.
        this.#all.delete(connection);
        connection = undefined;
      }
    }
    if (connection === undefined || response === undefined) {
      connection = new Connection();
      this.#all.add(connection);
      await connection.open(this.host, this.port);
      response = await connection.send(head, body);
    }
    if (connection.isAlive) this.#free.push(connection);
    else this.#all.delete(connection);
    return response;
  }

  close(): void {
    for (const connection of this.#all) connection.close();
    this.#all.clear();
    this.#free = [];
  }
}
