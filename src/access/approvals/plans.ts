import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { Outcome } from "../../model/calls/call.ts";
import type { ApprovalAnswer, KeptHeldCall, PlanChoice } from "../../model/calls/held-call.ts";
import type { HeldView, Plan, PlanRecord } from "../../model/calls/held-schema.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import { viewOf } from "./held-call.ts";
import type { HeldCalls } from "./held-calls.ts";

type PlanPorts = {
  store(): Promise<Store>;
  heldCalls: HeldCalls;
  answer(
    id: string,
    reply: ApprovalAnswer,
    by: Principal,
  ): Promise<{ outcome?: Outcome; hasRun: boolean | null }>;
  maySee(principal: Principal, plan: PlanRecord): boolean;
};

/** Change plans: queued writes that run in their order once a person approves them. */
export function createPlans({ store, heldCalls, answer, maySee }: PlanPorts) {
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
  const unknown = ids?.find((changeId) => !pending.some((change) => change.id === changeId));
  if (unknown !== undefined)
    throw new PlaneError(
      "NOT_FOUND",
      `Plan '${id}' has no change '${unknown}' that waits for an answer.`,
    );
  const picked = ids === undefined ? pending : pending.filter((change) => ids.includes(change.id));
  const meant = picked.slice(0, first ?? picked.length);
  const stray = Object.keys(edited).find(
    (change) => !meant.some((candidate) => candidate.id === change),
  );
  if (stray === undefined) return meant;
  const text = `'${stray}' is given other arguments, but is none of the changes to be run.`;
  throw new PlaneError("USAGE", text, { data: { parameter: "arguments" } });
}

function toPlan({ owner: _, ...record }: PlanRecord, changes: readonly KeptHeldCall[]): Plan {
  return { ...record, status: planStatus(changes), changes: changes.map(viewOf) };
}

function planStatus(changes: readonly KeptHeldCall[]): Plan["status"] {
  function count(counted: KeptHeldCall["status"]) {
    return changes.filter(({ status }) => status === counted).length;
  }

  const pending = count("pending");
  if (pending === changes.length) return "pending";
  if (pending > 0) return "partly";
  return count("rejected") === changes.length ? "rejected" : "done";
}
