import type { Cancellable } from "../lib/async/cancellation.ts";
import type { AsClient, Continuation, HiddenValues } from "../model/calls/provider.ts";
import { objectOrEmpty, stringOrNull, type UnknownObject } from "../model/json.ts";
import type { AnswerRequest } from "./message.ts";

export type Progress = { progress: number; total: number | null; message: string | null };

/** The status of a call's task. */
export type TaskUpdate = { taskId: string; status: string; message: string | null };

/** `isNews` is false for a periodic report without a change. */
export type OnTask = (update: TaskUpdate, isNews: boolean) => void;

export type TaskListener = {
  /** An unsolicited status. */
  onStatus(fields: UnknownObject): void;
  /** Aborted when the task is no longer followed. */
  over: AbortSignal;
};

/** Sent with a request, and heard while it waits. */
export type RequestOptions = {
  signal?: AbortSignal | undefined;
  /** The same as `signal`, without making one. */
  cancellation?: Cancellable | undefined;
  /** For transports that have them. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Called right before sending; what it throws is thrown instead. */
  beforeSend?: (() => void) | undefined;
  /** It may arrive twice without harm. */
  mayRepeat?: boolean | undefined;
  /** From now on the server may see the request. */
  onWrite?: (() => void) | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Answers questions because of this request. */
  onRequest?: AnswerRequest | undefined;
  /** The request has become a task. */
  onTask?: OnTask | undefined;
  /** Keeps these options in force when the answer is a task. */
  task?: TaskListener | undefined;
  /** Logs because of this request, where known. */
  onLog?: ((message: UnknownObject) => void) | undefined;
  hidden?: HiddenValues | undefined;
  /** The user. */
  by?: string | null | undefined;
  asClient?: AsClient | undefined;
  /** Sampling is answered for this request, whatever holds for others. */
  samples?: boolean | undefined;
  /** Questions are wanted as the result; these are answers to earlier ones. */
  continuation?: Continuation | undefined;
};

/** With a handshake, newest first. */
export const legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** The only one with batches. */
export const batchVersion = "2025-03-26";
/** Without a handshake: every request says who asks. */
export const modernVersion = "2026-07-28";

export type Era = "legacy" | "modern";

/** Who we are to a server. */
export type ClientDescription = {
  info: { name: string; version: string };
  capabilities: UnknownObject;
  /** What the plane can do without the caller. Default: all. */
  own?: UnknownObject;
  /** The least serious level to send. */
  logLevel?: string;
};

/** A connection with a settled revision. */
export type Session = {
  era: Era;
  protocolVersion: string;
  capabilities: UnknownObject;
  serverInfo: UnknownObject | null;
  instructions: string | null;
  /** The extensions that it heard of in the handshake. */
  told?: UnknownObject;
  request(method: string, params: UnknownObject, options?: RequestOptions): Promise<unknown>;
  /** A call as it is sent, where the revision says with each who asks. */
  address?(params: UnknownObject, options: RequestOptions): UnknownObject;
  /** What becomes of an answer to a call that is no complete result. */
  complete?(answer: unknown, params: UnknownObject, options: RequestOptions): Promise<unknown>;
  /** Asks for notifications of changed lists, where possible. */
  watch(): void;
  end(): void;
};

/** The same in both eras. */
export function describeServer(
  handshake: UnknownObject,
): Pick<Session, "capabilities" | "instructions"> {
  return {
    capabilities: objectOrEmpty(handshake.capabilities),
    instructions: stringOrNull(handshake.instructions),
  };
}
