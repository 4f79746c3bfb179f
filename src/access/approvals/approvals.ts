import { uniqueId } from "../../lib/ids-and-time.ts";
import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { PlaneAudit } from "../../model/audit.ts";
import type { HeldYes, Injected, Outcome, Requested } from "../../model/calls/call.ts";
import type { Verdict } from "../../model/calls/call-schema.ts";
import type {
  ApprovalAnswer,
  HeldOpen,
  KeptHeldCall,
  Remember,
} from "../../model/calls/held-call.ts";
import { heldSortKey, readHeldSortKey } from "../../model/calls/held-call.ts";
import type { HeldView } from "../../model/calls/held-schema.ts";
import type { Tool } from "../../model/catalogue/tool.ts";
import type { Config } from "../../model/config/config.ts";
import { PlaneError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { noCursor, readCursor, writeCursor } from "../../model/page.ts";
import type { PlaneApprovals, PlanePlans } from "../../model/plane-access.ts";
import { type Inside, isOwner, mayDo, ownsRecord, type Principal } from "../../model/principal.ts";
import { originOfServer } from "../../model/servers/server.ts";
import type { Profile } from "../policy/decide.ts";
import { type AnswererPorts, type Answerers, asksOthers, createAnswerers } from "./answerers.ts";
import {
  type ApprovalContext,
  askPeople,
  type HoldPorts,
  joinEarlier,
  plainContext,
  resumed,
} from "./ask-people.ts";
import { createEqualCalls } from "./equal-calls.ts";
import { type EndStatus, graceMs, isAbandoned, isClaimed, keptOf, viewOf } from "./held-call.ts";
import { createHeldCalls, type HeldCallPorts, type HeldCalls } from "./held-calls.ts";
import { createPlans } from "./plans.ts";
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

/** How often to look for records of calls that were over when a plane was killed. */
const closeMs = 600_000;

/** How long a question lives by default. */
const usualLifeMs = { personal: 3_600_000, shared: 86_400_000 };
/** What it was before 0.4. */
const formerLifeMs = 300_000;

export type ApprovalPorts = Pick<
  HeldCallPorts,
  "store" | "emit" | "checkArguments" | "onChangedElsewhere" | "recordEnd"
> & {
  mayMake: AnswererPorts["mayMake"];
  config(): Config;
  profile(): Profile | Promise<Profile>;
  /** Was the life of a question before 0.4 kept? */
  livesAsBefore(): Promise<boolean>;
  isSessionOver(session: string): Promise<boolean>;
  /** Records that say that a call waits which is over. */
  closeRecords(findHeldCall: (id: string) => Promise<KeptHeldCall | null>): Promise<void>;
  run(call: Requested): Promise<Outcome>;
  fixedOf(tool: Tool): JsonObject;
  /** Leaves a record of an answer that no verb of the plane gave. */
  audit?: Inside<PlaneAudit>["run"];
};

type HeldVerbs = { approvals: Inside<PlaneApprovals>; plans: Omit<Inside<PlanePlans>, "check"> };

export function createApprovals(parts: ApprovalPorts) {
  const {
    config,
    profile,
    livesAsBefore,
    store,
    run,
    fixedOf,
    mayMake,
    audit,
    isSessionOver,
    closeRecords,
    ...ports
  } = parts;

  function originOf(server: string | null) {
    return originOfServer(server === null ? undefined : config().servers[server]);
  }

  const fingerprint = createFingerprint(fixedOf);
  const settings = () => config().approvals;
  const answerers = createAnswerers({ settings, mayMake });
  const heldCalls = createHeldCalls({
    ...ports,
    store,
    instance: uniqueId(),
    settings,
    async expireMs() {
      const { expireMs } = settings();
      if (expireMs !== undefined) return expireMs;
      if (await livesAsBefore()) return formerLifeMs;
      return usualLifeMs[(await profile()) === "personal" ? "personal" : "shared"];
    },
    answerers,
    fingerprint,
    originOf,
  });
  const equalCalls = createEqualCalls({ store, heldCalls, isSessionOver });
  const placeOf: PlaceOf = (server, { directory = null }) =>
    server !== null && config().inWorkspace.includes(server) ? directory : null;
  const remembered = createRemembered(store, fingerprint, originOf, placeOf, settings);
  const remembersConsent = () => settings().rememberConsent && !asksOthers(settings());
  const runner = createRunner({ heldCalls, answerers, remembered, run, remembersConsent });

  function seesAll(principal: Principal) {
    return (
      mayDo(principal, "admin") ||
      settings().approvers.some((group) => principal.groups.includes(group))
    );
  }

  function maySee(principal: Principal, { principal: owner }: Pick<HeldView, "principal">) {
    return owner.user === null || isOwner(principal, owner) || seesAll(principal);
  }

  const plans = createPlans({
    store,
    heldCalls,
    answer: runner.answer,
    maySee: (principal, plan) =>
      plan.user === null || ownsRecord(principal, plan) || seesAll(principal),
  });

  const approvals: HeldVerbs["approvals"] = {
    async list({ status, order = "oldest", principal }) {
      const calls = await heldCalls.list({ plan: null, ...withoutUndefined({ status }) });
      const views = calls.filter((call) => maySee(principal, call)).map(viewOf);
      if (order === "oldest") return views;
      return views.toSorted((a, b) => (heldSortKey(a, order) < heldSortKey(b, order) ? -1 : 1));
    },
    async page({ status, order = "oldest", limit, cursor }, { principal }) {
      const after = cursor === undefined ? null : readHeldSortKey(readCursor(cursor));
      if (cursor !== undefined && after && !(await heldCalls.get(after.id))) throw noCursor(cursor);
      const shownTo = seesAll(principal) ? {} : { shownTo: principal.user };
      const filter = { plan: null, ...withoutUndefined({ status }), ...shownTo };
      const {
        held: calls,
        last,
        total: storeTotal,
      } = await heldCalls.part(filter, { order, limit, after });
      const visibleCalls = calls.filter((call) => maySee(principal, call));
      const isWhole = seesAll(principal);
      // The store counts all of the user.
      const total = isWhole
        ? storeTotal
        : (await heldCalls.list(filter)).filter((call) => maySee(principal, call)).length;
      return {
        approvals: visibleCalls.map(viewOf),
        total,
        nextCursor: last && writeCursor(heldSortKey(last, order)),
      };
    },
    async get(id, { principal }) {
      const heldCall = await heldCalls.get(id);
      if (heldCall && maySee(principal, heldCall)) return viewOf(heldCall);
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

  function answerOn(face: Injected["face"]): HoldPorts["answer"] {
    return (id, answer, by) => {
      const { arguments: edited = {}, ...input } = answer;
      const work = {
        operation: "approvals.answer",
        target: id,
        input: { ...input, edited: Object.keys(edited) },
      };
      const answering = () => runner.answer(id, answer, by);
      if (audit) return audit(work, { principal: by, face }, answering);
      return answering();
    };
  }

  const holding = {
    heldCalls,
    equalCalls,
    settings,
    mayAnswer: answerers.mayAnswer,
    forms: new Set<string>(),
    resume: runner.resume,
  };

  let closing: NodeJS.Timeout | undefined;

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
      const currentFingerprint = fingerprint(tool);
      // Version 0.2 kept no origin, and may hold calls beside this one during an upgrade.
      const earlier = [currentFingerprint, ...earlierFingerprints(tool, fixedOf(tool))];
      return [atOrigin(currentFingerprint, originOf(tool.id.server)), ...earlier].includes(
        approved,
      );
    },
    hold: (call: Injected, verdict: Verdict, context: ApprovalContext) =>
      askPeople(call, verdict, plainContext(context), { ...holding, answer: answerOn(call.face) }),
    join: (call: Injected, verdict: Verdict, heldOpen: HeldOpen, context: ApprovalContext) =>
      joinEarlier(
        call,
        verdict,
        { ...plainContext(context), heldOpen },
        { ...holding, answer: answerOn(call.face) },
      ),
    hasOpen: equalCalls.hasOpen,
    conversationEnded: equalCalls.conversationEnded,
    onApprovedEnd: runner.onEnd,
    start(): void {
      runner.start();
      const closeAll = () => void closeRecords(heldCalls.get).catch(() => undefined);
      void equalCalls.start().catch(() => undefined);
      closeAll();
      closing = setInterval(closeAll, closeMs).unref();
    },
    stop(): void {
      clearInterval(closing);
      runner.stop();
      equalCalls.stop();
    },
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
  async function resume(heldCall: KeptHeldCall): Promise<Outcome | null> {
    const running = await heldCalls.begin(heldCall.id).catch((thrown) => {
      if (thrown instanceof PlaneError && thrown.code === "CONFLICT") return null;
      throw thrown;
    });
    if (running === null) return null;
    const { callId, calledAt: waitedSince = running.at } = running;
    return run(resumed(running, { id: callId, at: new Date().toISOString(), waitedSince }));
  }

  async function answer(id: string, reply: ApprovalAnswer, by: Principal): Promise<Ran> {
    const abandoned = await heldCalls.get(id);
    // A yes that adds nothing to an earlier one.
    const isPlainYes =
      reply.decision === "approve" && reply.arguments === undefined && reply.remember === undefined;
    if (abandoned && isPlainYes && isAbandoned(abandoned, Date.now())) {
      await heldCalls.requireAnswerer(abandoned, reply, by);
      return ran(abandoned, await resume(abandoned), by);
    }
    const heldCall = await heldCalls.answer(id, reply, by);
    if (heldCall.status !== "approved") return { approval: viewOf(heldCall), hasRun: null };
    const meant = toRemember(heldCall, reply, remembersConsent());
    if (meant !== null) await remembered.add(heldCall, meant, by);
    // A process that waits for the answer runs the call itself.
    return ran(heldCall, isClaimed(heldCall, Date.now()) ? null : await resume(heldCall), by);
  }

  /** The result goes to the caller; to the one who answered only where it could be theirs. */
  async function ran(heldCall: KeptHeldCall, outcome: Outcome | null, by: Principal): Promise<Ran> {
    const approval = viewOf((await heldCalls.get(heldCall.id)) ?? heldCall);
    const hasRun = outcome?.ok ?? null;
    if (!outcome || !(await answerers.maySeeResult(heldCall, by))) return { approval, hasRun };
    return { approval, outcome, hasRun };
  }

  return {
    answer,
    resume,
    async onEnd({ id, isAwaited }: HeldYes, outcome: Outcome): Promise<void> {
      const { ok, call, error } = outcome;
      const status = endStatus(outcome);
      const endedAt = new Date().toISOString();
      const keptOutcome = isAwaited ? null : keptOf(outcome);
      await heldCalls.finish(
        id,
        status,
        { callId: call.id, ok, code: error?.code ?? null, at: endedAt },
        keptOutcome,
      );
    },
    start(): void {
      async function sweepOnTime() {
        const isSoonDue = await sweep(heldCalls, resume).catch(() => false);
        if (!isStopped) sweeping = setTimeout(sweepOnTime, isSoonDue ? graceMs : sweepMs).unref();
      }

      void sweepOnTime();
    },
    stop(): void {
      isStopped = true;
      clearTimeout(sweeping);
      heldCalls.stop();
    },
  };
}

function endStatus({ ok, error }: Outcome): EndStatus {
  if (error?.data.isVoid === true) return "void";
  return ok ? "done" : "failed";
}

async function sweep(
  heldCalls: HeldCalls,
  resume: (heldCall: KeptHeldCall) => Promise<unknown>,
): Promise<boolean> {
  const approved = await heldCalls.list({ status: "approved" });
  const abandoned = approved.filter((heldCall) => isAbandoned(heldCall, Date.now()));
  // Not awaited: a long call must not delay the others.
  for (const heldCall of abandoned) void resume(heldCall).catch(() => undefined);
  // Listing settles those that have expired or were interrupted.
  await heldCalls.list({ status: "pending" });
  await heldCalls.list({ status: "running" });
  return abandoned.length < approved.length;
}

function toRemember(
  { verdict, options }: KeptHeldCall,
  reply: ApprovalAnswer,
  remembersConsent: boolean,
): Remember | null {
  if (verdict.verdict !== "ask" || !isRememberable(verdict)) return null;
  const isConsent = verdict.consent && options.conversation !== undefined && remembersConsent;
  return reply.remember ?? (isConsent ? { for: "tool", conversation: true } : null);
}
