import { withoutUndefined } from "../../lib/json/plain-data.ts";
import { uniqueId } from "../../lib/stamps.ts";
import type { PlaneAudit } from "../../model/audit.ts";
import type { HeldYes, Injected, Outcome, Requested, Verdict } from "../../model/calls/call.ts";
import type {
  Answer,
  HeldView,
  KeptHeldCall,
  Plan,
  PlanChoice,
  PlanRecord,
  Remember,
} from "../../model/calls/held-call.ts";
import { heldPlace, readHeldPlace } from "../../model/calls/held-call.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { noCursor, readCursor, writeCursor } from "../../model/page.ts";
import type { PlaneApprovals, PlanePlans } from "../../model/plane-access.ts";
import { mayDo, type Principal } from "../../model/principal.ts";
import { type Asking, askPeople, resumed } from "./ask-people.ts";
import { graceMs, isAbandoned, isClaimed, viewOf } from "./held-call.ts";
import { createHeldCalls, type HeldCallPorts, type HeldCalls } from "./held-calls.ts";
import { createFingerprint, createRemembered, isRememberable } from "./remembered.ts";

/** How often to look for approved calls that a process abandoned. */
const sweepMs = 10_000;

export type ApprovalPorts = Pick<HeldCallPorts, "store" | "emit" | "checkArguments" | "onChangedElsewhere"> & {
  config(): Config;
  defaultPrincipal: Principal;
  run(call: Requested): Promise<Outcome>;
  fixedOf(tool: Tool): JsonObject;
  /** Leaves a record of an answer that no verb of the plane gave. */
  audit?: PlaneAudit["run"];
};

type HeldVerbs = {
  approvals: PlaneApprovals["list"];
  approvalPage: PlaneApprovals["page"];
  approval: PlaneApprovals["get"];
  answerApproval: PlaneApprovals["answer"];
  remembered: PlaneApprovals["remembered"];
  forgetRemembered: PlaneApprovals["forget"];
  plans: PlanePlans["list"];
  plan: PlanePlans["get"];
  approvePlan: PlanePlans["approve"];
  rejectPlan: PlanePlans["reject"];
};

export function createApprovals({ config, store, defaultPrincipal, run, fixedOf, audit, ...ports }: ApprovalPorts) {
  const fingerprint = createFingerprint(fixedOf);
  const settings = () => config().approvals;
  const heldCalls = createHeldCalls({ ...ports, store, instance: uniqueId(), settings, fingerprint });
  const remembered = createRemembered(store, fingerprint);
  const runner = createRunner({ heldCalls, remembered, run, remembersConsent: () => settings().rememberConsent });
  const seesAll = (principal: Principal) =>
    mayDo(principal, "admin") || settings().approvers.some((group) => principal.groups.includes(group));
  const maySee = (principal: Principal, owner: string | null) =>
    owner === null || owner === principal.user || seesAll(principal);
  const plans = createPlans({ store, heldCalls, answer: runner.answer, maySee });

  const verbs: HeldVerbs = {
    async approvals({ status, order = "oldest", principal = defaultPrincipal } = {}) {
      const held = await heldCalls.list({ plan: null, ...withoutUndefined({ status }) });
      const shown = held.filter((one) => maySee(principal, one.principal.user)).map(viewOf);
      if (order === "oldest") return shown;
      return shown.toSorted((a, b) => (heldPlace(a, order) < heldPlace(b, order) ? -1 : 1));
    },
    async approvalPage({ status, order = "oldest", limit, cursor }, { principal = defaultPrincipal } = {}) {
      const after = cursor === undefined ? null : readHeldPlace(readCursor(cursor));
      if (cursor !== undefined && after && !(await heldCalls.get(after.id))) throw noCursor(cursor);
      const shownTo = seesAll(principal) ? {} : { shownTo: principal.user };
      const filter = { plan: null, ...withoutUndefined({ status }), ...shownTo };
      const { held, last, total } = await heldCalls.part(filter, { order, limit, after });
      return { approvals: held.map(viewOf), total, nextCursor: last && writeCursor(heldPlace(last, order)) };
    },
    async approval(id, { principal = defaultPrincipal } = {}) {
      const held = await heldCalls.get(id);
      if (held && maySee(principal, held.principal.user)) return viewOf(held);
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
      return entry && `${entry.user ?? "an anonymous user"} said yes on ${entry.createdAt} to calls like this`;
    },
    fingerprint,
    hold: (call: Injected, verdict: Verdict, asking: Asking) =>
      askPeople(call, verdict, asking, {
        heldCalls,
        answer(id, given, by) {
          const { arguments: edited = {}, ...input } = given;
          const work = { operation: "approvals.answer", target: id, input: { ...input, edited: Object.keys(edited) } };
          const answering = () => runner.answer(id, given, by);
          return audit ? audit(work, { principal: by, face: call.face }, answering) : answering();
        },
      }),
    onApprovedEnd: runner.onEnd,
    start: runner.start,
    stop: runner.stop,
  };
}

type RunnerPorts = Pick<ApprovalPorts, "run"> & {
  heldCalls: HeldCalls;
  remembered: ReturnType<typeof createRemembered>;
  /** Does a yes count for the rest of the conversation? */
  remembersConsent(): boolean;
};

type Answered = { approval: HeldView; outcome?: Outcome };

/** Runs approved calls, each once. */
function createRunner({ heldCalls, remembered, run, remembersConsent }: RunnerPorts) {
  let sweeping: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Null where another process began it first. */
  async function resume(held: KeptHeldCall): Promise<Outcome | null> {
    const running = await heldCalls.begin(held.id).catch((thrown) => {
      if (thrown instanceof PlaneError && thrown.code === "CONFLICT") return null;
      throw thrown;
    });
    return running && run(resumed(running, { id: uniqueId(), at: new Date().toISOString() }));
  }

  async function answer(id: string, given: Answer, by: Principal): Promise<Answered> {
    const before = await heldCalls.get(id);
    // A yes that adds nothing to an earlier one.
    const isPlainYes = given.decision === "approve" && given.arguments === undefined && given.remember === undefined;
    if (before && isPlainYes && isAbandoned(before, Date.now())) {
      heldCalls.requireAnswerer(before, by);
      return ran(before, await resume(before));
    }
    const held = await heldCalls.answer(id, given, by);
    if (given.decision === "reject") return { approval: viewOf(held) };
    const meant = toRemember(held, given, remembersConsent());
    if (meant !== null) await remembered.add(held, meant);
    // A process that waits for the answer runs the call itself.
    return ran(held, isClaimed(held, Date.now()) ? null : await resume(held));
  }

  async function ran(held: KeptHeldCall, outcome: Outcome | null): Promise<Answered> {
    return { approval: viewOf((await heldCalls.get(held.id)) ?? held), ...(outcome ? { outcome } : {}) };
  }

  return {
    answer,
    async onEnd({ id }: HeldYes, { ok, call, error }: Outcome): Promise<void> {
      const status = ok ? "done" : error?.data.isVoid === true ? "void" : "failed";
      await heldCalls.finish(id, status, { callId: call.id, ok, code: error?.code ?? null });
    },
    start(): void {
      const look = async () => {
        const isSoonDue = await sweep(heldCalls, resume).catch(() => false);
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

async function sweep(heldCalls: HeldCalls, resume: (held: KeptHeldCall) => Promise<unknown>): Promise<boolean> {
  const approved = await heldCalls.list({ status: "approved" });
  const abandoned = approved.filter((held) => isAbandoned(held, Date.now()));
  // Not awaited: a long call must not delay the others.
  for (const held of abandoned) void resume(held).catch(() => undefined);
  // Listing settles those that have expired or were interrupted.
  await heldCalls.list({ status: "pending" });
  await heldCalls.list({ status: "running" });
  return abandoned.length < approved.length;
}

function toRemember({ verdict, options }: KeptHeldCall, given: Answer, remembersConsent: boolean): Remember | null {
  if (verdict.verdict !== "ask" || !isRememberable(verdict)) return null;
  const isConsent = verdict.consent && options.conversation !== undefined && remembersConsent;
  return given.remember ?? (isConsent ? { for: "tool", conversation: true } : null);
}

type PlanPorts = Pick<ApprovalPorts, "store"> & {
  heldCalls: HeldCalls;
  answer: ReturnType<typeof createRunner>["answer"];
  maySee(principal: Principal, owner: string | null): boolean;
};

/** Change plans: queued writes that run in their order once a person approves them. */
function createPlans({ store, heldCalls, answer, maySee }: PlanPorts) {
  async function get(id: string, principal: Principal): Promise<Plan> {
    const record = (await (await store()).plans()).find((plan) => plan.id === id);
    if (!record || !maySee(principal, record.user))
      throw new PlaneError("NOT_FOUND", `No plan '${id}'. 'toolplane plan show' shows the plans there are.`);
    return toPlan(record, await heldCalls.list({ plan: id }));
  }

  /** A plan without pending changes takes no more: what is queued next begins another. */
  async function close(id: string): Promise<void> {
    const pending = await heldCalls.list({ plan: id, status: "pending" });
    if (pending.length === 0) await (await store()).closePlan(id);
  }

  return {
    get,
    async list(principal: Principal): Promise<Plan[]> {
      const records = (await (await store()).plans()).filter(({ user }) => maySee(principal, user));
      return Promise.all(records.map(async (record) => toPlan(record, await heldCalls.list({ plan: record.id }))));
    },
    /** In order; the first failure ends it, unless `continueOnFailure` is set. */
    async approve(id: string, choice: PlanChoice, principal: Principal) {
      const outcomes: { change: string; outcome: Outcome | null }[] = [];
      for (const change of chosen(await get(id, principal), choice)) {
        const edited = withoutUndefined({ arguments: choice.arguments?.[change.id] });
        const { outcome = null } = await answer(change.id, { decision: "approve", ...edited }, principal);
        outcomes.push({ change: change.id, outcome });
        if (outcome?.ok !== true && !choice.continueOnFailure) break;
      }
      await close(id);
      return { plan: await get(id, principal), outcomes };
    },
    async reject(id: string, choice: PlanChoice, principal: Principal): Promise<Plan> {
      const rejection = { decision: "reject" as const, ...withoutUndefined({ reason: choice.reason }) };
      for (const change of chosen(await get(id, principal), choice)) await answer(change.id, rejection, principal);
      await close(id);
      return get(id, principal);
    },
  };
}

function chosen({ id, changes }: Plan, { ids, first, arguments: edited = {} }: PlanChoice): HeldView[] {
  if (first !== undefined && !(Number.isInteger(first) && first > 0))
    throw new PlaneError("USAGE", "'first' must be a whole number from 1 on.", { data: { parameter: "first" } });
  const busy = changes.find(({ status }) => status === "running" || status === "approved");
  if (busy) throw new PlaneError("CONFLICT", `Plan '${id}' is being run: '${busy.id}' (${busy.tool}) is not over yet.`);
  const pending = changes.filter(({ status }) => status === "pending");
  const unknown = ids?.find((wanted) => !pending.some((change) => change.id === wanted));
  if (unknown !== undefined)
    throw new PlaneError("NOT_FOUND", `Plan '${id}' has no change '${unknown}' that waits for an answer.`);
  const picked = ids === undefined ? pending : pending.filter((change) => ids.includes(change.id));
  const meant = picked.slice(0, first ?? picked.length);
  const stray = Object.keys(edited).find((change) => !meant.some((one) => one.id === change));
  if (stray === undefined) return meant;
  const text = `'${stray}' is given other arguments, but is none of the changes to be run.`;
  throw new PlaneError("USAGE", text, { data: { parameter: "arguments" } });
}

function toPlan(record: PlanRecord, changes: readonly KeptHeldCall[]): Plan {
  const count = (wanted: KeptHeldCall["status"]) => changes.filter(({ status }) => status === wanted).length;
  const pending = count("pending");
  const over = count("rejected") === changes.length ? "rejected" : "done";
  const status = pending === changes.length ? "pending" : pending > 0 ? "partly" : over;
  return { ...record, status, changes: changes.map(viewOf) };
}
