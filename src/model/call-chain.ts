/** What the hash chain over the recorded calls says. */
export type CallChain = {
  ok: boolean;
  /** So many calls are recorded and were looked at. */
  calls: number;
  /** So many of them are older than the chain, and nothing can be said about them. */
  unchained: number;
  /** Where older calls were removed because of their age. */
  checkpoints: { at: string; removed: number }[];
  /** The hash of the newest call: whoever keeps it elsewhere can ask for it later. */
  head: string | null;
  /** The first call at which the chain is broken. */
  broken: { id: string; at: string; reason: string } | null;
  /** Is the hash that was asked for in the chain? Null when none was. */
  headFound: boolean | null;
};
