import { uniqueId } from "../../lib/unique-id.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { ApprovalVerbs } from "../../model/approval-verbs.ts";
import type { Injected, Outcome, Requested, Verdict } from "../../model/call.ts";
import type { Config } from "../../model/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { HeldView } from "../../model/held-call.ts";
import { type HeldOrder, heldPlace, readHeldPlace } from "../../model/held-order.ts";
import type { JsonObject } from "../../model/json.ts";
import { noCursor, readCursor, writeCursor } from "../../model/page.ts";
import { mayDo, type Principal } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import type { Tool } from "../../model/tool.ts";
import { createFingerprint } from "./fingerprint.ts";
import { createHeldCalls, type HeldCallParts } from "./held-calls.ts";
import { createPlans } from "./plans.ts";
import { type Asking, putToPeople } from "./put-to-people.ts";
import { createRemembered } from "./remembered.ts";
import { createRunner } from "./runner.ts";
import { viewOf } from "./view.ts";

export type ApprovalParts = {
  config(): Config;
  store(): Promise<Store>;
  emit(event: PlaneEvent): void;
  defaultPrincipal: Principal;
  run(call: Requested): Promise<Outcome>;
  checkArguments: HeldCallParts["checkArguments"];
  onChangedElsewhere?: HeldCallParts["onChangedElsewhere"];
  /** What is sent with each call of a tool, because the configuration says so. */
  fixedOf(tool: Tool): JsonObject;
};

export type HeldVerbs = Omit<ApprovalVerbs, "testPolicy">;

/** What waits for a person, and what they say. */
export function createApprovals({
  config,
  store,
  emit,
  defaultPrincipal,
  run,
  checkArguments,
  fixedOf,
  onChangedElsewhere,
}: ApprovalParts) {
  const fingerprint = createFingerprint(fixedOf);
  const settings = () => config().approvals;
  const approvers = () => settings().approvers;
  const heldCalls = createHeldCalls({
    store,
    emit,
    instance: uniqueId(),
    settings,
    fingerprint,
    checkArguments,
    ...(onChangedElsewhere ? { onChangedElsewhere } : {}),
  });
  const remembered = createRemembered(store, fingerprint);
  const runner = createRunner({
    heldCalls,
    remembered,
    run,
    remembersConsent: () => settings().rememberConsent,
  });
  const seesAll = (principal: Principal) =>
    mayDo(principal, "admin") || approvers().some((group) => principal.groups.includes(group));
  const isShown = (principal: Principal, owner: string | null) =>
    owner === null || owner === principal.user || seesAll(principal);
  const plans = createPlans({ store, heldCalls, answer: runner.answer, isShown });

  const verbs: HeldVerbs = {
    async approvals({ status, order = "oldest", principal = defaultPrincipal } = {}) {
      const held = await heldCalls.list({ plan: null, ...(status === undefined ? {} : { status }) });
      const shown = held.filter((one) => isShown(principal, one.principal.user)).map(viewOf);
      return order === "oldest" ? shown : inOrder(shown, order);
    },
    async approvalPage({ status, order = "oldest", limit, cursor }, { principal = defaultPrincipal } = {}) {
      const after = cursor === undefined ? null : readHeldPlace(readCursor(cursor));
      if (cursor !== undefined && after && !(await heldCalls.get(after.id))) throw noCursor(cursor);
      const filter = {
        plan: null,
        ...withoutUndefined({ status }),
        ...(seesAll(principal) ? {} : { shownTo: principal.user }),
      };
      const { held, last, total } = await heldCalls.part(filter, { order, limit, after });
      const nextCursor = last && writeCursor(heldPlace(last, order));
      return { approvals: held.map(viewOf), total, nextCursor };
    },
    async approval(id, { principal = defaultPrincipal } = {}) {
      const held = await heldCalls.get(id);
      if (held && isShown(principal, held.principal.user)) return viewOf(held);
      throw new PlaneError("NOT_FOUND", `No approval '${id}'. 'toolplane approvals list' shows what waits.`);
    },
    answerApproval: (id, answer, { principal = defaultPrincipal } = {}) =>
      runner.answer(id, answer, principal),
    plans: ({ principal = defaultPrincipal } = {}) => plans.list(principal),
    plan: (id, { principal = defaultPrincipal } = {}) => plans.get(id, principal),
    approvePlan: (id, choice = {}, { principal = defaultPrincipal } = {}) =>
      plans.approve(id, choice, principal),
    rejectPlan: (id, choice = {}, { principal = defaultPrincipal } = {}) =>
      plans.reject(id, choice, principal),
    remembered: ({ principal = defaultPrincipal } = {}) => remembered.list(principal),
    forgetRemembered: (id, { principal = defaultPrincipal } = {}) => remembered.forget(id, principal),
  };

  return {
    verbs,
    async remembered(call: Injected, verdict: Verdict): Promise<string | null> {
      const entry = await remembered.covers(call, verdict);
      return entry && `${entry.user ?? "somebody"} said yes on ${entry.createdAt} to calls like this`;
    },
    fingerprint,
    hold: (call: Injected, verdict: Verdict, asking: Asking) =>
      putToPeople(call, verdict, asking, { heldCalls, answer: runner.answer }),
    onApprovedEnd: runner.onEnd,
    start: runner.start,
    stop: runner.stop,
  };
}

function inOrder(held: readonly HeldView[], order: HeldOrder): HeldView[] {
  const placed = held.map((one) => ({ one, place: heldPlace(one, order) }));
  return placed.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ one }) => one);
}
