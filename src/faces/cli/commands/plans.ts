import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import { countOf, nounFor } from "../../../lib/text/wording.ts";
import type { HeldStatus, PlanChoice } from "../../../model/calls/held-call.ts";
import type { HeldView, Plan } from "../../../model/calls/held-schema.ts";
import { PlaneError } from "../../../model/errors.ts";
import type { JsonObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Cli, GlobalOptions } from "../cli.ts";
import { findByPrefix, shortenIds, shownIdLength } from "../terminal/ids.ts";
import { exitCodeOf, printOutcome } from "../terminal/outcome.ts";
import { colors, printJson, printStatus, renderSpan, table } from "../terminal/output.ts";
import { command, withPlane } from "../with-plane.ts";
import { readJsonOption, renderArguments } from "./approvals.ts";
import { pickOptions } from "./option-values.ts";

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
export function renderPlan({ id, status, changes }: Plan): string {
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

type ChoiceOptions = GlobalOptions & {
  first?: number;
  change?: string[];
  continue?: boolean;
  args?: string[];
  reason?: string;
};

export const listPlans = command(
  (plane) => plane.plans.list(),
  (plans) => renderPlans(plans, Date.now()),
  (plans) => ({ plans }),
);

export const showPlan = command((plane, id: string | undefined) => findPlan(plane, id), renderPlan);

export async function approvePlan(
  cli: Cli,
  id: string | undefined,
  options: ChoiceOptions,
): Promise<number> {
  return withPlane(cli, options, async (plane) => {
    const plan = await findPlan(plane, id);
    const choice: PlanChoice = toChoice(plan, options);
    if (options.continue) choice.continueOnFailure = true;
    if (options.args) choice.arguments = await readEdits(plan, options.args);
    const approved = await plane.plans.approve(plan.id, choice);
    if (options.json) printJson(approved);
    else printRan(plan, approved);
    const failed = approved.outcomes.find(({ outcome }) => outcome?.ok !== true);
    if (failed === undefined) return 0;
    if (failed.outcome === null) return 1;
    return exitCodeOf(failed.outcome);
  });
}

export const rejectPlan = command(async (plane, id: string | undefined, options: ChoiceOptions) => {
  const plan = await findPlan(plane, id);
  return plane.plans.reject(plan.id, {
    ...toChoice(plan, options),
    ...pickOptions(options, "reason"),
  });
}, renderPlan);

function printRan(
  { changes }: Plan,
  { plan, outcomes }: Awaited<ReturnType<Plane["plans"]["approve"]>>,
): void {
  for (const { change, outcome } of outcomes) {
    const index = changes.findIndex(({ id }) => id === change);
    printStatus(`${index + 1}. ${plainText(changes[index]?.tool ?? change)}`);
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
async function findPlan(plane: Plane, idPrefix: string | undefined): Promise<Plan> {
  const plans = await plane.plans.list();
  const open = plans.find(({ status }) => status === "pending" || status === "partly");
  if (idPrefix === undefined) {
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

function toChoice(plan: Plan, { first, change }: ChoiceOptions): PlanChoice {
  return withoutUndefined({ first, ids: change?.map((choice) => findChange(plan, choice)) });
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
