import { setImmediate as nextTurn } from "node:timers/promises";
import type { CallChain } from "../../model/call-chain.ts";
import { followChain, selectCheckpoints, selectIsInChain, selectStart } from "./call-chain.ts";
import type { Prepare } from "./connection.ts";

const atATime = 2_000;

type Read = <T>(work: (prepare: Prepare) => T) => Promise<T>;

/** From the oldest call to the newest, with a turn for others in between. */
export async function verifyCalls(read: Read, head?: string): Promise<CallChain> {
  for (;;) {
    const checkpoints = await read(selectCheckpoints);
    const { progress, broken } = await followToEnd(read);
    const now = await read(selectCheckpoints);
    // What was removed meanwhile only looks like a gap.
    if (broken && now.length !== checkpoints.length) continue;
    const { calls, unchained, link } = progress;
    const headFound = head === undefined ? null : await read((prepare) => selectIsInChain(prepare, head));
    return {
      ok: broken === null && headFound !== false,
      ...{ calls, unchained, checkpoints: now, head: link, broken, headFound },
    };
  }
}

async function followToEnd(read: Read) {
  let progress = await read(selectStart);
  for (;;) {
    const step = await read((prepare) => followChain(prepare, progress, atATime));
    if (step.isOver) return step;
    progress = step.progress;
    await nextTurn();
  }
}
