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

/** Only a writer with the newest revision may change it. */
export type KeptHeldCall = HeldCall & { revision: number };

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
export function heldPlace({ id, at, status }: HeldCall, order: HeldOrder): string {
  if (order === "oldest") return `${at} ${id}`;
  const fromTheEnd = String(endOfTime - Date.parse(at)).padStart(16, "0");
  const rank = order === "pending" && status !== "pending" ? 1 : 0;
  return `${rank} ${fromTheEnd} ${id}`;
}

export function readHeldPlace(place: string): { id: string; waits: boolean } {
  return { id: place.slice(place.lastIndexOf(" ") + 1), waits: place.startsWith("0 ") };
}
