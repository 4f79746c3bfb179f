import { plainText } from "../../lib/text/plain-text.ts";
import {
  type Answer,
  type HeldOrder,
  type HeldStatus,
  heldOrders,
  heldStatuses,
  type Remember,
} from "../../model/calls/held-call.ts";
import { PlaneError } from "../../model/errors.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Plane } from "../../model/plane.ts";
import { findByPrefix } from "./approval-ids.ts";
import { renderApproval, renderApprovals, renderRemembered } from "./approval-view.ts";
import { readCallArguments } from "./call-arguments.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { print, printJson, say } from "./output.ts";
import { exitCodeOf, printOutcome } from "./print-outcome.ts";
import { withPlane } from "./with-plane.ts";

type ListOptions = GlobalOptions & { status?: string; all?: boolean; order?: string };
type ApproveOptions = GlobalOptions & {
  args?: string;
  reason?: string;
  remember?: string;
  for?: number;
  onlyConversation?: boolean;
};

const approvalsNamed = { what: "approval", where: "toolplane approvals list --all" };

export async function listApprovals(cli: Cli, options: ListOptions): Promise<void> {
  const status = toStatus(options);
  const order = toOrder(options);
  const approvals = await withPlane(cli, options, (plane) =>
    plane.approvals.list({ order, ...(status === undefined ? {} : { status }) }),
  );
  if (options.json) printJson({ approvals });
  else print(renderApprovals(approvals, Date.now()));
}

export async function showApproval(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  await withPlane(cli, options, async (plane) => {
    const held = await plane.approvals.get(await findApproval(plane, id));
    if (options.json) return printJson(held);
    // What it is about is told as far as it is known; the question is there without it.
    const tool = await plane.tools.get(held.toolId).catch(() => undefined);
    print(renderApproval(held, Date.now(), tool?.description));
    if (held.status === "pending") say(`Answer it with: toolplane approvals approve|reject ${held.id}`);
  });
}

export async function approveCall(cli: Cli, id: string, options: ApproveOptions): Promise<number> {
  const given: Answer = {
    decision: "approve",
    ...(options.args === undefined ? {} : { arguments: await readObject(options.args, "--args") }),
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    ...toRemember(options),
  };
  return withPlane(cli, options, async (plane) => {
    const answered = await plane.approvals.answer(await findApproval(plane, id), given);
    const { approval, outcome } = answered;
    if (options.json) printJson(answered);
    else if (outcome) printOutcome(outcome);
    else print(`'${plainText(approval.tool)}' is approved and runs where its caller waits for it.`);
    if (given.remember && approval.adminRequired)
      say("The yes is not remembered: a rule of the operator asks every time.");
    return outcome ? exitCodeOf(outcome) : 0;
  });
}

export async function rejectCall(
  cli: Cli,
  id: string,
  { reason, ...options }: GlobalOptions & { reason?: string },
): Promise<void> {
  const answered = await withPlane(cli, options, async (plane) =>
    plane.approvals.answer(await findApproval(plane, id), {
      decision: "reject",
      ...(reason === undefined ? {} : { reason }),
    }),
  );
  if (options.json) printJson(answered);
  else print(`The call of '${plainText(answered.approval.tool)}' is rejected and does not run.`);
}

export async function listRemembered(cli: Cli, options: GlobalOptions): Promise<void> {
  const remembered = await withPlane(cli, options, (plane) => plane.approvals.remembered());
  if (options.json) printJson({ remembered });
  else print(renderRemembered(remembered));
}

export async function forgetRemembered(cli: Cli, given: string, options: GlobalOptions): Promise<void> {
  const id = await withPlane(cli, options, async (plane) => {
    const ids = (await plane.approvals.remembered()).map((entry) => entry.id);
    const found = findByPrefix(given, ids, {
      what: "remembered yes",
      where: "toolplane approvals remembered",
    });
    await plane.approvals.forget(found);
    return found;
  });
  if (options.json) printJson({ id, forgotten: true });
  else print("It is forgotten: calls like this are asked about again.");
}

async function findApproval(plane: Plane, given: string): Promise<string> {
  // Also the change of a plan has an id, which no list of approvals shows.
  if (given.length === 36) return given.toLowerCase();
  return findByPrefix(
    given,
    (await plane.approvals.list()).map(({ id }) => id),
    approvalsNamed,
  );
}

function toStatus({ status, all }: ListOptions): HeldStatus | undefined {
  if (all || status === "all") return undefined;
  if (status === undefined) return "pending";
  const known = heldStatuses.find((candidate) => candidate === status);
  if (known !== undefined) return known;
  throw new PlaneError("USAGE", `--status cannot be '${status}': give one of ${["all", ...heldStatuses].join(", ")}.`);
}

function toOrder({ order = "oldest" }: ListOptions): HeldOrder {
  const known = heldOrders.find((candidate) => candidate === order);
  if (known !== undefined) return known;
  throw new PlaneError("USAGE", `--order cannot be '${order}': give one of ${heldOrders.join(", ")}.`);
}

const scopes = ["tool", "arguments", "server"] as const;

function toRemember({ remember, for: forMs, onlyConversation }: ApproveOptions): { remember?: Remember } {
  if (remember === undefined) {
    if (forMs === undefined && !onlyConversation) return {};
    throw new PlaneError("USAGE", "--for and --only-conversation say for how long: add --remember tool.");
  }
  const scope = scopes.find((candidate) => candidate === remember);
  if (scope === undefined)
    throw new PlaneError("USAGE", `--remember cannot be '${remember}': give ${scopes.join(", ")}.`);
  return {
    remember: {
      for: scope,
      ...(forMs === undefined ? {} : { forMs }),
      ...(onlyConversation ? { conversation: true } : {}),
    },
  };
}

export async function readObject(text: string, option: string): Promise<JsonObject> {
  const parsed = await readCallArguments(text, []);
  if (isObject(parsed)) return parsed as JsonObject;
  throw new PlaneError("USAGE", `${option} must be a JSON object like {"key": "value"}.`);
}
