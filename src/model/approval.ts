import type { JsonObject } from "./json.ts";
import type { Face, Principal } from "./principal.ts";

export type ApprovalStatus = "pending" | "approved" | "rejected";

/** A question that waits for a person. */
export type Approval = {
  id: string;
  callId: string;
  at: string;
  tool: string;
  arguments: JsonObject;
  principal: Principal;
  face: Face;
  reason: string;
  status: ApprovalStatus;
  answer: ApprovalAnswer | null;
};

export type ApprovalAnswer = {
  decision: Exclude<ApprovalStatus, "pending">;
  by: string;
  at: string;
  reason: string | null;
};
