import type { ToolId } from "../catalogue/tool.ts";
import type { ErrorCode } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { AbortSignal } from "../platform.ts";
import type { Face, Principal } from "../principal.ts";
import type { CallOptions, Outcome, Verdict } from "./call.ts";

/**
 * `pending` waits for a person. An approved one is `running` once it has begun, and from then on it is
 * never begun again: where the end is not known it is `interrupted`.
 */
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

/** How long a yes is to be remembered for calls like this one. */
export type Remember = {
  /** This tool, this tool with arguments like these, or every tool of its server. */
  for: "tool" | "arguments" | "server";
  /** Globs by argument; the arguments as they are when left out. */
  arguments?: Record<string, string>;
  /** Milliseconds; for good when left out. */
  forMs?: number;
  /** Only in the conversation of the call. */
  conversation?: boolean;
};

/** What a person says to a held call. */
export type Answer = {
  /** Yes or no. */
  decision: Decision;
  /** Instead of those that were shown. */
  arguments?: JsonObject;
  /** What the caller is told. */
  reason?: string;
  /** Whether the answer holds for later calls as well. */
  remember?: Remember;
};

export type GivenAnswer = {
  decision: Decision;
  by: string | null;
  at: string;
  reason: string | null;
  /** What the person changed the arguments to. */
  arguments: JsonObject | null;
};

/** A call that waits for a person's yes: alone, or as one change of a plan. */
export type HeldCall = {
  id: string;
  /** Which plan it belongs to; null when it was asked alone. */
  plan: string | null;
  /** The call that was made. */
  callId: string;
  at: string;
  /** What belongs to a plan does not expire. */
  expiresAt: string | null;
  tool: string;
  toolId: ToolId;
  /** Of the definition that was shown: another one takes another yes. */
  fingerprint: string;
  /** As the caller set them. */
  arguments: JsonObject;
  /** Or as hooks wrote them; then these are the caller's. */
  before?: JsonObject;
  /** The parameters that the system will set. */
  injected: string[];
  principal: Principal;
  face: Face;
  options: CallOptions;
  verdict: Verdict;
  allowEdit: boolean;
  status: HeldStatus;
  answer: GivenAnswer | null;
  /** How it went when it ran. */
  outcome: { callId: string; ok: boolean; code: ErrorCode | null } | null;
  /** Who waits for the answer or has begun the call, and until when that may be believed. */
  claim: { by: string; until: string } | null;
};

/** Changed only by a writer that read the newest revision. */
export type KeptHeldCall = HeldCall & { revision: number };

export type HeldFilter = {
  status?: HeldStatus;
  plan?: string | null;
  user?: string | null;
  /** This user's, and anonymous ones. */
  shownTo?: string | null;
};

/** A yes that is good for more than one call. */
export type Remembered = {
  id: string;
  user: string | null;
  tool: string | null;
  server: string | null;
  fingerprint: string | null;
  /** Globs that the named arguments must match. */
  arguments: Record<string, string>;
  /** Or the arguments, to the letter. */
  argumentsHash: string | null;
  conversation: string | null;
  createdAt: string;
  expiresAt: string | null;
};

/** The changes that one caller queued in one conversation, until each has been answered. */
export type PlanRecord = { id: string; user: string | null; conversation: string | null; createdAt: string };

/** A held call as people see it. */
export type HeldView = HeldCall & {
  /** The arguments with a placeholder for each that the system sets. */
  shown: JsonObject;
  /** May it only be asked about because a rule of the operator says so? Then no yes is remembered. */
  adminRequired: boolean;
};

/**
 * Asks the caller, on the face the call came by; null when that is not possible. `problem` says what was
 * wrong with the answer before.
 */
export type AskHere = (held: HeldView, signal: AbortSignal, problem: string | null) => Promise<Answer | null>;

export type Plan = PlanRecord & {
  status: "pending" | "partly" | "done" | "rejected";
  changes: HeldView[];
};

/** Which changes of a plan: all that wait, those of these ids, or the first few. */
export type PlanChoice = {
  /** The changes with these ids. */
  ids?: readonly string[];
  /** The first so many that wait. */
  first?: number;
  /** Go on with the next change after one that failed. */
  continueOnFailure?: boolean;
  /** What the caller is told. */
  reason?: string;
  /** What to run instead of what was queued, by change. */
  arguments?: Record<string, JsonObject>;
};

/** What came of approving a plan: the plan as it is now, and the outcome of each change that ran. */
export type PlanOutcome = {
  /** The plan as it is now. */
  plan: Plan;
  /** What came of each change that was chosen, in order; null where it was not run. */
  outcomes: { change: string; outcome: Outcome | null }[];
};

/** `pending` is what waits first, then the rest; both newest first. */
export const heldOrders = ["oldest", "newest", "pending"] as const;
export type HeldOrder = (typeof heldOrders)[number];

/** A part of a list: so many behind the one that was told last. */
export type HeldPart = { order: HeldOrder; limit: number; after: { id: string; waits: boolean } | null };

/** Later than any time there is, so that what is left of it counts down. */
const endOfTime = 8_640_000_000_000_000;

/** Where a held call stands in a list: texts that sort as the list does. */
export function heldPlace({ id, at, status }: HeldCall, order: HeldOrder): string {
  if (order === "oldest") return `${at} ${id}`;
  const fromTheEnd = String(endOfTime - Date.parse(at)).padStart(16, "0");
  const rank = order === "pending" && status !== "pending" ? 1 : 0;
  return `${rank} ${fromTheEnd} ${id}`;
}

/** The one that stands at a place. `waits` tells in which half of the order `pending` it stood. */
export function readHeldPlace(place: string): { id: string; waits: boolean } {
  return { id: place.slice(place.lastIndexOf(" ") + 1), waits: place.startsWith("0 ") };
}
