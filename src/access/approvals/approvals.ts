import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { uniqueId } from "../../lib/stamps.ts";
import type { HeldYes, Injected, Outcome, Requested, Verdict } from "../../model/calls/call.ts";
import {
  type Answer,
  type HeldOrder,
  type HeldView,
  heldPlace,
  type KeptHeldCall,
  type Plan,
  type PlanChoice,
  type PlanRecord,
  readHeldPlace,
} from "../../model/calls/held-call.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import { noCursor, readCursor, writeCursor } from "../../model/page.ts";
import { mayDo, type Principal } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import type { ApprovalVerbs } from "../../model/verbs.ts";

import { createFingerprint } from "./fingerprint.ts";
import { createHeldCalls, type HeldCallParts, type HeldCalls } from "./held-calls.ts";
import { type Asking, putToPeople, resumed } from "./put-to-people.ts";
import { createRemembered, isRememberable } from "./remembered.ts";
import { graceMs, isClaimed, isLeftBehind } from "./states.ts";
import { viewOf } from "./view.ts";

/** How often to look for what was approved and left behind by a process that is gone. */
const sweepMs = 10_000;

type Answered = { approval: HeldView; outcome?: Outcome };

type RunnerParts = {
  heldCalls: HeldCalls;
  remembered: ReturnType<typeof createRemembered>;
  run(call: Requested): Promise<Outcome>;
  /** Is a yes to this one a yes for the rest of its conversation? */
  remembersConsent(): boolean;
};

/** Runs what was approved, once. */
function createRunner({ heldCalls, remembered, run, remembersConsent }: RunnerParts) {
  let sweeping: NodeJS.Timeout | undefined;
  let isStopped = false;

  async function resume(held: KeptHeldCall): Promise<Outcome | null> {
    const running = await heldCalls.begin(held.id).catch(unlessConflict);
    return running && run(resumed(running, { id: uniqueId(), at: new Date().toISOString() }));
  }

  async function answer(id: string, given: Answer, by: Principal): Promise<Answered> {
    const before = await heldCalls.get(id);
    if (before && isPlainYes(given) && isLeftBehind(before, Date.now())) {
      heldCalls.requireAnswerer(before, by);
      return ran(before, await resume(before));
    }
    const held = await heldCalls.answer(id, given, by);
    if (given.decision === "reject") return { approval: viewOf(held) };
    await remember(held, given);
    // Whoever waits for it goes on with it.
    return ran(held, isClaimed(held, Date.now()) ? null : await resume(held));
  }

  async function ran(held: KeptHeldCall, outcome: Outcome | null): Promise<Answered> {
    const now = (await heldCalls.get(held.id)) ?? held;
    return { approval: viewOf(now), ...(outcome ? { outcome } : {}) };
  }

  async function remember(held: KeptHeldCall, { remember: asked }: Answer): Promise<void> {
    const { verdict, options } = held;
    if (verdict.verdict !== "ask" || !isRememberable(verdict)) return;
    if (asked !== undefined) await remembered.add(held, asked);
    else if (verdict.consent && options.conversation !== undefined && remembersConsent())
      await remembered.add(held, { for: "tool", conversation: true });
  }

  /** True when something was approved a moment ago and may yet turn out to be left behind. */
  async function sweep(): Promise<boolean> {
    const approved = await heldCalls.list({ status: "approved" });
    const left = approved.filter((held) => isLeftBehind(held, Date.now()));
    // A long call must not keep the others from being looked at.
    for (const held of left) void resume(held).catch(() => undefined);
    // Looking at them is what tells that their time is over.
    await heldCalls.list({ status: "pending" });
    await heldCalls.list({ status: "running" });
    return left.length < approved.length;
  }

  return {
    answer,
    async onEnd({ id }: HeldYes, { ok, call, error }: Outcome): Promise<void> {
      const status = ok ? "done" : error?.data.isVoid === true ? "void" : "failed";
      await heldCalls.finish(id, status, { callId: call.id, ok, code: error?.code ?? null });
    },
    /** From now on what was left behind is run, and what has expired is said to have. */
    start(): void {
      const look = async () => {
        const isSoonDue = await sweep().catch(() => false);
        if (!isStopped) sweeping = setTimeout(look, isSoonDue ? graceMs : sweepMs).unref();
      };
      void look();
    },
    stop(): void {
      isStopped = true;
      clearTimeout(sweeping);
      heldCalls.stop();
    },
  };
}

/** A yes that only says again what somebody has said before. */
function isPlainYes({ decision, arguments: args, remember }: Answer): boolean {
  return decision === "approve" && args === undefined && remember === undefined;
}

/** Another process was faster, which is as good. */
function unlessConflict(thrown: unknown): null {
  if (thrown instanceof PlaneError && thrown.code === "CONFLICT") return null;
  throw thrown;
}

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
    answerApproval: (id, answer, { principal = defaultPrincipal } = {}) => runner.answer(id, answer, principal),
    plans: ({ principal = defaultPrincipal } = {}) => plans.list(principal),
    plan: (id, { principal = defaultPrincipal } = {}) => plans.get(id, principal),
    approvePlan: (id, choice = {}, { principal = defaultPrincipal } = {}) => plans.approve(id, choice, principal),
    rejectPlan: (id, choice = {}, { principal = defaultPrincipal } = {}) => plans.reject(id, choice, principal),
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

type Parts = {
  store(): Promise<Store>;
  heldCalls: HeldCalls;
  answer: ReturnType<typeof createRunner>["answer"];
  /** May this principal see what belongs to that user? */
  isShown(principal: Principal, owner: string | null): boolean;
};

/** Writes that were queued, and a person's word on them: run in the order in which they were queued. */
function createPlans({ store, heldCalls, answer, isShown }: Parts) {
  async function get(id: string, principal: Principal): Promise<Plan> {
    const record = (await (await store()).plans()).find((plan) => plan.id === id);
    if (!record || !isShown(principal, record.user)) throw notFound(id);
    return toPlan(record, await heldCalls.list({ plan: id }));
  }

  /** Nothing is left to be answered, so what is queued from now on is another plan. */
  async function close(id: string): Promise<void> {
    const pending = await heldCalls.list({ plan: id, status: "pending" });
    if (pending.length === 0) await (await store()).closePlan(id);
  }

  return {
    get,
    async list(principal: Principal): Promise<Plan[]> {
      const records = (await (await store()).plans()).filter(({ user }) => isShown(principal, user));
      return Promise.all(records.map(async (record) => toPlan(record, await heldCalls.list({ plan: record.id }))));
    },
    /** One after the other; unless told otherwise, the first failure ends it and the rest waits. */
    async approve(id: string, choice: PlanChoice, principal: Principal) {
      const outcomes: { change: string; outcome: Outcome | null }[] = [];
      for (const change of chosen(await get(id, principal), choice)) {
        const edited = choice.arguments?.[change.id];
        const said = { decision: "approve" as const, ...(edited === undefined ? {} : { arguments: edited }) };
        const { outcome = null } = await answer(change.id, said, principal);
        outcomes.push({ change: change.id, outcome });
        if (outcome?.ok !== true && !choice.continueOnFailure) break;
      }
      await close(id);
      return { plan: await get(id, principal), outcomes };
    },
    async reject(id: string, choice: PlanChoice, principal: Principal): Promise<Plan> {
      const reason = choice.reason === undefined ? {} : { reason: choice.reason };
      for (const change of chosen(await get(id, principal), choice))
        await answer(change.id, { decision: "reject", ...reason }, principal);
      await close(id);
      return get(id, principal);
    },
  };
}

function chosen({ id, changes }: Plan, { ids, first, arguments: edited = {} }: PlanChoice): HeldView[] {
  if (first !== undefined && !(Number.isInteger(first) && first > 0))
    throw new PlaneError("USAGE", "'first' must be a whole number from 1 on.", {
      data: { parameter: "first" },
    });
  const busy = changes.find(({ status }) => status === "running" || status === "approved");
  if (busy) throw new PlaneError("CONFLICT", `Plan '${id}' is being run: '${busy.id}' (${busy.tool}) is not over yet.`);
  const pending = changes.filter(({ status }) => status === "pending");
  const unknown = ids?.find((wanted) => !pending.some((change) => change.id === wanted));
  if (unknown !== undefined)
    throw new PlaneError("NOT_FOUND", `Plan '${id}' has no change '${unknown}' that waits for an answer.`);
  const picked = ids === undefined ? pending : pending.filter((change) => ids.includes(change.id));
  const meant = picked.slice(0, first ?? picked.length);
  const unmeant = Object.keys(edited).find((change) => !meant.some((one) => one.id === change));
  if (unmeant !== undefined)
    throw new PlaneError("USAGE", `'${unmeant}' is given other arguments, but is none of the changes to be run.`, {
      data: { parameter: "arguments" },
    });
  return meant;
}

function toPlan(record: PlanRecord, changes: readonly KeptHeldCall[]): Plan {
  const pending = changes.filter(({ status }) => status === "pending").length;
  const rejected = changes.filter(({ status }) => status === "rejected").length;
  const status =
    pending === changes.length ? "pending" : pending > 0 ? "partly" : rejected === changes.length ? "rejected" : "done";
  return { ...record, status, changes: changes.map(viewOf) };
}

function notFound(id: string): PlaneError {
  return new PlaneError("NOT_FOUND", `No plan '${id}'. 'toolplane plan show' shows the plans there are.`);
}
