import { setTimeout as pause } from "node:timers/promises";
import {
  bodyOf,
  checkBytes,
  type Era,
  initialized,
  initializeParams,
  type LoadClient,
  legacyVersion,
  listPages,
  meta,
  modernVersion,
  type Params,
  resultOf,
  type Tool,
} from "./client.ts";
import { Connection, ConnectionPool, type Response } from "./http1.ts";

/** Streamable HTTP in both eras, over raw sockets. */
export class HttpClient implements LoadClient {
  readonly #era: Era;
  readonly #pool: ConnectionPool;
  readonly #baseHead: string;
  #head: string;
  #session: string | undefined;
  #lastId = 0;
  #callHead = "";
  #callName = "";

  constructor(url: string, era: Era) {
    const { pathname, search, hostname, port, host } = new URL(url);
    this.#era = era;
    this.#pool = new ConnectionPool(hostname, Number(port));
    this.#baseHead = `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n`;
    this.#head = `${this.#baseHead}mcp-protocol-version: ${modernVersion}\r\n`;
  }

  async open(): Promise<void> {
    if (this.#era === "modern") return;
    const body = bodyOf(++this.#lastId, "initialize", initializeParams(legacyVersion));
    const response = await this.#pool.send(this.#baseHead, body);
    const { protocolVersion } = parse(response);
    this.#session = response.headers["mcp-session-id"];
    const session = this.#session === undefined ? "" : `mcp-session-id: ${this.#session}\r\n`;
    this.#head = `${this.#baseHead}${session}mcp-protocol-version: ${protocolVersion}\r\n`;
    await this.#pool.send(this.#head, initialized);
  }

  async #request(method: string, params: Params): Promise<Params> {
    const isModern = this.#era === "modern";
    const head = isModern ? `${this.#head}mcp-method: ${method}\r\n` : this.#head;
    const body = bodyOf(++this.#lastId, method, isModern ? { ...params, _meta: meta } : params);
    return parse(await this.#pool.send(head, body));
  }

  listTools(): Promise<Tool[]> {
    return listPages((method, params) => this.#request(method, params));
  }

  async call(name: string, args: object, size: number): Promise<void> {
    const id = ++this.#lastId;
    let response: Response;
    if (this.#era === "modern") {
      if (this.#callName !== name) {
        this.#callName = name;
        this.#callHead = `${this.#head}mcp-method: tools/call\r\nmcp-name: ${name}\r\n`;
      }
      const params = { name, arguments: args, _meta: meta };
      response = await this.#pool.send(this.#callHead, bodyOf(id, "tools/call", params));
    } else
      response = await this.#pool.send(
        this.#head,
        bodyOf(id, "tools/call", { name, arguments: args }),
      );
    if (response.status !== 200)
      throw new Error(`HTTP ${response.status}: ${response.body.toString("latin1", 0, 300)}`);
    checkBytes(response.body, size);
  }

  /** Ends the session too, as far as the other side lets it. */
  async close(): Promise<void> {
    if (this.#session !== undefined) {
      const connection = new Connection();
      const head = this.#head.replace(/^POST/, "DELETE").replace(/content-type: [^\r]*\r\n/, "");
      const ended = connection
        .open(this.#pool.host, this.#pool.port)
        .then(() => connection.send(head, undefined));
      await Promise.race([ended, pause(300)]).catch(() => {});
      connection.close();
    }
    this.#pool.close();
  }
}

/** An event stream ends with the answer. */
function parse({ status, headers, body }: Response): Params {
  const text = body.toString("utf8");
  if (status !== 200) throw new Error(`HTTP ${status}: ${text.slice(0, 300)}`);
  if (!headers["content-type"]?.startsWith("text/event-stream")) return resultOf(text);
  const last = text.split(/\r?\n/).findLast((line) => line.startsWith("data:") && line.length > 6);
  return resultOf(last?.slice(5) ?? "");
}
