import type { Outcome } from "../../model/call.ts";
import { PlaneError } from "../../model/errors.ts";
import type { HeldView, KeptHeldCall, Plan, PlanChoice, PlanRecord } from "../../model/held-call.ts";
import type { Principal } from "../../model/principal.ts";
import type { Store } from "../../model/store.ts";
import type { HeldCalls } from "./held-calls.ts";
import type { createRunner } from "./runner.ts";
import { viewOf } from "./view.ts";

type Parts = {
  store(): Promise<Store>;
  heldCalls: HeldCalls;
  answer: ReturnType<typeof createRunner>["answer"];
  /** May this principal see what belongs to that user? */
  isShown(principal: Principal, owner: string | null): boolean;
};

/** Writes that were queued, and a person's word on them: run in the order in which they were queued. */
export function createPlans({ store, heldCalls, answer, isShown }: Parts) {
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
      return Promise.all(
        records.map(async (record) => toPlan(record, await heldCalls.list({ plan: record.id }))),
      );
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
  if (busy)
    throw new PlaneError(
      "CONFLICT",
      `Plan '${id}' is being run: '${busy.id}' (${busy.tool}) is not over yet.`,
    );
  const pending = changes.filter(({ status }) => status === "pending");
  const unknown = ids?.find((wanted) => !pending.some((change) => change.id === wanted));
  if (unknown !== undefined)
    throw new PlaneError("NOT_FOUND", `Plan '${id}' has no change '${unknown}' that waits for an answer.`);
  const picked = ids === undefined ? pending : pending.filter((change) => ids.includes(change.id));
  const meant = picked.slice(0, first ?? picked.length);
  const unmeant = Object.keys(edited).find((change) => !meant.some((one) => one.id === change));
  if (unmeant !== undefined)
    throw new PlaneError(
      "USAGE",
      `'${unmeant}' is given other arguments, but is none of the changes to be run.`,
      {
        data: { parameter: "arguments" },
      },
    );
  return meant;
}

function toPlan(record: PlanRecord, changes: readonly KeptHeldCall[]): Plan {
  const pending = changes.filter(({ status }) => status === "pending").length;
  const rejected = changes.filter(({ status }) => status === "rejected").length;
  const status =
    pending === changes.length
      ? "pending"
      : pending > 0
        ? "partly"
        : rejected === changes.length
          ? "rejected"
          : "done";
  return { ...record, status, changes: changes.map(viewOf) };
}

function notFound(id: string): PlaneError {
  return new PlaneError("NOT_FOUND", `No plan '${id}'. 'toolplane plan show' shows the plans there are.`);
}
