import type { AsClient, Continuation } from "../model/calls/provider.ts";
import { isObject, type UnknownObject } from "../model/json.ts";
import type { AnswerRequest } from "./message.ts";

export type Progress = { progress: number; total: number | null; message: string | null };

/** The status of the task that a call has become. */
export type TaskUpdate = { taskId: string; status: string; message: string | null };

/** `isNews` is false for a periodic report without a change. */
export type OnTask = (update: TaskUpdate, isNews: boolean) => void;

export type TaskListener = {
  /** A status that the other side sends without being asked. */
  onStatus(given: UnknownObject): void;
  /** Aborted when the task is no longer followed. */
  over: AbortSignal;
};

/** What comes with a request, and what it wants to hear while it waits. */
export type RequestOptions = {
  signal?: AbortSignal | undefined;
  /** For transports that have them. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Called when nothing is left to wait for; what it throws is thrown instead of sending. */
  beforeSend?: (() => void) | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** What the other side asks because of this request. */
  onRequest?: AnswerRequest | undefined;
  /** The request has become a task and takes its time. */
  onTask?: OnTask | undefined;
  /** Follows a task: an answer that is one keeps these options in force. */
  task?: TaskListener | undefined;
  /** What the other side logs because of this request, where the transport tells. */
  onLog?: ((message: UnknownObject) => void) | undefined;
  /** On whose behalf. */
  by?: string | null | undefined;
  /** Who asks, where every request says it. */
  asClient?: AsClient | undefined;
  /** Questions are wanted as the result, where they come as one; these are the answers to those of before. */
  continuation?: Continuation | undefined;
};

/** Revisions that open with a handshake, newest first. */
export const legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** The only one of them in which several messages may come as one. */
export const batchVersion = "2025-03-26";
/** The revision without one: every request says for itself who asks and what it can do. */
export const modernVersion = "2026-07-28";

export type Era = "legacy" | "modern";

/** Who we are to a server. */
export type ClientDescription = {
  info: { name: string; version: string };
  capabilities: UnknownObject;
  /** What the plane can do without the caller; all of it when left out. */
  own?: UnknownObject;
  /** The least serious log messages it should send. */
  logLevel?: string;
};

/** A connection whose revision is settled. */
export type Session = {
  era: Era;
  protocolVersion: string;
  capabilities: UnknownObject;
  serverInfo: UnknownObject | null;
  instructions: string | null;
  request(method: string, params: UnknownObject, options?: RequestOptions): Promise<unknown>;
  /** From now on the server tells when its lists change, if it can. */
  watch(): void;
  /** Nothing is asked any more. */
  end(): void;
};

/** What both eras tell about a server in the same words. */
export function describeServer(given: UnknownObject): Pick<Session, "capabilities" | "instructions"> {
  return {
    capabilities: isObject(given.capabilities) ? given.capabilities : {},
    instructions: typeof given.instructions === "string" ? given.instructions : null,
  };
}
