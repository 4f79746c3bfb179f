import { sameJson } from "../../lib/json/plain-data.ts";
import type { Injected, Verdict } from "../../model/calls/call.ts";
import type {
  Answer,
  GivenAnswer,
  HeldCall,
  HeldFilter,
  HeldPart,
  KeptHeldCall,
  Remember,
} from "../../model/calls/held-call.ts";
import { PlaneError } from "../../model/errors.ts";
import type { PlaneEvent } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Principal } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import { answered, begun, ended, lease, leaseMs, notPending, settle } from "./states.ts";

/** What a person changed the arguments to; null when they are what was shown. Throws what cannot be said to this call. */
function checkAnswer(held: HeldCall, given: Answer): GivenAnswer["arguments"] {
  if (given.decision === "reject") return null;
  if (given.remember !== undefined) checkRemember(held, given.remember);
  const { arguments: args } = given;
  // An empty object is an edit like any other.
  if (args === undefined || sameJson(args, held.arguments)) return null;
  if (held.allowEdit) return args;
  throw refuse(
    "arguments",
    `The arguments of '${held.id}' cannot be changed: 'approvals.allowEdit' is false. Leave 'arguments' out, or reject it.`,
  );
}

/** What is remembered for less than was meant does no harm; what is remembered for more does. */
function checkRemember({ id, options }: HeldCall, { conversation, forMs, arguments: globs }: Remember): void {
  if (conversation && options.conversation === undefined)
    throw refuse(
      "remember",
      `'${id}' belongs to no conversation, so no yes can be remembered for it alone. Leave 'conversation' out, or give 'forMs'.`,
    );
  if (forMs !== undefined && !(Number.isFinite(forMs) && forMs > 0 && forMs <= maxMs))
    throw refuse("remember", "'remember.forMs' must be a number of milliseconds above 0, at most ten years.");
  if (globs !== undefined && Object.keys(globs).length === 0)
    throw refuse(
      "remember",
      "'remember.arguments' names no argument, which would be a yes to all. Name some, or leave it out.",
    );
}

const maxMs = 10 * 366 * 86_400_000;

function refuse(parameter: string, message: string): PlaneError {
  return new PlaneError("USAGE", message, { data: { parameter } });
}

export type HeldCallParts = {
  store(): Promise<Store>;
  emit(event: PlaneEvent): void;
  /** Who this process is to the others that share the store. */
  instance: string;
  settings(): { timeoutMs: number; allowEdit: boolean; approvers: readonly string[] };
  fingerprint(tool: Injected["tool"]): string;
  /** Told which held call another plane has changed, where the store can tell. */
  onChangedElsewhere?(listener: (id: string) => void): () => void;
  /** Throws what is wrong with changed arguments. */
  checkArguments(held: HeldCall, args: JsonObject): Promise<void>;
};

export type HeldCalls = ReturnType<typeof createHeldCalls>;

/** Calls that wait for a person: stored before anybody hears of them, changed by one at a time. */
export function createHeldCalls({
  store,
  emit,
  instance,
  settings,
  fingerprint,
  checkArguments,
  onChangedElsewhere,
}: HeldCallParts) {
  const waiters = new Map<string, () => void>();
  const deafen = onChangedElsewhere?.((id) => waiters.get(id)?.());
  const beating = new Map<string, NodeJS.Timeout>();

  /** The call as it is now, or null when there is none. */
  async function get(id: string): Promise<KeptHeldCall | null> {
    const held = await (await store()).heldCall(id);
    return held && settled(held);
  }

  async function settled(held: KeptHeldCall): Promise<KeptHeldCall> {
    const now = settle(held, Date.now());
    if (now === held) return held;
    const next = await replace(now);
    if (next === null) return (await get(held.id)) ?? held;
    announce(next);
    return next;
  }

  /** Without those over which time has passed. */
  async function settledBy({ status: wanted }: HeldFilter, found: readonly KeptHeldCall[]) {
    const now = await Promise.all(found.map(settled));
    return wanted === undefined ? now : now.filter(({ status }) => status === wanted);
  }

  async function replace(held: KeptHeldCall): Promise<KeptHeldCall | null> {
    const replaced = await (await store()).replaceHeldCall(held);
    return replaced ? { ...held, revision: held.revision + 1 } : null;
  }

  /** Applies a change to the newest state; `change` throws when that state is none for it. */
  async function change(id: string, how: (held: KeptHeldCall) => KeptHeldCall): Promise<KeptHeldCall> {
    for (;;) {
      const held = (await get(id)) ?? notFound(id);
      const next = await replace(how(held));
      if (next === null) continue;
      announce(next);
      return next;
    }
  }

  function announce(held: KeptHeldCall): void {
    const { id, callId, tool, status, plan } = held;
    emit({ type: "approval.changed", approvalId: id, callId, tool, status, plan });
    waiters.get(id)?.();
  }

  async function hold(call: Injected, verdict: Verdict, waits: boolean): Promise<KeptHeldCall> {
    const isChange = verdict.verdict === "queue";
    const asked = { verdict, fingerprint: fingerprint(call.tool), ...settings() };
    const held = newHeldCall(call, asked, waits ? instance : null);
    const kept = await keep(held, isChange);
    const { id, callId, tool, plan } = kept;
    emit({ type: "approval.requested", approvalId: id, callId, tool, plan });
    return kept;
  }

  async function keep(held: KeptHeldCall, isChange: boolean): Promise<KeptHeldCall> {
    const { addHeldCall, addChange } = await store();
    if (!isChange) {
      await addHeldCall(held);
      return held;
    }
    const { at: createdAt, principal, options } = held;
    const plan = {
      id: newId(),
      user: principal.user,
      conversation: options.conversation ?? null,
      createdAt,
    };
    return { ...held, plan: await addChange(held, plan) };
  }

  /** From here on nobody begins it again, and as long as it runs the others are told so. */
  async function begin(id: string): Promise<KeptHeldCall> {
    const running = await change(id, (newest) => begun(newest, instance, Date.now()));
    const beat = () =>
      void replaceIf(id, (newest) =>
        newest.status === "running" ? { ...newest, claim: lease(instance, Date.now()) } : null,
      ).catch(() => undefined);
    beating.set(id, setInterval(beat, leaseMs / 3).unref());
    return running;
  }

  async function replaceIf(id: string, how: (held: KeptHeldCall) => KeptHeldCall | null): Promise<void> {
    const held = await (await store()).heldCall(id);
    const next = held && how(held);
    if (next) await replace(next);
  }

  async function finish(id: string, ...[status, outcome]: End): Promise<void> {
    clearInterval(beating.get(id));
    beating.delete(id);
    await change(id, (newest) => ended(newest, status, outcome));
  }

  function requireAnswerer({ id, callId, principal }: KeptHeldCall, by: Principal): void {
    if (mayAnswer({ principal }, by, settings().approvers)) return;
    emit({ type: "approval.forbidden", approvalId: id, callId, user: by.user });
    throw new PlaneError(
      "FORBIDDEN",
      `'${id}' is not yours to answer: it waits for whoever made the call. If you made it under another name, answer under that one (--user).`,
    );
  }

  async function answer(id: string, given: Answer, by: Principal): Promise<KeptHeldCall> {
    const held = (await get(id)) ?? notFound(id);
    requireAnswerer(held, by);
    if (held.status !== "pending") throw notPending(held);
    const edited = checkAnswer(held, given);
    if (edited !== null) await checkArguments(held, edited);
    const final: GivenAnswer = {
      decision: given.decision,
      by: by.user,
      at: new Date().toISOString(),
      reason: given.reason ?? null,
      arguments: edited,
    };
    return change(id, (newest) => answered(newest, final));
  }

  return {
    instance,
    get,
    hold,
    answer,
    requireAnswerer,
    change,
    begin,
    finish,
    list: async (filter: HeldFilter) => settledBy(filter, await (await store()).heldCalls(filter)),
    /** So many of them, and where the next ones begin: behind `last`, unless that is null. */
    async part(filter: HeldFilter, part: HeldPart) {
      const { heldCalls, countHeldCalls } = await store();
      const found = await heldCalls(filter, { ...part, limit: part.limit + 1 });
      const total = await countHeldCalls(filter);
      const some = found.slice(0, part.limit);
      const last = found.length > part.limit ? (some.at(-1) ?? null) : null;
      return { held: await settledBy(filter, some), last, total };
    },
    /** Calls `wake` whenever this process hears of a change; others are found out by looking. */
    watch(id: string, wake: () => void): () => void {
      waiters.set(id, wake);
      return () => void waiters.delete(id);
    },
    stop(): void {
      deafen?.();
      for (const timer of beating.values()) clearInterval(timer);
    },
  };
}

type End = [status: "done" | "failed" | "void" | "cancelled", outcome: KeptHeldCall["outcome"]];

function notFound(id: string): never {
  throw new PlaneError("NOT_FOUND", `No call '${id}' waits for an answer. 'toolplane approvals list' shows which do.`);
}

/** Whoever made the call, and members of the groups that answer for others. What nobody made anybody may answer. */
function mayAnswer({ principal }: Pick<HeldCall, "principal">, by: Principal, approvers: readonly string[]): boolean {
  if (principal.user === null || principal.user === by.user) return true;
  return by.user !== null && approvers.some((group) => by.groups.includes(group));
}

type Asked = { verdict: Verdict; fingerprint: string; timeoutMs: number; allowEdit: boolean };

/** A call as it is shown to whoever decides. `waiting` is the process that has its caller. */
function newHeldCall(
  call: Injected,
  { verdict, fingerprint, timeoutMs, allowEdit }: Asked,
  waiting: string | null,
): KeptHeldCall {
  const now = Date.now();
  const isChange = verdict.verdict === "queue";
  return {
    id: newId(),
    plan: null,
    callId: call.id,
    at: new Date(now).toISOString(),
    expiresAt: isChange ? null : new Date(now + timeoutMs).toISOString(),
    tool: call.tool.name,
    toolId: call.tool.id,
    fingerprint,
    arguments: call.input.arguments,
    ...(call.judged?.before ? { before: call.judged.before } : {}),
    injected: Object.keys(call.injected.values),
    principal: call.principal,
    face: call.face,
    options: call.options,
    verdict,
    allowEdit,
    status: "pending",
    answer: null,
    outcome: null,
    claim: waiting === null ? null : lease(waiting, now),
    revision: 0,
  };
}

function newId(): string {
  return process.getBuiltinModule("node:crypto").randomUUID();
}
