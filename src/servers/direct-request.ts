import type { CancelListener } from "../lib/async/cancellation.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { AnswerRequest, RequestId } from "../protocol/message.ts";
import type { Waiter } from "../protocol/peer.ts";
import type { RequestOptions, Session } from "../protocol/session.ts";
import type { Live, ServerConnection } from "./connection.ts";

export type DirectPorts = {
  answering(caller: AnswerRequest | undefined): AnswerRequest;
  /** Releases what it holds; gives what is thrown, where something is. */
  ended(request: DirectRequest, thrown: unknown): unknown;
  taskQuietMs: number;
  reopen(connection: ServerConnection): Promise<Session>;
};

/** A call on an open session: one promise, and no signal until a transport or a question asks for one. */
export class DirectRequest implements Waiter, RequestOptions, CancelListener {
  readonly connection: ServerConnection;
  readonly live: Live;
  readonly startedAt = performance.now();
  readonly result: Promise<unknown>;
  readonly headers: RequestOptions["headers"];
  isCancelled = false;
  isOver = false;
  protected readonly options: RequestOptions;
  protected readonly ports: DirectPorts;
  protected id: RequestId = 0;
  protected params: UnknownObject = {};
  readonly #settle: PromiseWithResolvers<unknown>;
  #answer: AnswerRequest | undefined;

  constructor(
    options: RequestOptions,
    headers: RequestOptions["headers"],
    connection: ServerConnection,
    live: Live,
    ports: DirectPorts,
  ) {
    this.options = options;
    this.headers = headers;
    this.connection = connection;
    this.live = live;
    this.ports = ports;
    this.#settle = Promise.withResolvers();
    this.result = this.#settle.promise;
  }

  send(params: UnknownObject): void {
    const { session, peer } = this.live;
    this.params = params;
    this.id = peer.post(
      "tools/call",
      session.address?.(params, this.options) ?? params,
      this,
      this,
    );
    this.options.cancellation?.listen(this);
  }

  resolve(result: unknown): void {
    const { complete } = this.live.session;
    if (complete === undefined || isComplete(result)) return this.#end(result);
    // A question of the server, which this caller does not answer itself.
    this.endWith(complete(result, this.params, this));
  }

  protected endWith(answer: Promise<unknown>): void {
    answer.then(
      (result) => this.#end(result),
      (thrown) => this.reject(thrown),
    );
  }

  #end(result: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.cancellation?.leave(this);
    this.ports.ended(this, undefined);
    this.#settle.resolve(result);
  }

  reject(reason: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.cancellation?.leave(this);
    this.#settle.reject(this.ports.ended(this, reason ?? new Error("it failed")));
  }

  cancel(reason: unknown): void {
    this.isCancelled = true;
    this.live.peer.cancel(this.id, reason);
  }

  get signal(): AbortSignal | undefined {
    return this.options.signal;
  }

  /** One function for each request: who caused a question is found by it. */
  get onRequest(): AnswerRequest {
    this.#answer ??= this.ports.answering(this.options.onRequest);
    return this.#answer;
  }

  get mayRepeat(): RequestOptions["mayRepeat"] {
    return this.options.mayRepeat;
  }

  get onWrite(): RequestOptions["onWrite"] {
    return this.options.onWrite;
  }

  get onProgress(): RequestOptions["onProgress"] {
    return this.options.onProgress;
  }

  get onLog(): RequestOptions["onLog"] {
    return this.options.onLog;
  }

  get hidden(): RequestOptions["hidden"] {
    return this.options.hidden;
  }

  get by(): RequestOptions["by"] {
    return this.options.by;
  }

  get asClient(): RequestOptions["asClient"] {
    return this.options.asClient;
  }

  get samples(): RequestOptions["samples"] {
    return this.options.samples;
  }

  get continuation(): RequestOptions["continuation"] {
    return this.options.continuation;
  }
}

/** Most results say nothing of it. */
function isComplete(result: unknown): boolean {
  return !isObject(result) || result.resultType === undefined || result.resultType === "complete";
}
