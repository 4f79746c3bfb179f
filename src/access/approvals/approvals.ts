import { uniqueId } from "../../lib/ids-and-time.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { PlaneAudit } from "../../model/audit.ts";
import type { HeldYes, Injected, Outcome, Requested } from "../../model/calls/call.ts";
import type { Verdict } from "../../model/calls/call-schema.ts";
import type {
  ApprovalAnswer,
  KeptHeldCall,
  PlanChoice,
  Remember,
} from "../../model/calls/held-call.ts";
import { heldPlace, readHeldPlace } from "../../model/calls/held-call.ts";
import type { HeldView, Plan, PlanRecord } from "../../model/calls/held-schema.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { noCursor, readCursor, writeCursor } from "../../model/page.ts";
import type { PlaneApprovals, PlanePlans } from "../../model/plane-access.ts";
import { type Inside, isOwner, mayDo, ownsRecord, type Principal } from "../../model/principal.ts";
import { originOfServer } from "../../model/servers/server.ts";
import { type AnswererPorts, type Answerers, asksOthers, createAnswerers } from "./answerers.ts";
import { type ApprovalContext, askPeople, resumed } from "./ask-people.ts";
import { graceMs, isAbandoned, isClaimed, viewOf } from "./held-call.ts";
import { createHeldCalls, type HeldCallPorts, type HeldCalls } from "./held-calls.ts";
import {
  atOrigin,
  createFingerprint,
  createRemembered,
  earlierFingerprints,
  isRememberable,
  type PlaceOf,
} from "./remembered.ts";

/** How often to look for approved calls that a process abandoned. */
const sweepMs = 10_000;

export type ApprovalPorts = Pick<
  HeldCallPorts,
  "store" | "emit" | "checkArguments" | "onChangedElsewhere"
> & {
  mayMake: AnswererPorts["mayMake"];
  config(): Config;
  run(call: Requested): Promise<Outcome>;
  fixedOf(tool: Tool): JsonObject;
  /** Leaves a record of an answer that no verb of the plane gave. */
  audit?: Inside<PlaneAudit>["run"];
};

type HeldVerbs = { approvals: Inside<PlaneApprovals>; plans: Omit<Inside<PlanePlans>, "check"> };

export function createApprovals(given: ApprovalPorts) {
  const { config, store, run, fixedOf, mayMake, audit, ...ports } = given;
  const originOf = (server: string | null) =>
    originOfServer(server === null ? undefined : config().servers[server]);
  const fingerprint = createFingerprint(fixedOf);
  const settings = () => config().approvals;
  const answerers = createAnswerers({ settings, mayMake });
  const heldCalls = createHeldCalls({
    ...ports,
    store,
    instance: uniqueId(),
    settings,
    answerers,
    fingerprint,
    originOf,
  });
  const placeOf: PlaceOf = (server, { directory = null }) =>
    server !== null && config().inWorkspace.includes(server) ? directory : null;
  const remembered = createRemembered(store, fingerprint, originOf, placeOf, settings);
  const remembersConsent = () => settings().rememberConsent && !asksOthers(settings());
  const runner = createRunner({ heldCalls, answerers, remembered, run, remembersConsent });
  const seesAll = (principal: Principal) =>
    mayDo(principal, "admin") ||
    settings().approvers.some((group) => principal.groups.includes(group));
  const maySee = (principal: Principal, { principal: owner }: Pick<HeldView, "principal">) =>
    owner.user === null || isOwner(principal, owner) || seesAll(principal);
  const plans = createPlans({
    store,
    heldCalls,
    answer: runner.answer,
    maySee: (principal, plan) =>
      plan.user === null || ownsRecord(principal, plan) || seesAll(principal),
  });

  const approvals: HeldVerbs["approvals"] = {
    async list({ status, order = "oldest", principal }) {
      const held = await heldCalls.list({ plan: null, ...withoutUndefined({ status }) });
      const shown = held.filter((one) => maySee(principal, one)).map(viewOf);
      if (order === "oldest") return shown;
      return shown.toSorted((a, b) => (heldPlace(a, order) < heldPlace(b, order) ? -1 : 1));
    },
    async page({ status, order = "oldest", limit, cursor }, { principal }) {
      const after = cursor === undefined ? null : readHeldPlace(readCursor(cursor));
      if (cursor !== undefined && after && !(await heldCalls.get(after.id))) throw noCursor(cursor);
      const shownTo = seesAll(principal) ? {} : { shownTo: principal.user };
      const filter = { plan: null, ...withoutUndefined({ status }), ...shownTo };
      const { held, last, total: all } = await heldCalls.part(filter, { order, limit, after });
      const shown = held.filter((one) => maySee(principal, one));
      const isWhole = seesAll(principal);
      // The store counts all of the user.
      const total = isWhole
        ? all
        : (await heldCalls.list(filter)).filter((one) => maySee(principal, one)).length;
      return {
        approvals: shown.map(viewOf),
        total,
        nextCursor: last && writeCursor(heldPlace(last, order)),
      };
    },
    async get(id, { principal }) {
      const held = await heldCalls.get(id);
      if (held && maySee(principal, held)) return viewOf(held);
      throw new PlaneError(
        "NOT_FOUND",
        `No approval '${id}'. 'toolplane approvals list' shows what waits.`,
      );
    },
    async answer(id, answer, { principal }) {
      const { hasRun: _, ...answered } = await runner.answer(id, answer, principal);
      return answered;
    },
    remembered: ({ principal }) => remembered.list(principal),
    forget: (id, { principal }) => remembered.forget(id, principal),
  };

  const verbs: HeldVerbs = {
    approvals,
    plans: {
      list: ({ principal }) => plans.list(principal),
      get: (id, { principal }) => plans.get(id, principal),
      approve: (id, choice = {}, { principal }) => plans.approve(id, choice, principal),
      reject: (id, choice = {}, { principal }) => plans.reject(id, choice, principal),
    },
  };

  return {
    verbs,
    async remembered(call: Injected, verdict: Verdict): Promise<string | null> {
      const entry = await remembered.covers(call, verdict);
      return (
        entry &&
        `${entry.user ?? "an anonymous user"} approved calls like this on ${entry.createdAt}`
      );
    },
    isSameTool(tool: Tool, approved: string): boolean {
      const now = fingerprint(tool);
      // Version 0.2 kept no origin, and may hold calls beside this one during an upgrade.
      const earlier = [now, ...earlierFingerprints(tool, fixedOf(tool))];
      return [atOrigin(now, originOf(tool.id.server)), ...earlier].includes(approved);
    },
    hold: (call: Injected, verdict: Verdict, asking: ApprovalContext) =>
      askPeople(call, verdict, asking, {
        heldCalls,
        mayAnswer: answerers.mayAnswer,
        answer(id, given, by) {
          const { arguments: edited = {}, ...input } = given;
          const work = {
            operation: "approvals.answer",
            target: id,
            input: { ...input, edited: Object.keys(edited) },
          };
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
  answerers: Answerers;
  remembered: ReturnType<typeof createRemembered>;
  /** Does a yes count for the rest of the conversation? */
  remembersConsent(): boolean;
};

type Answered = { approval: HeldView; outcome?: Outcome };
/** `hasRun` also where the result is not for the one who answered. */
type Ran = Answered & { hasRun: boolean | null };

/** Runs approved calls, each once. */
function createRunner({ heldCalls, answerers, remembered, run, remembersConsent }: RunnerPorts) {
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

  async function answer(id: string, given: ApprovalAnswer, by: Principal): Promise<Ran> {
    const before = await heldCalls.get(id);
    // A yes that adds nothing to an earlier one.
    const isPlainYes =
      given.decision === "approve" && given.arguments === undefined && given.remember === undefined;
    if (before && isPlainYes && isAbandoned(before, Date.now())) {
      await heldCalls.requireAnswerer(before, given, by);
      return ran(before, await resume(before), by);
    }
    const held = await heldCalls.answer(id, given, by);
    if (held.status !== "approved") return { approval: viewOf(held), hasRun: null };
    const meant = toRemember(held, given, remembersConsent());
    if (meant !== null) await remembered.add(held, meant, by);
    // A process that waits for the answer runs the call itself.
    return ran(held, isClaimed(held, Date.now()) ? null : await resume(held), by);
  }

  /** The result goes to the caller; to the one who answered only where it could be theirs. */
  async function ran(held: KeptHeldCall, outcome: Outcome | null, by: Principal): Promise<Ran> {
    const approval = viewOf((await heldCalls.get(held.id)) ?? held);
    const hasRun = outcome?.ok ?? null;
    return outcome && (await answerers.maySeeResult(held, by))
      ? { approval, outcome, hasRun }
      : { approval, hasRun };
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

async function sweep(
  heldCalls: HeldCalls,
  resume: (held: KeptHeldCall) => Promise<unknown>,
): Promise<boolean> {
  const approved = await heldCalls.list({ status: "approved" });
  const abandoned = approved.filter((held) => isAbandoned(held, Date.now()));
  // Not awaited: a long call must not delay the others.
  for (const held of abandoned) void resume(held).catch(() => undefined);
  // Listing settles those that have expired or were interrupted.
  await heldCalls.list({ status: "pending" });
  await heldCalls.list({ status: "running" });
  return abandoned.length < approved.length;
}

function toRemember(
  { verdict, options }: KeptHeldCall,
  given: ApprovalAnswer,
  remembersConsent: boolean,
): Remember | null {
  if (verdict.verdict !== "ask" || !isRememberable(verdict)) return null;
  const isConsent = verdict.consent && options.conversation !== undefined && remembersConsent;
  return given.remember ?? (isConsent ? { for: "tool", conversation: true } : null);
}

type PlanPorts = Pick<ApprovalPorts, "store"> & {
  heldCalls: HeldCalls;
  answer: ReturnType<typeof createRunner>["answer"];
  maySee(principal: Principal, plan: PlanRecord): boolean;
};

/** Change plans: queued writes that run in their order once a person approves them. */
function createPlans({ store, heldCalls, answer, maySee }: PlanPorts) {
  async function get(id: string, principal: Principal): Promise<Plan> {
    const record = (await (await store()).plans()).find((plan) => plan.id === id);
    if (!record || !maySee(principal, record))
      throw new PlaneError(
        "NOT_FOUND",
        `No plan '${id}'. 'toolplane plan show' shows the plans there are.`,
      );
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
      const records = (await (await store()).plans()).filter((plan) => maySee(principal, plan));
      return Promise.all(
        records.map(async (record) => toPlan(record, await heldCalls.list({ plan: record.id }))),
      );
    },
    /** In order; the first failure ends it, unless `continueOnFailure` is set. */
    async approve(id: string, choice: PlanChoice, principal: Principal) {
      const outcomes: { change: string; outcome: Outcome | null }[] = [];
      for (const change of chosen(await get(id, principal), choice)) {
        const edited = withoutUndefined({ arguments: choice.arguments?.[change.id] });
        const { outcome = null, hasRun } = await answer(
          change.id,
          { decision: "approve", ...edited },
          principal,
        );
        outcomes.push({ change: change.id, outcome });
        if (hasRun !== true && !choice.continueOnFailure) break;
      }
      await close(id);
      return { plan: await get(id, principal), outcomes };
    },
    async reject(id: string, choice: PlanChoice, principal: Principal): Promise<Plan> {
      const rejection = {
        decision: "reject" as const,
        ...withoutUndefined({ reason: choice.reason }),
      };
      for (const change of chosen(await get(id, principal), choice))
        await answer(change.id, rejection, principal);
      await close(id);
      return get(id, principal);
    },
  };
}

function chosen(
  { id, changes }: Plan,
  { ids, first, arguments: edited = {} }: PlanChoice,
): HeldView[] {
  if (first !== undefined && !(Number.isInteger(first) && first > 0))
    throw new PlaneError("USAGE", "'first' must be an integer >= 1.", {
      data: { parameter: "first" },
    });
  const busy = changes.find(({ status }) => status === "running" || status === "approved");
  if (busy)
    throw new PlaneError(
      "CONFLICT",
      `Plan '${id}' is being run: '${busy.id}' (${busy.tool}) is not over yet.`,
    );
  const pending = changes.filter(({ status }) => status === "pending");
  const unknown = ids?.find((wanted) => !pending.some((change) => change.id === wanted));
  if (unknown !== undefined)
    throw new PlaneError(
      "NOT_FOUND",
      `Plan '${id}' has no change '${unknown}' that waits for an answer.`,
    );
  const picked = ids === undefined ? pending : pending.filter((change) => ids.includes(change.id));
  const meant = picked.slice(0, first ?? picked.length);
  const stray = Object.keys(edited).find((change) => !meant.some((one) => one.id === change));
  if (stray === undefined) return meant;
  const text = `'${stray}' is given other arguments, but is none of the changes to be run.`;
  throw new PlaneError("USAGE", text, { data: { parameter: "arguments" } });
}

function toPlan({ owner: _, ...record }: PlanRecord, changes: readonly KeptHeldCall[]): Plan {
  const count = (wanted: KeptHeldCall["status"]) =>
    changes.filter(({ status }) => status === wanted).length;
  const pending = count("pending");
  const over = count("rejected") === changes.length ? "rejected" : "done";
  const status = pending === changes.length ? "pending" : pending > 0 ? "partly" : over;
  return { ...record, status, changes: changes.map(viewOf) };
}
