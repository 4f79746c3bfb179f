import { sliceText } from "../../lib/text/cut-text.ts";
import { escapeHtml } from "../../lib/text/plain-text.ts";
import type { AgentCall, AgentRun } from "../../model/agent/agent-run.ts";
import { durationOf } from "./words.ts";

const width = 1_000;
const labels = 230;
const numbers = 78;
const rowHeight = 24;
const barHeight = 12;
const top = 24;
const maxLabel = 30;
/** More rows than this are no picture any more. */
const maxRows = 200;

type Row = { label: string; kind: "model" | "call" | "bad" | "warn"; from: number; took: number };

/** Where the time of a run went: the model's turns and the calls that came of each. */
export function renderWaterfall(run: AgentRun): string {
  const all = rowsOf(run);
  const rows = all.slice(0, maxRows);
  if (rows.length === 0) return "";
  const span = Math.max(run.durationMs, ...rows.map(({ from, took }) => from + took), 1);
  const height = top + rows.length * rowHeight + 6;
  const scale = (ms: number) => labels + (ms / span) * (width - labels - numbers);
  const more = all.length > rows.length ? `<p class="over">${all.length - rows.length} more are not drawn.</p>` : "";
  return [
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="When the model was asked and tools were called">`,
    ...ticksOf(span).map((ms) => renderTick(ms, scale(ms), height)),
    ...rows.map((row, at) => renderRow(row, top + at * rowHeight, scale)),
    `</svg>${more}`,
  ].join("\n");
}

function rowsOf({ at, steps }: AgentRun): Row[] {
  const start = Date.parse(at);
  const since = (moment: string) => Math.max(0, Date.parse(moment) - start || 0);
  return steps.flatMap((step) => {
    const from = since(step.at);
    const asked: Row = { label: `Model, turn ${step.turn}`, kind: "model", from, took: size(step.modelMs) };
    // What nobody noted the time of began when the model had said what it wants.
    const begun = (call: AgentCall) => (call.at === undefined ? from + size(step.modelMs) : since(call.at));
    const calls = step.calls.map(
      (call): Row => ({
        label: call.tool,
        kind: kindOf(call.status),
        from: begun(call),
        took: size(call.durationMs),
      }),
    );
    return [asked, ...calls];
  });
}

export function kindOf(status: string): "call" | "bad" | "warn" {
  if (status === "succeeded") return "call";
  return status === "failed" || status === "tool_error" ? "bad" : "warn";
}

function renderRow({ label, kind, from, took }: Row, y: number, scale: (ms: number) => number): string {
  const [x, end] = [scale(from), scale(from + took)];
  const middle = y + rowHeight / 2 + 4;
  const indent = kind === "model" ? 0 : 14;
  const short = label.length > maxLabel ? `${sliceText(label, 0, maxLabel - 1)}…` : label;
  return [
    `<text class="name" x="${indent}" y="${fixed(middle)}">${escapeHtml(short)}</text>`,
    `<rect class="bar-${kind}" x="${fixed(x)}" y="${fixed(y + (rowHeight - barHeight) / 2)}" width="${fixed(Math.max(end - x, 3))}" height="${barHeight}" rx="3"><title>${escapeHtml(`${label}: ${durationOf(took)}`)}</title></rect>`,
    `<text x="${fixed(Math.max(end, x + 3) + 6)}" y="${fixed(middle)}">${escapeHtml(durationOf(took))}</text>`,
  ].join("");
}

/** Round numbers, four to eight of them. */
function ticksOf(span: number): number[] {
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, at) => at * step);
}

function renderTick(ms: number, x: number, height: number): string {
  return (
    `<line x1="${fixed(x)}" x2="${fixed(x)}" y1="${top - 4}" y2="${height}"/>` +
    `<text x="${fixed(x)}" y="12" text-anchor="middle">${escapeHtml(ms === 0 ? "0" : durationOf(ms))}</text>`
  );
}

function size(ms: number): number {
  return Number.isFinite(ms) && ms > 0 ? ms : 0;
}

function fixed(value: number): string {
  return value.toFixed(1);
}
