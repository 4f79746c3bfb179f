import type { Worker } from "node:worker_threads";
import { serialized } from "../../lib/async/once.ts";
import { ownFile } from "../../lib/own-files.ts";
import { type ErrorData, PlaneError } from "../../model/errors.ts";
import type { ChainHeads, Store } from "../../model/store.ts";
import { packEntries } from "./pack-entries.ts";

/** What the thread says of a batch. */
export type Appended = ChainHeads | { failed: { message: string; data: ErrorData } };

/** Fewer entries in a second are not worth a thread. */
const threadThreshold = 1_000;
const windowMs = 1_000;
/** Without a batch for this time, its memory is given back. */
const defaultIdleMs = 10_000;
const maxDeaths = 3;
/** It holds one batch at a time. */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 4 };

type Thread = { worker: Worker; isReady: boolean; waits: PromiseWithResolvers<ChainHeads> | null };

/**
 * Under load, batches are committed by a thread with a connection of its own, so that a commit is no caller's pause.
 * Where the thread dies, it is not known whether the batch was stored.
 */
export function createAppendElsewhere(
  file: string,
  appendHere: Store["append"],
  onFailure: (failure: PlaneError) => void = () => undefined,
  idleMs = defaultIdleMs,
) {
  let thread: Thread | undefined;
  let deaths = 0;
  let appended = 0;
  let windowStartedAt = 0;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  function died(dead: Thread, cause: unknown): void {
    if (thread !== dead) return;
    thread = undefined;
    deaths += 1;
    dead.waits?.reject(ended(cause));
  }

  function ended(cause?: unknown): PlaneError {
    const text = `The store '${file}' could not do this; the thread that writes to it ended.`;
    return new PlaneError("STORE_FAILED", text, { data: { lost: true }, cause });
  }

  async function start(): Promise<void> {
    const { Worker } = await import("node:worker_threads");
    if (isClosed || thread) return;
    const worker = new Worker(ownFile("appendWorker"), { workerData: { file }, resourceLimits });
    const started: Thread = { worker, isReady: false, waits: null };
    thread = started;
    worker.unref();
    worker.on("message", (message: Appended | "ready") => {
      const isNew = message === "ready";
      worker.unref();
      clearTimeout(idle);
      idle = setTimeout(() => void stop(), isNew ? defaultIdleMs : idleMs).unref();
      if (isNew) {
        started.isReady = true;
        return;
      }
      const { waits } = started;
      started.waits = null;
      if (!("failed" in message)) return waits?.resolve(message);
      const failure = new PlaneError("STORE_FAILED", message.failed.message, {
        data: message.failed.data,
      });
      onFailure(failure);
      waits?.reject(failure);
    });
    worker.on("error", (thrown) => died(started, thrown));
    worker.on("exit", () => died(started, undefined));
  }

  async function stop(): Promise<void> {
    clearTimeout(idle);
    const stopping = thread;
    if (stopping === undefined) return;
    // One that was asked to go has not died.
    thread = undefined;
    stopping.waits?.reject(ended());
    await stopping.worker.terminate();
  }

  /** One batch at a time: the thread answers without saying which. */
  const append: Store["append"] = serialized((entries) => {
    const now = performance.now();
    if (now - windowStartedAt > windowMs) [windowStartedAt, appended] = [now, 0];
    appended += entries.length;
    if (thread === undefined && deaths < maxDeaths && appended >= threadThreshold) {
      appended = 0;
      start().catch(() => {
        deaths = maxDeaths;
      });
    }
    if (!thread?.isReady) return appendHere(entries);
    const waits = Promise.withResolvers<ChainHeads>();
    thread.waits = waits;
    // The process waits for what is under way, and for nothing else.
    thread.worker.ref();
    clearTimeout(idle);
    thread.worker.postMessage(packEntries(entries));
    return waits.promise;
  });
  return {
    append,
    /** For tests. */
    threadId: () => (thread?.isReady ? thread.worker.threadId : null),
    close(): Promise<void> {
      isClosed = true;
      return stop();
    },
  };
}
