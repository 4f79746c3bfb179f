import { withoutUndefined } from "../../../lib/json/plain-data.ts";
import { stableJson } from "../../../lib/json/stable-json.ts";
import { plainText } from "../../../lib/text/plain-text.ts";
import type { PolicyMode } from "../../../model/calls/call.ts";
import {
  type Answer,
  type HeldStatus,
  type HeldView,
  heldOrders,
  heldStatuses,
  type Remember,
  type Remembered,
} from "../../../model/calls/held-call.ts";
import { PlaneError } from "../../../model/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../model/json.ts";
import type { Plane } from "../../../model/plane.ts";
import type { Face } from "../../../model/principal.ts";
import type { Cli, GlobalOptions, TextOptions } from "../cli.ts";
import { findByPrefix, shorten } from "../terminal/ids.ts";
import { exitCodeOf, printOutcome } from "../terminal/outcome.ts";
import { colors, print, printJson, renderTable, say, show } from "../terminal/output.ts";
import { withPlane } from "../with-plane.ts";
import { readCallArguments, typedForTool } from "./call-arguments.ts";
import { renderSpan } from "./dead-letters.ts";
import { oneOf } from "./option-values.ts";

type ListOptions = TextOptions<"status" | "order"> & { all?: boolean };
type ApproveOptions = TextOptions<"args" | "reason" | "remember"> & { for?: number; onlyConversation?: boolean };

const approvalsNamed = { what: "approval", where: "toolplane approvals list --all" };

export async function listApprovals(cli: Cli, options: ListOptions): Promise<void> {
  const query = withoutUndefined({ status: toStatus(options), order: oneOf("--order", options.order, heldOrders) });
  const approvals = await withPlane(cli, options, (plane) => plane.approvals.list({ order: "oldest", ...query }));
  show(options, { approvals }, () => renderApprovals(approvals, Date.now()));
}

export async function showApproval(cli: Cli, id: string, options: GlobalOptions): Promise<void> {
  await withPlane(cli, options, async (plane) => {
    const held = await plane.approvals.get(await findApproval(plane, id));
    if (options.json) return printJson(held);
    const tool = await plane.tools.get(held.toolId).catch(() => undefined);
    print(renderApproval(held, Date.now(), tool?.description));
    if (held.status === "pending") say(`Answer it with: toolplane approvals approve|reject ${held.id}`);
  });
}

export async function approveCall(cli: Cli, id: string, options: ApproveOptions): Promise<number> {
  const given: Answer = {
    decision: "approve",
    ...(options.args === undefined ? {} : { arguments: await readObject(options.args, "--args") }),
    ...withoutUndefined({ reason: options.reason }),
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

export async function rejectCall(cli: Cli, id: string, { reason, ...options }: TextOptions<"reason">): Promise<void> {
  const answered = await withPlane(cli, options, async (plane) =>
    plane.approvals.answer(await findApproval(plane, id), { decision: "reject", ...withoutUndefined({ reason }) }),
  );
  show(options, answered, () => `The call of '${plainText(answered.approval.tool)}' is rejected and does not run.`);
}

export async function listRemembered(cli: Cli, options: GlobalOptions): Promise<void> {
  const remembered = await withPlane(cli, options, (plane) => plane.approvals.remembered());
  show(options, { remembered }, () => renderRemembered(remembered));
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
  show(options, { id, forgotten: true }, () => "It is forgotten: calls like this are asked about again.");
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
  const known = oneOf("--status", status ?? "pending", ["all", ...heldStatuses]);
  return known === "all" ? undefined : known;
}

const scopes = ["tool", "arguments", "server"] as const;

function toRemember({ remember, for: forMs, onlyConversation }: ApproveOptions): { remember?: Remember } {
  if (remember === undefined) {
    if (forMs === undefined && !onlyConversation) return {};
    throw new PlaneError("USAGE", "--for and --only-conversation say for how long: add --remember tool.");
  }
  const scope = oneOf("--remember", remember, scopes) ?? "tool";
  return { remember: { for: scope, ...withoutUndefined({ forMs, conversation: onlyConversation }) } };
}

export async function readObject(text: string, option: string): Promise<JsonObject> {
  const parsed = await readCallArguments(text, []);
  if (isObject(parsed)) return parsed as JsonObject;
  throw new PlaneError("USAGE", `${option} must be a JSON object like {"key": "value"}.`);
}

function renderApprovals(approvals: readonly HeldView[], now: number): string {
  if (approvals.length === 0) return "Nothing waits for a yes.";
  const short = shorten(approvals.map(({ id }) => id));
  const rows = approvals.map((held) => [
    short(held.id),
    held.status,
    held.tool,
    held.principal.user ?? "-",
    renderSpan(now - Date.parse(held.at)),
    renderExpiry(held, now),
    held.verdict.reason,
  ]);
  return renderTable(["ID", "STATUS", "TOOL", "WHO", "AGE", "EXPIRES", "WHY"], rows);
}

/** Everything that a person should have seen before they say yes. */
export function renderApproval(held: HeldView, now: number, description?: string): string {
  const { id, tool, principal, face, verdict, answer, outcome } = held;
  const facts = [
    ["status", held.status],
    ["called by", `${principal.user ?? "anonymous"} through ${face}`],
    ["asked", `${renderSpan(now - Date.parse(held.at))} ago`],
    ["expires", renderExpiry(held, now) || "not"],
    ["why", `${verdict.reason} (${verdict.rule === undefined ? verdict.origin : `policy.rules[${verdict.rule}]`})`],
    ...(held.adminRequired ? [["remember", "no: a rule of the operator asks every time"]] : []),
    ...(held.plan === null ? [] : [["plan", held.plan]]),
    ...(answer === null ? [] : [["answer", renderAnswer(answer)]]),
    ...(outcome === null ? [] : [["ran as", `${outcome.callId}${outcome.ok ? "" : `, ${outcome.code}`}`]]),
  ];
  return [
    `${colors.bold(plainText(tool))} ${colors.dim(id)}`,
    ...(description ? [plainText(description)] : []),
    "",
    colors.bold(answer?.arguments ? "Arguments, as they were changed" : "Arguments"),
    ...renderArguments(held.shown, "  "),
    ...(held.before ? ["", colors.bold("As the caller gave them"), ...renderArguments(held.before, "  ")] : []),
    "",
    ...facts.map(([label, value]) => `${colors.dim(String(label).padEnd(13))} ${plainText(String(value))}`),
  ].join("\n");
}

/** One argument a line, in the order of their names, so that two of them can be compared. */
export function renderArguments(args: JsonObject, indent: string): string[] {
  const names = Object.keys(args).sort();
  if (names.length === 0) return [`${indent}none`];
  return names.map((name) => `${indent}${visible(name)}: ${renderValue(args[name] as Json)}`);
}

function renderValue(value: Json): string {
  const isPlain = typeof value === "string" && value.trim() !== "" && !/[\n\t]/.test(value);
  return visible(isPlain ? value : stableJson(value));
}

/** What cannot be seen is spelled out: a person who approves must see it. */
function visible(text: string): string {
  if (plainText(text) === text) return text;
  return Array.from(text, (character) =>
    plainText(character) === "" ? `\\u{${character.codePointAt(0)?.toString(16)}}` : character,
  ).join("");
}

function renderRemembered(entries: readonly Remembered[]): string {
  if (entries.length === 0) return "No yes is remembered.";
  const short = shorten(entries.map(({ id }) => id));
  const rows = entries.map((entry) => [
    short(entry.id),
    entry.server === null ? (entry.tool ?? "-") : `every tool of ${entry.server}`,
    renderLimits(entry),
    entry.conversation ?? "any",
    entry.createdAt,
    entry.expiresAt ?? "never",
  ]);
  return renderTable(["ID", "FOR", "WITH", "CONVERSATION", "SINCE", "EXPIRES"], rows);
}

function renderLimits({ arguments: globs, argumentsHash }: Remembered): string {
  if (argumentsHash !== null) return "exactly those arguments";
  return Object.keys(globs).length === 0 ? "any arguments" : stableJson(globs);
}

function renderAnswer({ decision, by, at, reason }: NonNullable<HeldView["answer"]>): string {
  return `${decision} by ${by ?? "anonymous"} at ${at}${reason === null ? "" : `: ${reason}`}`;
}

function renderExpiry({ status, expiresAt }: HeldView, now: number): string {
  if (status !== "pending" || expiresAt === null) return "";
  return `in ${renderSpan(Date.parse(expiresAt) - now)}`;
}

type TestOptions = GlobalOptions & { args?: string; face: Face; mode?: PolicyMode };

const means = {
  allow: "it runs",
  ask: "it waits for a person's yes",
  queue: "it is queued in a plan",
  deny: "it is refused",
} as const;

export async function testPolicy(
  cli: Cli,
  tool: string,
  values: string[],
  { face, mode, args, ...options }: TestOptions,
): Promise<void> {
  const given = await readCallArguments(args, values);
  if (!isObject(given)) throw new PlaneError("USAGE", `--args must be a JSON object like {"key": "value"}.`);
  const tested = await withPlane(cli, options, async (plane) => {
    const typed = (await typedForTool(plane, tool, given, values)) as JsonObject;
    return plane.policy.test(tool, typed, { face, ...(mode === undefined ? {} : { mode }) });
  });
  if (options.json) return printJson(tested);
  const { verdict, origin, reason, rule, effect } = tested;
  print(`${colors.bold(verdict)}: ${means[verdict]}`);
  const facts = [
    ["tool", tested.tool],
    ["because", reason],
    ["origin", rule === undefined ? origin : `policy.rules[${rule}]`],
    ["effect", `${effect.effect}: ${effect.because}`],
  ];
  for (const [label, value] of facts) print(`${colors.dim(String(label).padEnd(8))} ${plainText(String(value))}`);
}
