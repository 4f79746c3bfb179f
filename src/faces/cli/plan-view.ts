import { plainText } from "../../lib/plain-text.ts";
import type { HeldStatus, HeldView, Plan } from "../../model/held-call.ts";
import { shorten } from "./approval-ids.ts";
import { renderArguments } from "./approval-view.ts";
import { colors } from "./colors.ts";
import { renderSpan } from "./dead-letter-view.ts";
import { renderTable } from "./output.ts";

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
  if (plans.length === 0) return "There is no plan.";
  const short = shorten(plans.map(({ id }) => id));
  const rows = plans.map(({ id, status, user, conversation, createdAt, changes }) => [
    short(id),
    status,
    `${changes.filter((change) => change.status === "pending").length} of ${changes.length}`,
    user ?? "-",
    conversation ?? "-",
    renderSpan(now - Date.parse(createdAt)),
  ]);
  return renderTable(["ID", "STATUS", "WAITING", "WHO", "CONVERSATION", "AGE"], rows);
}

/** The changes in the order in which they run, one argument a line and no moment of time: fit to be compared. */
export function renderPlan({ id, status, changes }: Plan): string {
  const short = shorten(changes.map((change) => change.id));
  return [
    `${colors.bold("Plan")} ${id} ${colors.dim(status)}`,
    ...changes.flatMap((change, at) => ["", ...renderChange(change, at + 1, short(change.id))]),
  ].join("\n");
}

function renderChange(change: HeldView, place: number, shortId: string): string[] {
  const { status, tool, shown, verdict, answer, outcome } = change;
  const said = status === "pending" ? "" : ` ${status}`;
  const number = `${place}.`;
  const indent = " ".repeat(number.length + 3);
  return [
    `${number} ${marks[status]} ${colors.bold(plainText(tool))} ${colors.dim(`${shortId}${said}`)}`,
    ...renderArguments(shown, indent),
    `${indent}${colors.dim(`# ${plainText(verdict.reason)}`)}`,
    ...(answer?.arguments ? [`${indent}${colors.dim("# the arguments were changed")}`] : []),
    ...(answer?.reason ? [`${indent}${colors.dim(`# ${plainText(answer.reason)}`)}`] : []),
    ...(outcome?.code ? [`${indent}${colors.dim(`# ${outcome.code}`)}`] : []),
  ];
}
