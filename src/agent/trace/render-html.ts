import { createHash } from "node:crypto";
import { countOf } from "../../lib/count-of.ts";
import { escapeHtml } from "../../lib/escape-html.ts";
import type { AgentRun } from "../../model/agent-run.ts";
import type { RenderedRun } from "../../model/run-verbs.ts";
import { renderTold } from "./page-parts.ts";
import { pageStyle } from "./page-style.ts";
import { storyOf } from "./story.ts";
import { renderWaterfall } from "./waterfall.ts";
import { cutOffWords, durationOf, finishesOf, momentOf, numberOf, outcomeWords } from "./words.ts";

const styleHash = `sha256-${createHash("sha256").update(pageStyle).digest("base64")}`;
/** It runs nothing and loads nothing, whatever a model or a tool has written into it. */
const policy = `default-src 'none'; style-src '${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'`;

const tones = {
  completed: "good",
  "max-iterations": "warn",
  budget: "warn",
  failed: "bad",
  cancelled: "warn",
};
const titleLength = 300;

/** A run as one page with everything in it. */
export function renderRunPage(run: AgentRun): RenderedRun {
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Run ${escapeHtml(run.id)}: ${escapeHtml(shorten(run.question, 60))}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
${renderHead(run)}
${renderTiles(run)}
${renderTime(run)}
<h2>Conversation</h2>
${storyOf(run).map(renderTold).join("\n")}
${renderFailure(run)}
${renderFoot(run)}
</main>
</body>
</html>
`;
  return { text, policy: `${policy}; frame-ancestors 'none'` };
}

function renderHead(run: AgentRun): string {
  const facts: [string, string | null][] = [
    ["model", run.model],
    ["style", run.style],
    ["toolset", run.toolset],
    ["asked by", run.user ?? "nobody"],
    ["stopped with", finishesOf(run) || null],
  ];
  const warned = [
    ...(run.truncated ? [cutOffWords] : []),
    ...(run.missing ?? []).map(({ server }) => `no tools of ${server}`),
    ...(run.waiting ?? []).map(({ id, tool }) => `${tool} waits for approval ${id}`),
  ].map((text) => `<span class="pill warn">${escapeHtml(text)}</span>`);
  const pills = facts.flatMap(([name, value]) => (value === null ? [] : renderPill(name, value)));
  return `<header>
<p class="over">Toolplane · run of an agent · ${escapeHtml(momentOf(run.at))} UTC</p>
<h1>${escapeHtml(shorten(run.question, titleLength))}</h1>
<div class="pills"><span class="pill ${tones[run.outcome]}">${outcomeWords[run.outcome]}</span>${pills.join("")}${warned.join("")}</div>
</header>`;
}

function renderPill(name: string, value: string): string {
  return `<span class="pill">${name} <b>${escapeHtml(value)}</b></span>`;
}

function renderTiles({ durationMs, steps, turns, counters, usage }: AgentRun): string {
  const thinking = steps.reduce((sum, { modelMs }) => sum + modelMs, 0);
  const tiles: [string, string][] = [
    [durationOf(durationMs), `of them ${durationOf(thinking)} the model's`],
    [countOf(turns, "turn"), `the model asked ${countOf(steps.length, "time")}`],
    [
      countOf(counters.totalToolCalls, "call"),
      `in ${countOf(counters.totalToolCallTurns, "turn")} with calls`,
    ],
    [
      countOf(usage.totalTokens, "token"),
      `${numberOf(usage.inputTokens)} in, ${numberOf(usage.outputTokens)} out`,
    ],
  ];
  const drawn = tiles.map(([large, small]) => `<div class="tile"><b>${large}</b><span>${small}</span></div>`);
  return `<div class="tiles">${drawn.join("")}</div>`;
}

function renderTime(run: AgentRun): string {
  const drawing = renderWaterfall(run);
  if (drawing === "") return "";
  const keys = [
    ["model", "the model speaks"],
    ["call", "a tool answers"],
    ["bad", "failed"],
    ["warn", "not run, or waiting"],
  ];
  const legend = keys.map(([key, meaning]) => `<span><span class="key key-${key}"></span>${meaning}</span>`);
  return `<h2>Time</h2>
<section class="card chart">
${drawing}
<div class="legend">${legend.join("")}</div>
</section>`;
}

function renderFailure({ error }: AgentRun): string {
  if (error === null) return "";
  return `<section class="card failure"><div class="role">Error <span class="mono">${escapeHtml(error.code)}</span></div><div class="text">${escapeHtml(error.message)}</div></section>`;
}

function renderFoot({ id, conversation, trace }: AgentRun): string {
  const kept = {
    none: "of the conversation nothing is kept",
    last_message: "of the conversation the last message is kept",
    all_messages: "the whole conversation is kept",
  };
  return `<footer>Run <span class="mono">${escapeHtml(id)}</span>, conversation <span class="mono">${escapeHtml(conversation)}</span>; ${kept[trace]}.</footer>`;
}

function shorten(text: string, limit: number): string {
  const characters = [...text.slice(0, limit * 2)];
  return characters.length > limit ? `${characters.slice(0, limit).join("")}…` : text;
}
