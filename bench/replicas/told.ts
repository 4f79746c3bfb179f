/** A failure with all that is needed to find out why. */
export type Failure = {
  /** Milliseconds since the load began. */
  at: number;
  tookMs: number;
  what: string;
  replica: string | null;
  status: number | null;
  /** Why the balancer has no answer, or what the answer says. */
  reason: string;
};

/** The answers that clients got, to be compared with what is stored. */
export type Told = {
  beganAt: number;
  /** Ids of calls that were answered, whatever the answer. */
  calls: Set<string>;
  /** Calls over MCP, whose answers carry no id. */
  mcpCalls: number;
  sessions: number;
  /** What each writes into the ledger of the tool, by the id of the approval. */
  approvals: Map<string, string>;
  /** Those whose yes was taken. */
  answered: Set<string>;
  /** Those whose call was said to have succeeded. */
  done: Set<string>;
  changes: Set<string>;
  /** What each writes into the ledger, by the id of the run. */
  runs: Map<string, string>;
  /** In flight on a replica that was killed. */
  killed: Failure[];
  unexplained: Failure[];
};

export function nothingTold(): Told {
  return {
    beganAt: Date.now(),
    calls: new Set(),
    mcpCalls: 0,
    sessions: 0,
    approvals: new Map(),
    answered: new Set(),
    done: new Set(),
    changes: new Set(),
    runs: new Map(),
    killed: [],
    unexplained: [],
  };
}
