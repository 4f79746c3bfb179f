import { steadyNow } from "../../lib/async/steady-time.ts";
import { sameJson } from "../../lib/json/plain-data.ts";
import type { Injected } from "../../model/calls/call.ts";
import type { Verdict } from "../../model/calls/call-schema.ts";
import type {
  ApprovalAnswer,
  Delivery,
  HeldFilter,
  HeldPart,
  KeptHeldCall,
  KeptOutcome,
  Remember,
} from "../../model/calls/held-call.ts";
import type { HeldCall } from "../../model/calls/held-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { JsonObject, UnknownObject } from "../../model/json.ts";
import { ownerOf, type Principal } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import type { Answerers, ApprovalSettings } from "./answerers.ts";
import {
  answered,
  approvalLeaseMs,
  type EndStatus,
  lease,
  notPending,
  settle,
  withBegin,
  withEnd,
} from "./held-call.ts";
import type { OriginOf } from "./remembered.ts";

const maxRememberMs = 10 * 366 * 86_400_000;

export type HeldCallPorts = {
  store(): Promise<Store>;
  emit(event: PlaneEvent): void;
  instance: string;
  settings(): ApprovalSettings;
  /** How long a question lives. */
  expireMs(): Promise<number>;
  /** How a call ended whose record says that it waits. */
  recordEnd(heldCall: KeptHeldCall): Promise<void>;
  answerers: Answerers;
  fingerprint(tool: Injected["tool"]): string;
  originOf: OriginOf;
  onChangedElsewhere?: ((listener: (id: string) => void) => () => void) | undefined;
  checkArguments(heldCall: HeldCall, args: JsonObject): Promise<void>;
};

/** Held calls in the store. They settle when they are read; revisions keep two changes apart. */
function createHeldStore(
  store: HeldCallPorts["store"],
  onChange: (heldCall: KeptHeldCall) => Promise<void>,
) {
  /** When those made here expire: a changed clock neither ends nor prolongs them. */
  const expiries = new Map<string, number>();

  function nowFor({ id, status, expiresAt }: KeptHeldCall): number {
    const steadyExpiry = expiries.get(id);
    if (steadyExpiry === undefined || expiresAt === null) return Date.now();
    if (status === "pending") return Date.parse(expiresAt) + steadyNow() - steadyExpiry;
    expiries.delete(id);
    return Date.now();
  }

  async function get(id: string): Promise<KeptHeldCall | null> {
    const heldCall = await (await store()).heldCall(id);
    return heldCall && settled(heldCall);
  }

  async function requireHeld(id: string): Promise<KeptHeldCall> {
    const heldCall = await get(id);
    if (heldCall) return heldCall;
    const text = `No call '${id}' waits for an answer. 'toolplane approvals list' shows which do.`;
    throw new PlaneError("NOT_FOUND", text);
  }

  async function settled(heldCall: KeptHeldCall): Promise<KeptHeldCall> {
    const settledCall = settle(heldCall, nowFor(heldCall));
    if (settledCall === heldCall) return heldCall;
    const replaced = await replace(settledCall);
    if (replaced === null) return (await get(heldCall.id)) ?? heldCall;
    await onChange(replaced);
    return replaced;
  }

  async function settledBy({ status: filterStatus }: HeldFilter, calls: readonly KeptHeldCall[]) {
    const settledCalls = await Promise.all(calls.map(settled));
    if (filterStatus === undefined) return settledCalls;
    return settledCalls.filter(({ status }) => status === filterStatus);
  }

  async function replace(heldCall: KeptHeldCall): Promise<KeptHeldCall | null> {
    const isReplaced = await (await store()).replaceHeldCall(heldCall);
    return isReplaced ? { ...heldCall, revision: heldCall.revision + 1 } : null;
  }

  return {
    get,
    requireHeld,
    async add(heldCall: KeptHeldCall, forMs: number): Promise<KeptHeldCall> {
      const added = await add(heldCall, await store());
      for (const [id, steadyExpiry] of expiries) {
        if (steadyExpiry >= steadyNow() - forMs) break;
        expiries.delete(id);
      }
      expiries.set(heldCall.id, steadyNow() + forMs);
      return added;
    },
    /** Applies a change to the newest revision; `how` throws where that cannot be changed so. */
    async change(id: string, how: (heldCall: KeptHeldCall) => KeptHeldCall): Promise<KeptHeldCall> {
      for (;;) {
        const changed = await replace(how(await requireHeld(id)));
        if (changed === null) continue;
        await onChange(changed);
        return changed;
      }
    },
    /** Of a call that runs here or whose caller waits here. That is no news to anyone. */
    async renewLease(id: string, instance: string): Promise<void> {
      const heldCall = await (await store()).heldCall(id);
      if (heldCall?.status === "running" || heldCall?.status === "pending")
        await replace({ ...heldCall, claim: lease(instance, Date.now()) });
    },
    list: async (filter: HeldFilter) => settledBy(filter, await (await store()).heldCalls(filter)),
    async part(filter: HeldFilter, part: HeldPart) {
      const { heldCalls, countHeldCalls } = await store();
      const calls = await heldCalls(filter, { ...part, limit: part.limit + 1 });
      const page = calls.slice(0, part.limit);
      const last = calls.length > part.limit ? (page.at(-1) ?? null) : null;
      return { held: await settledBy(filter, page), last, total: await countHeldCalls(filter) };
    },
  };
}

/** A queued call becomes a change of the open plan of its conversation. */
async function add(
  heldCall: KeptHeldCall,
  { addHeldCall, addChange }: Store,
): Promise<KeptHeldCall> {
  const { at: createdAt, principal, options, verdict } = heldCall;
  const ownerFields = { user: principal.user, owner: ownerOf(principal) };
  const plan = {
    id: newId(),
    ...ownerFields,
    conversation: options.conversation ?? null,
    createdAt,
  };
  if (verdict.verdict === "queue") return { ...heldCall, plan: await addChange(heldCall, plan) };
  await addHeldCall(heldCall);
  return heldCall;
}

export type HeldCalls = ReturnType<typeof createHeldCalls>;

/** How a held call is asked about. */
export type Holding = {
  /** Does its caller wait for the answer? */
  isAwaited: boolean;
  client?: UnknownObject | undefined;
  delivery?: Delivery | undefined;
};

/** Calls that wait for a person. They are stored before they are announced. */
export function createHeldCalls(ports: HeldCallPorts) {
  const { emit, instance, settings } = ports;
  const waiters = new Map<string, Set<() => void>>();
  const listeners = new Set<(heldCall: KeptHeldCall) => void>();
  const heartbeats = new Map<string, NodeJS.Timeout>();

  function wakeAll(id: string) {
    for (const wake of waiters.get(id) ?? []) wake();
  }

  const unsubscribe = ports.onChangedElsewhere?.((id) => {
    wakeAll(id);
    if (listeners.size > 0) void hearOf(id).catch(() => undefined);
  });
  const {
    add: keep,
    requireHeld,
    renewLease,
    change,
    ...reads
  } = createHeldStore(ports.store, async (heldCall) => {
    emit({ type: "approval.changed", ...namesOf(heldCall), status: heldCall.status });
    wakeAll(heldCall.id);
    for (const listen of listeners) listen(heldCall);
    // Where the store does not take it now, the look for records that were left waiting does it later.
    if (isOverUnrecorded(heldCall)) await ports.recordEnd(heldCall).catch(() => undefined);
  });

  async function hearOf(id: string): Promise<void> {
    const heldCall = await (await ports.store()).heldCall(id);
    if (heldCall === null) return;
    for (const listen of listeners) listen(heldCall);
  }

  async function requireAnswerer(
    heldCall: KeptHeldCall,
    reply: ApprovalAnswer,
    by: Principal,
    edited: JsonObject | null = null,
  ) {
    const refusal = await ports.answerers.refuses(heldCall, reply, by, edited);
    if (refusal === null) return;
    emit({
      type: "approval.forbidden",
      approvalId: heldCall.id,
      callId: heldCall.callId,
      user: by.user,
    });
    throw refusal;
  }

  return {
    ...reads,
    instance,
    requireAnswerer,
    change,
    renewLease: (id: string) => renewLease(id, instance),
    async hold(call: Injected, verdict: Verdict, holding: Holding): Promise<KeptHeldCall> {
      const origin = ports.originOf(call.tool.id.server);
      const { approvalExpireMs = Number.POSITIVE_INFINITY } = call.options;
      const expireMs = Math.min(await ports.expireMs(), approvalExpireMs);
      const { allowEdit, threshold } = settings();
      const fingerprint = ports.fingerprint(call.tool);
      const life = { expireMs, allowEdit, threshold };
      const request = { ...holding, ...life, verdict, fingerprint, origin, instance };
      const heldCall = await keep(newHeldCall(call, request), expireMs);
      emit({ type: "approval.requested", ...namesOf(heldCall) });
      return heldCall;
    },
    async answer(id: string, reply: ApprovalAnswer, by: Principal): Promise<KeptHeldCall> {
      const heldCall = await requireHeld(id);
      await requireAnswerer(heldCall, { decision: "reject" }, by);
      if (heldCall.status !== "pending") throw notPending(heldCall);
      const edited = checkAnswer(heldCall, reply);
      await requireAnswerer(heldCall, reply, by, edited);
      if (edited !== null) await ports.checkArguments(heldCall, edited);
      const { decision, reason = null } = reply;
      const creators = by.keyCreators === undefined ? {} : { keyCreators: by.keyCreators };
      const answer = {
        decision,
        by: by.user,
        ...creators,
        at: new Date().toISOString(),
        reason,
        arguments: edited,
      };
      return change(id, (newest) => answered(newest, answer));
    },
    /** No other process begins it from here on; the lease is renewed for as long as it runs. */
    async begin(id: string): Promise<KeptHeldCall> {
      const running = await change(id, (newest) => withBegin(newest, instance, Date.now()));
      const beat = () => void renewLease(id, instance).catch(() => undefined);
      heartbeats.set(id, setInterval(beat, approvalLeaseMs / 3).unref());
      return running;
    },
    async finish(
      id: string,
      status: EndStatus,
      outcome: KeptHeldCall["outcome"],
      keptOutcome: KeptOutcome | null,
    ): Promise<void> {
      clearInterval(heartbeats.get(id));
      heartbeats.delete(id);
      await change(id, (newest) => withEnd(newest, status, outcome, keptOutcome));
    },
    watch(id: string, wake: () => void): () => void {
      const watching = waiters.get(id) ?? new Set();
      waiters.set(id, watching.add(wake));
      return () => {
        watching.delete(wake);
        if (watching.size === 0) waiters.delete(id);
      };
    },
    /** Of every held call that changes, here or on another plane. */
    onNews(listener: (heldCall: KeptHeldCall) => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop(): void {
      unsubscribe?.();
      for (const timer of heartbeats.values()) clearInterval(timer);
    },
  };
}

function namesOf({ id, callId, tool, plan }: KeptHeldCall) {
  return { approvalId: id, callId, tool, plan };
}

/** The changed arguments; null where they are those that were shown. Throws what this call cannot be answered with. */
function checkAnswer(heldCall: HeldCall, reply: ApprovalAnswer): JsonObject | null {
  if (reply.decision === "reject") return null;
  if (reply.remember !== undefined) checkRemember(heldCall, reply.remember);
  const { arguments: args } = reply;
  if (args === undefined || sameJson(args, heldCall.arguments)) return null;
  if (heldCall.allowEdit) return args;
  const why =
    heldCall.threshold === undefined
      ? "'approvals.allowEdit' is false"
      : "several people approve the same call";
  const text = `The arguments of '${heldCall.id}' cannot be changed: ${why}. Leave 'arguments' out, or reject it.`;
  throw new PlaneError("USAGE", text, { data: { parameter: "arguments" } });
}

/** Remembering more than was meant does harm, so what is unclear is refused. */
function checkRemember(
  { id, options, threshold }: HeldCall,
  { conversation, forMs, arguments: globs }: Remember,
): void {
  const refuse = (text: string) =>
    new PlaneError("USAGE", text, { data: { parameter: "remember" } });
  if (threshold !== undefined)
    throw refuse(`'${id}' takes ${threshold} people, so one of them cannot decide permanently.`);
  if (conversation && options.conversation === undefined) {
    const remedy = "Leave 'conversation' out, or give 'forMs'";
    throw refuse(
      `'${id}' belongs to no conversation, so no yes can be remembered for it alone. ${remedy}.`,
    );
  }
  if (forMs !== undefined && !(Number.isFinite(forMs) && forMs > 0 && forMs <= maxRememberMs))
    throw refuse("'remember.forMs' must be a number of milliseconds above 0, at most ten years.");
  if (globs !== undefined && Object.keys(globs).length === 0)
    throw refuse(
      "'remember.arguments' names no argument, which would be a yes to all. Name some, or leave it out.",
    );
}

/** What ran left a record. Of what did not, or whose end is not known, the plane leaves one. */
function isOverUnrecorded({ status, onRecord, calledAt }: KeptHeldCall): boolean {
  if (status === "interrupted") return true;
  const hasNotRun = status === "rejected" || status === "expired" || status === "cancelled";
  // Those of version 0.3 do not say it, and few of their callers waited.
  const isOnRecord = onRecord === true || calledAt === undefined;
  return hasNotRun && isOnRecord;
}

type HoldRequest = Pick<ApprovalSettings, "allowEdit" | "threshold"> &
  Holding & {
    verdict: Verdict;
    expireMs: number;
    fingerprint: string;
    origin: string | null;
    instance: string;
  };

const maxClientName = 100;

/** As the client names itself, cut to what a person reads. */
function clientOf({ name, version }: UnknownObject = {}): Pick<HeldCall, "client"> {
  if (typeof name !== "string" || name === "") return {};
  const short = (text: string) => text.slice(0, maxClientName);
  const client = { name: short(name) };
  return { client: typeof version === "string" ? { ...client, version: short(version) } : client };
}

function newHeldCall(call: Injected, request: HoldRequest): KeptHeldCall {
  const now = Date.now();
  const { verdict, fingerprint, origin, expireMs, allowEdit, threshold, isAwaited } = request;
  const heldAt = new Date(now).toISOString();
  return {
    id: newId(),
    plan: null,
    callId: call.id,
    at: heldAt,
    calledAt: call.at,
    expiresAt: verdict.verdict === "queue" ? null : new Date(now + expireMs).toISOString(),
    tool: call.tool.name,
    toolId: call.tool.id,
    fingerprint,
    ...(origin === null ? {} : { origin }),
    arguments: call.input.arguments,
    ...(call.judged?.before ? { before: call.judged.before } : {}),
    injected: Object.keys(call.injected.values),
    principal: call.principal,
    face: call.face,
    ...clientOf(request.client),
    options: call.options,
    verdict,
    allowEdit: allowEdit && threshold === 1,
    ...(threshold === 1 ? {} : { threshold }),
    status: "pending",
    answer: null,
    outcome: null,
    claim: isAwaited ? lease(request.instance, now) : null,
    caller: { state: isAwaited ? "waits" : "told", at: heldAt },
    ...(isAwaited ? {} : { onRecord: true }),
    ...(request.delivery === undefined ? {} : { delivery: request.delivery }),
    revision: 0,
  };
}

function newId(): string {
  return process.getBuiltinModule("node:crypto").randomUUID();
}
