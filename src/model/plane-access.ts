import type {
  ApprovalsMethods,
  DefaultsMethods,
  GrantsMethods,
  KeysMethods,
  PeopleMethods,
  PlansMethods,
  QuestionsMethods,
  TokensMethods,
} from "../../generated/plane-methods.ts";
import type { CreatedApiKey, NewApiKey, TokenGiven } from "./access/credentials.ts";
import type { Invited, PersonAsked } from "./access/person.ts";
import type { PolicyRule } from "./access/policy.ts";
import type { Outcome, PolicyMode } from "./calls/call.ts";
import type {
  ApprovalAnswer,
  HeldOrder,
  HeldStatus,
  PlanChoice,
  PlanOutcome,
} from "./calls/held-call.ts";
import type { HeldView, Plan } from "./calls/held-schema.ts";
import type { PolicyPreview, PolicyTest } from "./calls/policy-schema.ts";
import type { PlanCheck } from "./calls/tool-plan.ts";
import type { ToolId } from "./catalogue/tool.ts";
import type { JsonObject } from "./json.ts";
import type { URLSearchParams } from "./platform.ts";
import type { Caller, Principal } from "./principal.ts";

export type ApprovalsAsked = {
  status?: HeldStatus | undefined;
  order?: HeldOrder;
  limit: number;
  /** Where the last page ended. */
  cursor?: string | undefined;
};
type ApprovalPage = { approvals: HeldView[]; total: number; nextCursor: string | null };

export interface PlaneApprovals extends ApprovalsMethods {
  /**
   * The caller's held calls and those they may answer, oldest first by default.
   * @example
   * for (const { id, tool, shown } of await plane.approvals.list({ status: "pending" })) console.log(id, tool, shown);
   */
  list(caller?: Caller & { status?: HeldStatus; order?: HeldOrder }): Promise<HeldView[]>;
  /** `list` in pages; `total` counts all. */
  page(asked: ApprovalsAsked, caller?: Caller): Promise<ApprovalPage>;
  /**
   * The first answer counts. An approved call runs here, or where its caller waits.
   * @example
   * for (const { id } of await plane.approvals.list({ status: "pending" })) {
   *   const { outcome } = await plane.approvals.answer(id, { decision: "approve" });
   *   if (outcome?.ok) console.log(outcome.result.content);
   * }
   */
  answer(
    id: string,
    answer: ApprovalAnswer,
    caller?: Caller,
  ): Promise<{ approval: HeldView; outcome?: Outcome }>;
}

/** Defaults that changed since the version that made the store. */
export interface PlaneDefaults extends DefaultsMethods {}

/** Change plans (writes queued by plan mode) and checks of plans of steps. */
export interface PlanePlans extends PlansMethods {
  /** Newest first. */
  list(caller?: Caller): Promise<Plan[]>;
  /**
   * Approves and runs changes in order. Default: all that wait.
   * @example
   * for (const { id } of await plane.plans.list()) await plane.plans.approve(id, { first: 2 });
   */
  approve(id: string, choice?: PlanChoice, caller?: Caller): Promise<PlanOutcome>;
  /** Default: all that wait. */
  reject(id: string, choice?: PlanChoice, caller?: Caller): Promise<Plan>;
  /**
   * What is wrong with a plan, a script or steps as JSON, before it runs.
   * @example
   * const { ok, problems } = await plane.plans.check("toolplane call demo.add a:=1 b:=2");
   */
  check(text: string, caller?: Caller): Promise<PlanCheck>;
}

export interface PlanePolicy {
  /**
   * The verdict on a call, without making it.
   * @example
   * const { verdict, reason } = await plane.policy.test("git.push", { force: true });
   */
  test(
    tool: string | ToolId,
    args?: JsonObject,
    caller?: Caller & { mode?: PolicyMode },
  ): Promise<PolicyTest>;
  /**
   * The verdicts on the last calls that would be others under these rules, which nothing is changed to. For admins.
   * @example
   * const { calls, changes } = await plane.policy.preview([{ server: "git", verdict: "ask" }]);
   * console.log(changes.length, "of", calls);
   */
  preview(rules: readonly PolicyRule[], caller?: Caller): Promise<PolicyPreview>;
}

export interface PlaneKeys extends KeysMethods {
  /**
   * The only time that the secret is returned. For admins.
   * @example
   * const { key, secret } = await plane.keys.create({ name: "ci", user: "build", scopes: ["call"] });
   * console.log(key.id, secret.length);
   */
  create(key: NewApiKey, caller?: Caller): Promise<CreatedApiKey>;
  /** True when it was valid; `forget` also deletes its record. For admins. */
  revoke(id: string, options?: Caller & { forget?: boolean }): Promise<boolean>;
}

/** `at` is the address that a token is shown at, which has to be its audience; by default `auth.publicUrl`. */
export type TokenShown = { at?: string | undefined };

export interface PlaneIdentity {
  /** The caller of calls that name none. */
  usualCaller(): Principal;
  /**
   * Who this token belongs to; without one the local user, unless credentials are needed.
   * @example
   * const principal = await plane.identity.identify(null);
   * await plane.call("demo.greet", { name: "Ann" }, { principal });
   */
  identify(token: string | null, shown?: TokenShown): Promise<Principal>;
  /** As `identify(null)`, at once; null where a credential is needed, or where that is not known yet. */
  anonymous(): Principal | null;
  /** Must callers authenticate? */
  needsCredentials(): Promise<boolean>;
  /** The authorization server at this address of the plane; null where `auth.server` is not configured. */
  signInFront(origin: string): Promise<SignInFront | null>;
  /** Who is signed in in the page of a request; null where no one is, or only a cookie says it. Takes the request of Node. */
  personAt(origin: string, request: object): Promise<Principal | null>;
  /** Sessions of browsers that showed a credential, for all planes on one store. */
  browsers: BrowserPlace;
  /** Sign-ins at servers behind the plane that browsers have begun, for all planes on one store. */
  begun: BegunPlace;
  /** Rejects where other machines reach the plane and no one could sign in. */
  requireSignIn(): Promise<void>;
}

/** Sealed under the cookie; each is over half a day after it was kept for the last time. */
export type BrowserPlace = {
  keep(cookie: string, session: { credential: string; page: string }): Promise<void>;
  find(cookie: string): Promise<{ credential: string; page: string } | null>;
  end(cookie: string): Promise<void>;
};

/** Who began a sign-in, and the hash of what their browser alone knows. */
export type BegunSignIn = { principal: Principal; browser: string };

/** Sealed under the state; each is over after ten minutes. */
export type BegunPlace = {
  keep(state: string, begun: BegunSignIn): Promise<void>;
  find(state: string): Promise<BegunSignIn | null>;
  /** True once. */
  take(state: string): Promise<boolean>;
};

/** Answers requests below `/oauth`, `/sign-in` and its metadata; takes the request and the response of Node. */
export type SignInFront = {
  handle(request: object, response: object): void;
  /** Signs the browser of a request out. */
  end(request: object): Promise<void>;
};

/** What clients may do for people. */
export interface PlaneGrants extends GrantsMethods {}

/** Who may sign in. For admins. */
export interface PlanePeople extends PeopleMethods {
  /**
   * The link lets one person choose a passkey or a password; it is returned this once.
   * @example
   * const { url } = await plane.people.invite({ user: "ann@example.org", groups: ["ops"] });
   * console.log(url.length);
   */
  invite(person: PersonAsked, caller?: Caller): Promise<Invited>;
}

/** The person signs in at `url`. */
type SignIn = { url: string; finished: Promise<void>; cancel(): void };

/** A person's credentials for servers. */
export interface PlaneTokens extends TokensMethods {
  set(server: string, token: TokenGiven, caller?: Caller): Promise<void>;
  /** Begins an OAuth sign-in; the browser returns to `redirectUri`. */
  beginSignIn(
    server: string,
    redirectUri: string,
    caller?: Caller,
  ): Promise<{ url: string; state: string }>;
  /** The same with a local listener for the browser's return. */
  signIn(server: string, caller?: Caller): Promise<SignIn>;
  /** Takes the parameters the browser returned with. */
  finishSignIn(parameters: URLSearchParams, caller?: Caller): Promise<{ server: string }>;
}

/** Questions of servers during calls. */
export interface PlaneQuestions extends QuestionsMethods {}
