import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf, nounFor } from "../../../lib/text/wording.ts";
import type { Outcome } from "../../../model/calls/call.ts";
import type { HeldStatus, PlanOutcome } from "../../../model/calls/held-call.ts";
import type { HeldView, Plan } from "../../../model/calls/held-schema.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import { approvalOperations } from "../../../operations/declared/approvals.ts";
import { findByPrefix, shortenIds, shownIdLength } from "../terminal/ids.ts";
import { exitCodeOf, printOutcome } from "../terminal/outcome.ts";
import { colors, printStatus, renderSpan, table } from "../terminal/output.ts";
import { viewsOf } from "../view.ts";
import { command } from "../with-plane.ts";
import { readJsonOption, renderArguments } from "./approvals.ts";

const marks: Record<HeldStatus, string> = {
  pending: "+",
  approved: "~",
  running: "~",
  done: "✔",
  failed: "✖",
  rejected: "-",
  expired: "-",
  void: "!",
  cancelled: "-",
  interrupted: "!",
};

export function renderPlans(plans: readonly Plan[], now: number): string {
  const short = shortenIds(plans.map(({ id }) => id));
  return table(plans, "There is no plan.", {
    ID: ({ id }) => short(id),
    STATUS: ({ status }) => status,
    WAITING: ({ changes }) =>
      `${changes.filter(({ status }) => status === "pending").length} of ${changes.length}`,
    WHO: ({ user }) => user,
    CONVERSATION: ({ conversation }) => conversation,
    AGE: ({ createdAt }) => renderSpan(now - Date.parse(createdAt)),
  });
}

/** The changes in the order in which they run, one argument a line and no moment of time: fit to be compared. */
export function renderPlan({
  id,
  status,
  changes,
}: Pick<Plan, "id" | "status" | "changes">): string {
  const short = shortenIds(changes.map((change) => change.id));
  return [
    `${colors.bold("Plan")} ${id} ${colors.dim(status)}`,
    ...changes.flatMap((change, index) => [
      "",
      ...renderChange(change, index + 1, short(change.id)),
    ]),
  ].join("\n");
}

function renderChange(change: HeldView, number: number, shortId: string): string[] {
  const { status, tool, shown, verdict, answer, outcome } = change;
  const statusText = status === "pending" ? "" : ` ${status}`;
  const indent = " ".repeat(`${number}.`.length + 3);
  const notes = [
    verdict.reason,
    answer?.arguments && "the arguments were changed",
    answer?.reason,
    outcome?.code,
  ];
  return [
    `${number}. ${marks[status]} ${colors.bold(plainText(tool))} ${colors.dim(`${shortId}${statusText}`)}`,
    ...renderArguments(shown, indent),
    ...notes
      .filter((note): note is string => Boolean(note))
      .map((note) => `${indent}${colors.dim(`# ${plainText(note)}`)}`),
  ];
}

const view = viewsOf(approvalOperations);

export const listPlans = command(
  (plane) => plane.plans.list(),
  (plans) => renderPlans(plans, Date.now()),
  (plans) => ({ plans }),
);

export const showPlan = view("plans.get", {
  input: async (_, { plane, args: [id] }) => ({ id: (await findPlan(plane, id)).id }),
  text: renderPlan,
});

export const approvePlan = view("plans.approve", {
  async input({ ids, arguments: edits }, { plane, args: [id] }) {
    const plan = await findPlan(plane, id);
    const choice = toChoice(plan, ids);
    if (!Array.isArray(edits)) return choice;
    return { ...choice, arguments: await readEdits(plan, edits) };
  },
  text(answer) {
    printRan(answer as PlanOutcome);
    return null;
  },
  exitCode({ outcomes }) {
    const failed = outcomes.find(({ outcome }) => outcome?.ok !== true);
    if (failed === undefined) return 0;
    if (failed.outcome === null) return 1;
    return exitCodeOf(failed.outcome as Outcome);
  },
});

export const rejectPlan = view("plans.reject", {
  input: async ({ ids }, { plane, args: [id] }) => toChoice(await findPlan(plane, id), ids),
  text: renderPlan,
});

function printRan({ plan, outcomes }: PlanOutcome): void {
  for (const { change, outcome } of outcomes) {
    const index = plan.changes.findIndex(({ id }) => id === change);
    printStatus(`${index + 1}. ${plainText(plan.changes[index]?.tool ?? change)}`);
    if (outcome) printOutcome(outcome);
    else printStatus("It runs elsewhere.");
  }
  const waiting = plan.changes.filter(({ status }) => status === "pending").length;
  if (waiting > 0)
    printStatus(
      `${waiting} of ${countOf(plan.changes.length, "change")} still ${nounFor(waiting, "waits", "wait")}: toolplane plan show ${plan.id.slice(0, shownIdLength)}`,
    );
}

/** The one that is meant, or the newest in which something waits. */
async function findPlan(plane: Plane, idPrefix: unknown): Promise<Plan> {
  const plans = await plane.plans.list();
  const open = plans.find(({ status }) => status === "pending" || status === "partly");
  if (typeof idPrefix !== "string") {
    if (open) return open;
    throw new PlaneError(
      "NOT_FOUND",
      "No plan waits for approval. 'toolplane plan list' shows the others.",
    );
  }
  const ids = plans.map(({ id }) => id);
  return plane.plans.get(
    findByPrefix(idPrefix, ids, { what: "plan", where: "toolplane plan list" }),
  );
}

function toChoice(plan: Plan, changes: unknown) {
  const ids = (changes as string[] | undefined)?.map((choice) => findChange(plan, choice));
  return withoutUndefined({ id: plan.id, ids });
}

function findChange({ id: plan, changes }: Plan, choice: string): string {
  const placed = /^\d{1,3}$/.test(choice) ? changes[Number(choice) - 1] : undefined;
  if (placed) return placed.id;
  const ids = changes.map(({ id }) => id);
  return findByPrefix(choice, ids, { what: "change", where: `toolplane plan show ${plan}` });
}

async function readEdits(
  plan: Plan,
  pairs: readonly string[],
): Promise<Record<string, JsonObject>> {
  const edits: Record<string, JsonObject> = {};
  for (const pair of pairs) {
    const [, change, json] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (change === undefined || json === undefined)
      throw new PlaneError(
        "USAGE",
        `--args '${pair}' must be CHANGE=JSON, e.g. --args '2={"key":"value"}'.`,
      );
    edits[findChange(plan, change)] = await readJsonOption(json, "--args CHANGE=JSON");
  }
  return edits;
}
