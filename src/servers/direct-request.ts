import type { UnknownObject } from "../model/json.ts";
import type { AnswerRequest, RequestId } from "../protocol/message.ts";
import type { Waiter } from "../protocol/peer.ts";
import type { Progress, RequestOptions } from "../protocol/session.ts";
import type { Connection, Live } from "./connection.ts";

/** Who waits for a direct request; one of the first two is called once. */
export type DirectCall = Pick<RequestOptions, "by" | "onLog"> & {
  answered(result: unknown): void;
  failed(thrown: unknown): void;
  onProgress(progress: Progress): void;
  onRequest: AnswerRequest;
};

type DirectPorts = {
  answering(caller: AnswerRequest): AnswerRequest;
  /** Releases what it holds; gives what is thrown, where something is. */
  ended(request: DirectRequest, thrown: unknown): unknown;
};

/** A call on an open session, without promises and without a signal until a transport asks for one. */
export class DirectRequest implements Waiter, RequestOptions {
  readonly connection: Connection;
  readonly live: Live;
  readonly startedAt = performance.now();
  isCancelled = false;
  readonly #call: DirectCall;
  readonly #ports: DirectPorts;
  #id: RequestId = 0;
  #answer: AnswerRequest | undefined;
  #controller: AbortController | undefined;

  constructor(call: DirectCall, connection: Connection, live: Live, ports: DirectPorts) {
    this.#call = call;
    this.connection = connection;
    this.live = live;
    this.#ports = ports;
  }

  send(params: UnknownObject): void {
    this.#id = this.live.peer.post("tools/call", params, this, this);
  }

  resolve(result: unknown): void {
    this.#ports.ended(this, undefined);
    this.#call.answered(result);
  }

  reject(reason: unknown): void {
    this.#call.failed(this.#ports.ended(this, reason ?? new Error("it failed")));
  }

  cancel(reason: unknown): void {
    this.isCancelled = true;
    this.#controller?.abort(reason);
    this.live.peer.cancel(this.#id, reason);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** One function for each request: who caused a question is found by it. */
  get onRequest(): AnswerRequest {
    this.#answer ??= this.#ports.answering((...asked) => this.#call.onRequest(...asked));
    return this.#answer;
  }

  onProgress(progress: Progress): void {
    this.#call.onProgress(progress);
  }

  get onLog(): RequestOptions["onLog"] {
    return this.#call.onLog;
  }

  get by(): RequestOptions["by"] {
    return this.#call.by;
  }
}
