import pico from "picocolors";
import { plainText } from "../../../lib/text/plain-text.ts";
import type { PlaneError } from "../../../model/errors.ts";
import { currentTerminal, dropBrokenWrites, terminal } from "./terminal.ts";

/** For people only: a log or a pipe gets plain text, also on a build machine. */
export const colors = pico.createColors(isColored());

function recolor(): void {
  Object.assign(colors, pico.createColors(isColored()));
}

function isColored(): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = terminal.env;
  const forced = Boolean(FORCE_COLOR) && FORCE_COLOR !== "0";
  const watched = terminal.stdout.isTTY === true && TERM !== "dumb";
  return !NO_COLOR && (forced || watched);
}

/** Run once, before the next thing is printed: whatever is drawn meanwhile has to go first. */
export const beforeOutput = new Set<() => void>();

/** Colours and weights of ours; nothing that moves the cursor, hides text or talks to the terminal. */
const ownStyles = /(\u001b\[(?:[0-79]|2[1-79]|[349][0-79]|10[0-7])m)/;

/** The last gate before a terminal: whatever a server, a model or a file said, no control sequence of theirs passes. */
export function terminalText(text: string): string {
  if (!text.includes("\u001b")) return plainText(text);
  return text
    .split(ownStyles)
    .map((part, index) => (index % 2 === 1 ? part : plainText(part)))
    .join("");
}

export function print(text: string): void {
  clearTransientLines();
  terminal.stdout.write(`${terminalText(text)}\n`);
}

const unseen =
  /[\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|\u034f|\udb40[\udc00-\udfff]/g;

/** Characters that a terminal would obey or hide are spelled out, so that nothing is lost. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value, null, terminal.stdout.isTTY ? 2 : undefined);
  const spelled = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  print(text?.replaceAll(unseen, (character) => character.split("").map(spelled).join("")));
}

/** One JSON document for --json, text for people. */
export function show({ json }: { json?: boolean }, value: unknown, render: () => string): void {
  if (json) printJson(value);
  else print(render());
}

/** For people, so on standard error. */
export function printStatus(text: string): void {
  clearTransientLines();
  terminal.stderr.write(`${terminalText(text)}\n`);
}

/** One page of a list, and how to go on; `shown` says how much of the list it is. */
export function printPage(text: string, nextCursor: string | null, shown = "There are more"): void {
  print(text);
  printNextPage(nextCursor, shown);
}

export function printNextPage(nextCursor: string | null, shown: string): void {
  if (nextCursor !== null) printStatus(`${shown}; the next ones with --cursor ${nextCursor}`);
}

export function clearTransientLines(): void {
  for (const clear of beforeOutput) clear();
  beforeOutput.clear();
}

const silenced = new WeakSet<object>();

/** For the terminal of a command that begins: nothing of an earlier one stays. */
export function beginOutput(): void {
  beforeOutput.clear();
  dropBrokenWrites();
  silenced.delete(currentTerminal());
  recolor();
}

export function silenceWarnings(): void {
  silenced.add(currentTerminal());
}

export function printWarning(text: string): void {
  if (silenced.has(currentTerminal())) return;
  printStatus(`${colors.yellow("warning:")} ${plainText(text)}`);
}

export function printError(error: Pick<PlaneError, "code" | "message">): void {
  printStatus(
    `${colors.red("error:")} ${plainText(error.message)} ${colors.dim(`[${error.code}]`)}`,
  );
}

/** Columns as wide as their content; the last one takes what the terminal leaves. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => plainText(cell).replaceAll(/\s+/g, " ")));
  const widths = head.map((title, index) =>
    Math.max(title.length, ...cells.map((row) => row[index]?.length ?? 0)),
  );
  // A terminal without a known size says 0.
  const width = terminal.stdout.columns || 160;
  const line = (row: readonly string[]) => {
    const text = row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join("  ");
    if (text.length <= width) return text;
    return `${text.slice(0, width - 1)}…`;
  };
  return [colors.bold(line(head)), ...cells.map(line)].join("\n");
}

type LinePart = string | readonly string[] | false | null | undefined;

/** Lines and groups of lines, one below the other; what is not there takes no line. */
export function joinLines(...parts: readonly LinePart[]): string {
  const lines = parts.flat().filter((line) => typeof line === "string");
  return lines.join("\n");
}

type Cell = string | number | null | undefined;

/** A column for each title; a cell without a value is a dash. `emptyText` stands for a table without rows. */
export function table<Row>(
  rows: readonly Row[],
  emptyText: string,
  columns: Record<string, (row: Row) => Cell>,
): string {
  if (rows.length === 0) return emptyText;
  const cells = rows.map((row) => Object.values(columns).map((read) => String(read(row) ?? "-")));
  return renderTable(Object.keys(columns), cells);
}

export type Fact = readonly [label: string, value: Cell];

/** A line for each fact that has a value. */
export function renderFacts(width: number, facts: readonly Fact[]): string[] {
  const knownFacts = facts.filter(([, value]) => value !== null && value !== undefined);
  return knownFacts.map(
    ([label, value]) => `${colors.dim(label.padEnd(width))} ${plainText(String(value))}`,
  );
}

/** A moment to the second, as people read it. */
export function renderMoment(moment: string): string {
  return moment.slice(0, 19).replace("T", " ");
}

/** In the largest unit that fits. */
export function renderSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
