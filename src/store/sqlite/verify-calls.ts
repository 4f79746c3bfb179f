import { setImmediate as nextTurn } from "node:timers/promises";
import type { CallChain } from "../../model/call-chain.ts";
import { verifyChain } from "../verify-chain.ts";
import { followChain, selectCheckpoints, selectIsInChain, selectStart } from "./call-chain.ts";
import type { Prepare } from "./connection.ts";

const atATime = 2_000;

type Read = <T>(work: (prepare: Prepare) => T) => Promise<T>;

/** With a turn for others in between. */
export function verifyCalls(read: Read, head?: string): Promise<CallChain> {
  const reader = {
    checkpoints: () => read(selectCheckpoints),
    start: () => read(selectStart),
    async follow(from: Parameters<typeof followChain>[1]) {
      await nextTurn();
      return read((prepare) => followChain(prepare, from, atATime));
    },
    has: (hash: string) => read((prepare) => selectIsInChain(prepare, hash)),
  };
  return verifyChain(reader, head);
}
