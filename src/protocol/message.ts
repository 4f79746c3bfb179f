import type { UnknownObject } from "../model/json.ts";

export type RequestId = number | string;

export type OutgoingMessage =
  | { jsonrpc: "2.0"; id: RequestId; method: string; params?: UnknownObject }
  | { jsonrpc: "2.0"; method: string; params?: UnknownObject }
  | { jsonrpc: "2.0"; id: RequestId; result: UnknownObject }
  | { jsonrpc: "2.0"; id: RequestId; error: { code: number; message: string } };

/** Answers a request of the other side; an RpcError is passed on as it is. */
export type AnswerRequest = (method: string, params: UnknownObject, signal: AbortSignal) => Promise<UnknownObject>;

/** The other side answered our request with an error. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;
  /** Who wrote the message: the other side, or we about its answer. */
  readonly saidBy: "peer" | "us";

  constructor(code: number, message: string, data?: unknown, saidBy: "peer" | "us" = "peer") {
    super(message);
    this.code = code;
    this.data = data;
    this.saidBy = saidBy;
  }
}

/** The other side's answer is not what the protocol asks for. */
export function invalidAnswer(message: string, data?: unknown, code = -32603): RpcError {
  return new RpcError(code, message, data, "us");
}

/** The connection failed, and whether the other side may have seen the request. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly sent: boolean;
  /** The same request will be refused again. */
  readonly permanent: boolean;
  /** Of the HTTP answer that refused the request. */
  readonly status: number | undefined;
  /** How long the other side wants to be left alone. */
  readonly retryAfterMs: number | undefined;
  /** What the other side wrote last: its own words, which no caller is to read as ours. */
  readonly said: string;

  constructor(message: string, options: TransportFailure) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.sent = options.sent;
    this.permanent = options.permanent ?? false;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.said = options.said ?? "";
  }
}

type TransportFailure = {
  sent: boolean;
  permanent?: boolean;
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  said?: string;
  cause?: unknown;
};

/** Where messages of one connection go and come from. */
export type ChannelHandlers = {
  /** `relatesTo` is our request on whose stream it came, where the transport tells. */
  onMessage(message: unknown, relatesTo?: RequestId): void;
  /** Called once, when nothing more can be sent or received. */
  onClose(reason: TransportError): void;
  /** The answer to this request, or to one we cannot tell, was too large and has been passed over. */
  onTooLarge?(id: RequestId | undefined, bytes: number): void;
  /** This request turned out not to have left. */
  onUnsent?(id: RequestId, reason: TransportError): void;
  /** Something arrived that is no message. */
  onNoise?(text: string): void;
  /** A process was started for it; told at once. */
  onProcess?(pid: number): void;
  /** What the server writes for people. */
  onStderr?(text: string): void;
};

export type SendOptions = {
  signal?: AbortSignal | undefined;
  /** For transports that have them. */
  headers?: Readonly<Record<string, string>> | undefined;
};

export interface Channel {
  /** Throws or rejects with a TransportError when this message could not be delivered. */
  send(message: OutgoingMessage, options?: SendOptions): Promise<void> | void;
  /** Known after the handshake; some transports have to repeat it on every request. */
  useProtocolVersion(version: string): void;
  /** Opens the stream on which the server speaks by itself, where that is a stream of its own. */
  listen?(): void;
  /** Is a request cancelled by closing its stream, so that nothing has to be said? */
  readonly cancelsByClosing?: boolean;
  /** Ends the connection and everything it started. Never rejects. */
  close(): Promise<void>;
  readonly pid: number | null;
}
