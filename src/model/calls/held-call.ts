import type { ErrorCode, ErrorData } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { AbortSignal } from "../platform.ts";
import type { Outcome } from "./call.ts";
import type { HeldCall, HeldView, Plan } from "./held-schema.ts";

/** A call that is `running` is never started again: with an unknown end it is `interrupted`. */
export const heldStatuses = [
  "pending",
  "approved",
  "running",
  "done",
  "failed",
  "rejected",
  "expired",
  "void",
  "cancelled",
  "interrupted",
] as const;
export type HeldStatus = (typeof heldStatuses)[number];

export type ApprovalDecision = "approve" | "reject";

/** Remembers a yes for similar calls. */
export type Remember = {
  /** This tool, this tool with such arguments, or every tool of its server. */
  for: "tool" | "arguments" | "server";
  /** Globs by argument. Default: the exact arguments. */
  arguments?: Record<string, string>;
  /** Default: no end. */
  forMs?: number;
  /** Only in the call's conversation. */
  conversation?: boolean;
};

/** A person's answer to a held call. */
export type ApprovalAnswer = {
  /** Yes or no. */
  decision: ApprovalDecision;
  /** Replace those that were shown. */
  arguments?: JsonObject;
  /** For the caller. */
  reason?: string;
  /** Holds for later calls too. */
  remember?: Remember;
};

/** What of an outcome its caller has not got; the result is JSON, as exact as it came. */
export type KeptOutcome = {
  /** The result as JSON. */
  result?: string;
  /** Why it failed. */
  error?: { code: ErrorCode; message: string; data: ErrorData };
};

/** Who collects the outcome of a held call with an equal one: for MCP clients alone. */
export type Delivery = {
  /** A hash of the caller, the tool, and the arguments as the caller sent them. */
  equal: string;
  conversation: string | null;
  /** The name of the client. */
  client: string | null;
  /** Its conversation is a session, which the store knows as long as it lives. */
  isSession?: true;
  /** Its conversation has ended. */
  isOver?: true;
  /** `collected` also where the caller who waited got it. */
  state: "open" | "uncollected" | "collected";
  endedAt?: string;
  /** Where it ran, until it is collected. */
  outcome?: KeptOutcome;
};

/** Only a writer with the newest revision may change it. */
export type KeptHeldCall = HeldCall & {
  revision: number;
  /** A record says that it waits, so another has to say how it ended. */
  onRecord?: true;
  delivery?: Delivery;
};

/** The outcome was not written after all. Resolves with what takes that back: true where no other call has it yet. */
export type PutBack = (outcome: Outcome) => Promise<() => Promise<boolean>>;

/** The request of an MCP client: held open while a person decides, and it may collect what an equal one did not get. */
export type HeldOpen = {
  /** Its conversation is a session, which the store knows as long as it lives. */
  isSession?: boolean | undefined;
  /** Its client is asked with an answer to the request, which is not open meanwhile. */
  asksInAnswer?: boolean | undefined;
  /** Set by the plane where the outcome is of a call that waited for a person. */
  putBack?: PutBack | undefined;
};

export type HeldFilter = {
  status?: HeldStatus;
  plan?: string | null;
  user?: string | null;
  /** This user's, and anonymous ones. */
  shownTo?: string | null;
};

/** Asks the caller on its face; null when that is not possible. `problem` is about the last answer. */
export type AskHere = (
  held: HeldView,
  signal: AbortSignal,
  problem: string | null,
) => Promise<ApprovalAnswer | null>;

/** Which changes of a plan. Default: all that wait. */
export type PlanChoice = {
  /** By id. */
  ids?: readonly string[];
  /** The first so many that wait. */
  first?: number;
  /** Continues after a failed change. */
  continueOnFailure?: boolean;
  /** For the caller. */
  reason?: string;
  /** Other arguments, by change. */
  arguments?: Record<string, JsonObject>;
};

/** The plan now, and the outcome of each change that ran. */
export type PlanOutcome = {
  /** The plan now. */
  plan: Plan;
  /** In order; null where it did not run. */
  outcomes: { change: string; outcome: Outcome | null }[];
};

/** `pending` puts what waits first; newest first otherwise. */
export const heldOrders = ["oldest", "newest", "pending"] as const;
export type HeldOrder = (typeof heldOrders)[number];

/** `limit` of them after the last one of the previous page. */
export type HeldPart = {
  order: HeldOrder;
  limit: number;
  after: { id: string; waits: boolean } | null;
};

/** The latest date, so that what is left of it counts down. */
const endOfTime = 8_640_000_000_000_000;

/** A text that sorts as the list does. */
export function heldSortKey({ id, at: heldAt, status }: HeldCall, order: HeldOrder): string {
  if (order === "oldest") return `${heldAt} ${id}`;
  const fromTheEnd = String(endOfTime - Date.parse(heldAt)).padStart(16, "0");
  const rank = order === "pending" && status !== "pending" ? 1 : 0;
  return `${rank} ${fromTheEnd} ${id}`;
}

export function readHeldSortKey(sortKey: string): { id: string; waits: boolean } {
  return { id: sortKey.slice(sortKey.lastIndexOf(" ") + 1), waits: sortKey.startsWith("0 ") };
}
