import {
  bodyOf,
  checkBytes,
  initialized,
  initializeParams,
  type LoadClient,
  listPages,
  type Params,
  Pending,
  resultOf,
  type Tool,
} from "./client.ts";
import { Connection, ConnectionPool } from "./http1.ts";

/** HTTP+SSE of 2024-11-05: answers come over one stream, requests are acknowledged with 202. */
export class SseClient implements LoadClient {
  readonly #url: URL;
  readonly #stream = new Connection();
  readonly #pool: ConnectionPool;
  readonly #pending = new Pending();
  #parts: Buffer[] = [];
  #head = "";
  #lastId = 0;

  constructor(url: string) {
    this.#url = new URL(url);
    this.#pool = new ConnectionPool(this.#url.hostname, Number(this.#url.port));
  }

  async open(): Promise<void> {
    const { hostname, port, host, pathname, search } = this.#url;
    await this.#stream.open(hostname, Number(port));
    const endpoint = await new Promise<string>((resolve, reject) => {
      const head = `GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\naccept: text/event-stream\r\n`;
      const fail = (error: Error) => {
        reject(error);
        this.#pending.fail(error);
      };
      this.#stream
        .send(head, undefined, {
          onHead: ({ status }) =>
            status === 200 ? undefined : reject(new Error(`HTTP ${status}`)),
          onChunk: (chunk) => this.#feed(chunk, resolve),
        })
        .then(() => fail(new Error("the stream ended")), fail);
    });
    const target = new URL(endpoint, this.#url);
    this.#head = `POST ${target.pathname}${target.search} HTTP/1.1\r\nhost: ${target.host}\r\ncontent-type: application/json\r\n`;
    await this.#request("initialize", initializeParams("2024-11-05"));
    await this.#pool.send(this.#head, initialized);
  }

  /** An event ends with an empty line; one of several chunks is put together once. */
  #feed(chunk: Buffer, onEndpoint: (path: string) => void): void {
    this.#parts.push(chunk);
    if (!chunk.includes("\n\n") && !(chunk.length === 1 && chunk[0] === 10)) return;
    const seen = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts);
    let at = 0;
    for (let end = seen.indexOf("\n\n"); end >= 0; end = seen.indexOf("\n\n", at)) {
      const event = seen.subarray(at, end);
      at = end + 2;
      const data = event.subarray(event.indexOf("data:") + 6);
      if (event.toString("latin1", 0, 15) === "event: endpoint")
        onEndpoint(data.toString("utf8").trim());
      else this.#pending.settle(data);
    }
    this.#parts = at < seen.length ? [seen.subarray(at)] : [];
  }

  #exchange(method: string, params: Params): Promise<Buffer> {
    const id = ++this.#lastId;
    return this.#pending.wait(id, () => {
      this.#pool.send(this.#head, bodyOf(id, method, params)).then(
        ({ status }) =>
          status < 300 ? undefined : this.#pending.fail(new Error(`HTTP ${status}`), id),
        (error: Error) => this.#pending.fail(error, id),
      );
    });
  }

  async #request(method: string, params: Params): Promise<Params> {
    return resultOf((await this.#exchange(method, params)).toString("utf8"));
  }

  listTools(): Promise<Tool[]> {
    return listPages((method, params) => this.#request(method, params));
  }

  async call(name: string, args: object, size: number): Promise<void> {
    checkBytes(await this.#exchange("tools/call", { name, arguments: args }), size);
  }

  async close(): Promise<void> {
    this.#stream.close();
    this.#pool.close();
  }
}
