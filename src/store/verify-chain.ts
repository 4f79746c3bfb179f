import type { CallChain } from "../model/call-chain.ts";
import type { Progress, Step } from "./follow-chain.ts";

/** What a store can tell of its chain, a piece at a time. */
export type ChainReader = {
  checkpoints(): Promise<CallChain["checkpoints"]>;
  /** Where the chain goes on after what was removed. */
  start(): Promise<Progress>;
  follow(from: Progress): Promise<Step>;
  has(hash: string): Promise<boolean>;
};

/** From the oldest call to the newest. */
export async function verifyChain(reader: ChainReader, head?: string): Promise<CallChain> {
  for (;;) {
    const checkpoints = await reader.checkpoints();
    const { progress, broken } = await followToEnd(reader);
    const now = await reader.checkpoints();
    // What was removed meanwhile only looks like a gap.
    if (broken && now.length !== checkpoints.length) continue;
    const { calls, unchained, link } = progress;
    const headFound = head === undefined ? null : await reader.has(head);
    return {
      ok: broken === null && headFound !== false,
      ...{ calls, unchained, checkpoints: now, head: link, broken, headFound },
    };
  }
}

async function followToEnd({ start, follow }: ChainReader): Promise<Step> {
  for (let progress = await start(); ; ) {
    const step = await follow(progress);
    if (step.isOver) return step;
    progress = step.progress;
  }
}
