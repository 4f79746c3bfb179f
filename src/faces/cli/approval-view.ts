import { stableJson } from "../../lib/json/stable-json.ts";
import { plainText } from "../../lib/text/plain-text.ts";
import type { HeldView, Remembered } from "../../model/calls/held-call.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { shorten } from "./approval-ids.ts";
import { colors } from "./colors.ts";
import { renderSpan } from "./dead-letter-view.ts";
import { renderTable } from "./output.ts";

export function renderApprovals(approvals: readonly HeldView[], now: number): string {
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
    ["called by", `${principal.user ?? "nobody"} through ${face}`],
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

/** What cannot be seen is spelled out: whoever says yes has to know what they say it to. */
function visible(text: string): string {
  if (plainText(text) === text) return text;
  return Array.from(text, (character) =>
    plainText(character) === "" ? `\\u{${character.codePointAt(0)?.toString(16)}}` : character,
  ).join("");
}

export function renderRemembered(entries: readonly Remembered[]): string {
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
  return `${decision} by ${by ?? "somebody"} at ${at}${reason === null ? "" : `: ${reason}`}`;
}

function renderExpiry({ status, expiresAt }: HeldView, now: number): string {
  if (status !== "pending" || expiresAt === null) return "";
  return `in ${renderSpan(Date.parse(expiresAt) - now)}`;
}
