import type { ToolId } from "../catalogue/tool.ts";
import type { ErrorCode } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { AbortSignal } from "../platform.ts";
import type { Face, Principal } from "../principal.ts";
import type { CallOptions, Outcome, Verdict } from "./call.ts";

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

export type Decision = "approve" | "reject";

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
export type Answer = {
  /** Yes or no. */
  decision: Decision;
  /** Replace those that were shown. */
  arguments?: JsonObject;
  /** For the caller. */
  reason?: string;
  /** Holds for later calls too. */
  remember?: Remember;
};

export type GivenAnswer = {
  decision: Decision;
  by: string | null;
  /** Who created the key that said it. */
  keyCreators?: string[];
  at: string;
  reason: string | null;
  arguments: JsonObject | null;
};

/** A call that waits for an approval: alone, or in a change plan. */
export type HeldCall = {
  id: string;
  plan: string | null;
  callId: string;
  at: string;
  /** Null in a plan: it does not expire. */
  expiresAt: string | null;
  tool: string;
  toolId: ToolId;
  /** Of the shown definition: another one takes another yes. */
  fingerprint: string;
  /** Where its server was. Apart from the fingerprint, which version 0.2 compares too while both share a store. */
  origin?: string;
  arguments: JsonObject;
  /** The caller's, where hooks wrote others. */
  before?: JsonObject;
  injected: string[];
  principal: Principal;
  face: Face;
  /** As the MCP client names itself. */
  client?: { name: string; version?: string };
  options: CallOptions;
  verdict: Verdict;
  allowEdit: boolean;
  status: HeldStatus;
  /** How many people have to say yes, where it is more than one; and those who have. */
  threshold?: number;
  yeses?: GivenAnswer[];
  answer: GivenAnswer | null;
  outcome: { callId: string; ok: boolean; code: ErrorCode | null } | null;
  /** Who waits for it or runs it, and until when that holds. */
  claim: { by: string; until: string } | null;
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

export type Remembered = {
  id: string;
  user: string | null;
  /** Of the key or the rights that the call was made with. */
  owner?: string;
  /** Who said yes. */
  by?: string | null;
  tool: string | null;
  server: string | null;
  fingerprint: string | null;
  arguments: Record<string, string>;
  argumentsHash: string | null;
  conversation: string | null;
  createdAt: string;
  expiresAt: string | null;
};

/** The changes of one caller in one conversation. */
export type PlanRecord = {
  id: string;
  user: string | null;
  /** Of the key or the rights that it was made with. */
  owner?: string;
  conversation: string | null;
  createdAt: string;
};

/** A held call, as people see it. */
export type HeldView = HeldCall & {
  /** With placeholders for values that the system sets. */
  shown: JsonObject;
  /** An operator's rule asks: no yes is remembered. */
  adminRequired: boolean;
};

/** Asks the caller on its face; null when that is not possible. `problem` is about the last answer. */
export type AskHere = (held: HeldView, signal: AbortSignal, problem: string | null) => Promise<Answer | null>;

export type Plan = PlanRecord & {
  status: "pending" | "partly" | "done" | "rejected";
  changes: HeldView[];
};

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
export type HeldPart = { order: HeldOrder; limit: number; after: { id: string; waits: boolean } | null };

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
