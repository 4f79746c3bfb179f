import type { Outcome, PolicyMode, Verdict } from "./calls/call.ts";
import type {
  Answer,
  HeldOrder,
  HeldStatus,
  HeldView,
  Plan,
  PlanChoice,
  PlanOutcome,
  Remembered,
} from "./calls/held-call.ts";
import type { ToolId } from "./catalogue/tool.ts";
import type { JsonObject } from "./json.ts";
import type { Caller } from "./principal.ts";

/** What the policy says about a call, and what it takes the tool for. */
export type PolicyTest = Verdict & {
  tool: string;
  effect: { effect: "read" | "write" | "unknown"; because: string };
};

export type ApprovalsAsked = {
  status?: HeldStatus | undefined;
  order?: HeldOrder;
  limit: number;
  /** Where the page before ended. */
  cursor?: string | undefined;
};
export type ApprovalPage = { approvals: HeldView[]; total: number; nextCursor: string | null };

/** What is decided about calls, by the policy and by people. */
export interface ApprovalVerbs {
  /**
   * What the policy says about a call, without making it.
   *
   * @example
   * const { verdict, reason } = await plane.testPolicy("git.push", { force: true });
   */
  testPolicy(tool: string | ToolId, args?: JsonObject, caller?: Caller & { mode?: PolicyMode }): Promise<PolicyTest>;
  /**
   * What waits for a person, oldest first unless `order` says otherwise: the caller's, and what else they may see.
   *
   * @example
   * for (const { id, tool, shown } of await plane.approvals({ status: "pending" })) console.log(id, tool, shown);
   */
  approvals(caller?: Caller & { status?: HeldStatus; order?: HeldOrder }): Promise<HeldView[]>;
  /** The same, so many at a time; `total` counts all of them. */
  approvalPage(asked: ApprovalsAsked, caller?: Caller): Promise<ApprovalPage>;
  /** One held call. */
  approval(id: string, caller?: Caller): Promise<HeldView>;
  /**
   * The first answer counts. What was approved runs, here or where its caller waits.
   *
   * @example
   * const { outcome } = await plane.answerApproval(id, { decision: "approve" });
   * if (outcome?.ok) console.log(outcome.result.content);
   */
  answerApproval(id: string, answer: Answer, caller?: Caller): Promise<{ approval: HeldView; outcome?: Outcome }>;
  /** The change plans, newest first. */
  plans(caller?: Caller): Promise<Plan[]>;
  /** One change plan with its changes. */
  plan(id: string, caller?: Caller): Promise<Plan>;
  /**
   * Approves changes of a plan and runs them in order; all that wait when `choice` is left out.
   *
   * @example
   * await plane.approvePlan(plan.id, { first: 2 });
   */
  approvePlan(id: string, choice?: PlanChoice, caller?: Caller): Promise<PlanOutcome>;
  /** Rejects changes of a plan; all that wait when `choice` is left out. */
  rejectPlan(id: string, choice?: PlanChoice, caller?: Caller): Promise<Plan>;
  /** The answers of the caller that are good for more than one call. */
  remembered(caller?: Caller): Promise<Remembered[]>;
  /** Forgets a remembered answer. True when there was one. */
  forgetRemembered(id: string, caller?: Caller): Promise<boolean>;
}
