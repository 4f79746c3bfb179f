import type { ApiKey, CreatedApiKey, NewApiKey, TokenGiven, TokenStatus } from "./access/credentials.ts";
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
import type { Question, QuestionAnswer } from "./calls/provider.ts";
import type { PlanCheck } from "./calls/tool-plan.ts";
import type { ToolId } from "./catalogue/tool.ts";
import type { JsonObject } from "./json.ts";
import type { URLSearchParams } from "./platform.ts";
import type { Caller, Principal } from "./principal.ts";

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

/** Calls that wait for a person. */
export interface PlaneApprovals {
  /**
   * What waits for a person, oldest first unless `order` says otherwise: the caller's, and what else they may see.
   *
   * @example
   * for (const { id, tool, shown } of await plane.approvals.list({ status: "pending" })) console.log(id, tool, shown);
   */
  list(caller?: Caller & { status?: HeldStatus; order?: HeldOrder }): Promise<HeldView[]>;
  /** The same, so many at a time; `total` counts all of them. */
  page(asked: ApprovalsAsked, caller?: Caller): Promise<ApprovalPage>;
  /** One held call. */
  get(id: string, caller?: Caller): Promise<HeldView>;
  /**
   * The first answer counts. What was approved runs, here or where its caller waits.
   *
   * @example
   * const { outcome } = await plane.approvals.answer(id, { decision: "approve" });
   * if (outcome?.ok) console.log(outcome.result.content);
   */
  answer(id: string, answer: Answer, caller?: Caller): Promise<{ approval: HeldView; outcome?: Outcome }>;
  /** The answers of the caller that are good for more than one call. */
  remembered(caller?: Caller): Promise<Remembered[]>;
  /** Forgets a remembered answer. True when there was one. */
  forget(id: string, caller?: Caller): Promise<boolean>;
}

/** Change plans: writes queued by plan mode; and plans of steps that are checked. */
export interface PlanePlans {
  /** The change plans, newest first. */
  list(caller?: Caller): Promise<Plan[]>;
  /** One change plan with its changes. */
  get(id: string, caller?: Caller): Promise<Plan>;
  /**
   * Approves changes of a plan and runs them in order; all that wait when `choice` is left out.
   *
   * @example
   * await plane.plans.approve(plan.id, { first: 2 });
   */
  approve(id: string, choice?: PlanChoice, caller?: Caller): Promise<PlanOutcome>;
  /** Rejects changes of a plan; all that wait when `choice` is left out. */
  reject(id: string, choice?: PlanChoice, caller?: Caller): Promise<Plan>;
  /**
   * What is wrong with a plan, a script or its steps as JSON, before anything of it runs.
   *
   * @example
   * const { ok, problems } = await plane.plans.check("toolplane call demo.add a:=1 b:=2");
   */
  check(text: string, caller?: Caller): Promise<PlanCheck>;
}

/** What the policy decides. */
export interface PlanePolicy {
  /**
   * What the policy says about a call, without making it.
   *
   * @example
   * const { verdict, reason } = await plane.policy.test("git.push", { force: true });
   */
  test(tool: string | ToolId, args?: JsonObject, caller?: Caller & { mode?: PolicyMode }): Promise<PolicyTest>;
}

/** API keys. */
export interface PlaneKeys {
  /** The API keys without their secrets, revoked and expired ones among them; for admins. */
  list(caller?: Caller): Promise<ApiKey[]>;
  /** The secret is told this once. For admins. */
  create(key: NewApiKey, caller?: Caller): Promise<CreatedApiKey>;
  /** True when it could be used until now; `forget` takes its record away, too. For admins. */
  revoke(id: string, options?: Caller & { forget?: boolean }): Promise<boolean>;
}

/** Who calls. */
export interface PlaneIdentity {
  /** Who calls when a call does not say. */
  usualCaller(): Principal;
  /** Who shows this token; without one the person at this machine, as long as nobody has to prove anything. */
  identify(token: string | null): Promise<Principal>;
  /** Does everybody have to say who they are? */
  needsCredentials(): Promise<boolean>;
}

/** A sign-in under way: the person goes to `url`. */
type SignIn = { url: string; finished: Promise<void>; cancel(): void };

/** How a person is known to servers. */
export interface PlaneTokens {
  /** The tokens that are kept for the caller, without the tokens. */
  list(caller?: Caller): Promise<TokenStatus[]>;
  /** Keeps a token for the caller and a server. */
  set(server: string, token: TokenGiven, caller?: Caller): Promise<void>;
  /** True when there was one. */
  forget(server: string, caller?: Caller): Promise<boolean>;
  /** Begins an OAuth sign-in: the browser goes to `url` and comes back to `redirectUri`. */
  beginSignIn(server: string, redirectUri: string, caller?: Caller): Promise<{ url: string; state: string }>;
  /** The same with a listener on this machine that the browser comes back to. */
  signIn(server: string, caller?: Caller): Promise<SignIn>;
  /** Ends a sign-in with the parameters that the browser came back with. */
  finishSignIn(parameters: URLSearchParams, caller?: Caller): Promise<{ server: string }>;
}

/** What servers ask a person in the middle of calls. */
export interface PlaneQuestions {
  /**
   * What servers ask the caller's person in the middle of calls.
   *
   * @example
   * for (const { id, message } of await plane.questions.list()) await plane.questions.answer(id, { action: "decline" });
   */
  list(caller?: Caller): Promise<Question[]>;
  /** Answers a server's question; the call that asked it goes on. */
  answer(question: string, answer: QuestionAnswer, caller?: Caller): Promise<void>;
}
