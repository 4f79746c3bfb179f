import type { AsClient, Continuation } from "../model/calls/provider.ts";
import type { UnknownObject } from "../model/json.ts";
import type { Progress } from "./notices.ts";
import type { AnswerRequest } from "./questions-from-peer.ts";
import type { OnTask } from "./tasks/news.ts";
import type { TaskListener } from "./tasks/open-tasks.ts";

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
  /** For whoever can follow a task: an answer that is one keeps these options in force. */
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
