export type DeclaredDefault = {
  /** The key of the configuration, or a name where there is none. */
  readonly id: string;
  /** The version that changed it. */
  readonly version: string;
  readonly summary: string;
  readonly before: string;
  readonly now: string;
  /** It allows what the old default did not. The old one stays in force until an admin accepts the new one. */
  readonly loosens: boolean;
  /** Why the old behaviour is gone; null where it can be kept. */
  readonly gone: string | null;
};

/** What changed for planes whose store an older version made. */
export const declaredDefaults = [
  {
    id: "durability",
    version: "0.4.0",
    summary: "What was answered survives a power cut.",
    before: "process: an answer survives the end of the process.",
    now: "power: decisions are on the disk before they are answered, calls 200 ms later.",
    loosens: false,
    gone: null,
  },
  {
    id: "writes-are-sent-once",
    version: "0.4.0",
    summary: "A call that was refused or failed is the caller's to repeat.",
    before: "The plane repeated refused writes by itself, from its dead letters, too.",
    now: "The plane repeats what provably was not sent, and what is declared idempotent.",
    loosens: false,
    gone: "A repeated write may run twice. 'onUnavailable: queue' is the choice of a call.",
  },
  {
    id: "approvals.expireMs",
    version: "0.4.0",
    summary: "A question lives longer than its caller waits.",
    before: "A question ended after five minutes, with the call that it was about.",
    now: "A question lives for a day, in the profile personal for an hour. Its caller collects the outcome.",
    loosens: false,
    gone: null,
  },
  {
    id: "rules-allow-by-any-name",
    version: "0.4.0",
    summary: "A rule that allows may name every argument with '*'.",
    before: "Such a rule had no effect.",
    now: "It allows the calls whose arguments are all like that.",
    loosens: true,
    gone: null,
  },
] as const satisfies readonly DeclaredDefault[];

export const defaultDecisions = ["accept", "keep"] as const;
export type DefaultDecision = (typeof defaultDecisions)[number];

/** A decision as it is stored. `files` are those of the plane's configuration; none stands for every plane. */
export type StoredDecision = {
  files: readonly string[];
  change: string;
  decision: DefaultDecision;
  decidedBy: string | null;
  decidedAt: string;
};

/** The versions of the program that have written a store, with the moment of the first start. */
export type StoreVersion = { version: string; since: string };

/** A decision of the plane with these files, or one for every plane on the store. */
export function decisionOn(
  id: string,
  decisions: readonly StoredDecision[],
  files: readonly string[],
): StoredDecision | undefined {
  const isOurs = (decision: StoredDecision) =>
    decision.files.length === 0 || decision.files.some((file) => files.includes(file));
  return decisions.find((decision) => decision.change === id && isOurs(decision));
}
