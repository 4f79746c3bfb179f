import { sourceTextOf } from "../lib/json/json-text.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import { onOneLine } from "./result-text.ts";

export type RequestId = number | string;

export type OutgoingMessage =
  | { jsonrpc: "2.0"; id: RequestId; method: string; params?: UnknownObject }
  | { jsonrpc: "2.0"; method: string; params?: UnknownObject }
  | { jsonrpc: "2.0"; id: RequestId; result: UnknownObject }
  | { jsonrpc: "2.0"; id: RequestId; error: { code: number; message: string } };

/** On one line. Arguments whose text is known are written as they came. */
export function renderMessage(message: OutgoingMessage): string {
  const { params } = message as { params?: UnknownObject };
  const text = isObject(params?.arguments) ? sourceTextOf(params.arguments) : undefined;
  if (text === undefined) return JSON.stringify(message);
  const withoutArguments = JSON.stringify({
    ...message,
    params: { ...params, arguments: undefined },
  });
  // The parameters are the last member, and have others.
  return `${withoutArguments.slice(0, -2)},"arguments":${onOneLine(text)}}}`;
}

/** An RpcError is passed on as it is. */
export type AnswerRequest = (
  method: string,
  params: UnknownObject,
  signal: AbortSignal,
) => Promise<UnknownObject>;

/** The other side answered with an error. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;
  /** Who wrote the message. */
  readonly saidBy: "peer" | "us";

  constructor(code: number, message: string, data?: unknown, saidBy: "peer" | "us" = "peer") {
    super(message);
    this.code = code;
    this.data = data;
    this.saidBy = saidBy;
  }
}

/** The answer breaks the protocol. */
export function invalidAnswer(message: string, data?: unknown, code = -32603): RpcError {
  return new RpcError(code, message, data, "us");
}

/** Such as a token endpoint: which one, how long it is not asked again, and whether it hangs. */
export type EndpointTrouble = { origin: string; restMs: number; hangs: boolean };

/** The connection failed; `sent` is whether the other side may have seen the request. */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly sent: boolean;
  /** The same request will be refused again. */
  readonly permanent: boolean;
  /** It ran, and only its answer was too large to take. */
  readonly tooLarge: boolean;
  /** Of the HTTP answer. */
  readonly status: number | undefined;
  /** The other side has reacted to this very request, so it has seen it. */
  readonly answered: boolean;
  /** It no longer knows the session: the next request opens another. */
  readonly sessionEnded: boolean;
  readonly retryAfterMs: number | undefined;
  /** Another party that had to be asked first. The server itself has seen nothing. */
  readonly endpoint: EndpointTrouble | undefined;
  /** Its process ended otherwise than with code 0. */
  readonly crashed: boolean;
  /** The same in all copies, and for all requests that it ended. */
  readonly loss: object;
  /** The other side's last words, which no caller may read as ours. */
  readonly said: string;

  constructor(message: string, failure: TransportFailure) {
    const {
      cause,
      sent,
      permanent = false,
      tooLarge = false,
      crashed = false,
      loss,
      status,
      sessionEnded = false,
      retryAfterMs,
      endpoint,
      said = "",
    } = failure;
    super(message, cause === undefined ? undefined : { cause });
    this.sent = sent;
    this.permanent = permanent;
    this.tooLarge = tooLarge;
    this.crashed = crashed;
    this.loss = loss ?? this;
    this.status = status;
    this.answered = failure.answered ?? (sent && (tooLarge || status !== undefined));
    this.sessionEnded = sessionEnded;
    this.retryAfterMs = retryAfterMs;
    this.endpoint = endpoint;
    this.said = said;
  }
}

type TransportFailure = {
  sent: boolean;
  permanent?: boolean;
  tooLarge?: boolean;
  crashed?: boolean;
  loss?: object;
  status?: number | undefined;
  answered?: boolean;
  sessionEnded?: boolean;
  retryAfterMs?: number | undefined;
  endpoint?: EndpointTrouble | undefined;
  said?: string;
  cause?: unknown;
};

/** Ended by its runtime, whatever became of the process that started it. */
export type ContainerName = { runtime: string; name: string };

export type ChannelHandlers = {
  /** `relatesTo` is our request on whose stream it came, where known. */
  onMessage(message: unknown, relatesTo?: RequestId): void;
  /** Called once, when nothing more can be sent or received. */
  onClose(reason: TransportError): void;
  /** No further request can be sent; those under way may still be answered. Without it, `onClose` is called. */
  onRetired?(reason: TransportError): void;
  /** An answer was too large and was skipped; `id` where known. */
  onTooLarge?(id: RequestId | undefined, bytes: number): void;
  /** The request did not leave after all. */
  onUnsent?(id: RequestId, reason: TransportError): void;
  /** Something that is no message. */
  onNoise?(text: string): void;
  /** At once after the start of a process. */
  onProcess?(pid: number, container?: ContainerName): void;
  onStderr?(text: string): void;
};

export type SendOptions = {
  signal?: AbortSignal | undefined;
  /** The message may reach the other side twice without harm. */
  mayRepeat?: boolean | undefined;
  /** From now on the other side may see the message. */
  onWrite?: (() => void) | undefined;
  /** For transports that have them. */
  headers?: Readonly<Record<string, string>> | undefined;
};

export interface Channel {
  /** Throws or rejects with a TransportError. */
  send(message: OutgoingMessage, options?: SendOptions): Promise<void> | void;
  /** After the handshake; some transports repeat it on every request. */
  useProtocolVersion(version: string): void;
  /** It calls `onWrite` itself; of others a message counts as written when it is handed over. */
  readonly tellsOfWrites?: boolean;
  /** Opens the server's own stream, where there is one. */
  listen?(): void;
  /** Closing its stream cancels a request, without a message. */
  readonly cancelsByClosing?: boolean;
  /** Ends all that it started. Never rejects. */
  close(): Promise<void>;
  readonly pid: number | null;
  /** Bytes that the other side has not taken yet. */
  readonly backlog?: number;
  /** When the message began that has not ended yet: nothing else can come before its end. */
  readonly unfinishedSince?: number | null;
}
