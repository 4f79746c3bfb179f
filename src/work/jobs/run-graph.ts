import { type PlaneError, toPlaneError } from "../../model/errors.ts";

export type GraphNode = { id: string; dependsOn: readonly string[] };

export type GraphWork = {
  /** False when it was left out: whatever depends on it is left out, too. */
  work(id: string, signal: AbortSignal): Promise<boolean>;
  /** It was left out because something before it was. */
  leaveOut(id: string): Promise<void>;
  signal: AbortSignal;
};

/** `error` is the first that went wrong; it has ended what ran beside it, and kept the rest from beginning. */
export type GraphEnd = { error: PlaneError | null; neverBegun: string[] };

/** Everything as soon as what it depends on is done, at the same time where nothing forbids it. */
export async function runGraph(nodes: readonly GraphNode[], { work, leaveOut, signal }: GraphWork): Promise<GraphEnd> {
  const failing = new AbortController();
  const either = AbortSignal.any([signal, failing.signal]);
  const waiting = new Map(nodes.map((node) => [node.id, node]));
  const ended = new Map<string, boolean>();
  const running = new Map<string, Promise<void>>();
  let error: PlaneError | null = null;

  const begin = async ({ id, dependsOn }: GraphNode): Promise<void> => {
    try {
      const isMeant = dependsOn.every((needed) => ended.get(needed) !== false);
      if (isMeant) ended.set(id, await work(id, either));
      else {
        await leaveOut(id);
        ended.set(id, false);
      }
    } catch (thrown) {
      error ??= toPlaneError(thrown);
      failing.abort(new Error(`'${id}' failed`));
    } finally {
      running.delete(id);
    }
  };

  for (;;) {
    const ready = [...waiting.values()].filter(({ dependsOn }) => dependsOn.every((id) => ended.has(id)));
    if (!either.aborted)
      for (const node of ready) {
        waiting.delete(node.id);
        running.set(node.id, begin(node));
      }
    if (running.size === 0) return { error, neverBegun: [...waiting.keys()] };
    await Promise.race(running.values());
  }
}
