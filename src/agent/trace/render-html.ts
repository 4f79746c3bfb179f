import { createHash } from "node:crypto";
import { escapeHtml } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { AgentRun, RenderedRun } from "../../model/agent/agent-run.ts";

import { renderTold } from "./page-parts.ts";
import { storyOf } from "./story.ts";
import { renderWaterfall } from "./waterfall.ts";
import { cutOffWords, durationOf, finishesOf, momentOf, numberOf, outcomeWords } from "./words.ts";

/** The whole look of the page, light and dark. Its hash is in the page's policy, so no other style can be in it. */
const pageStyle = `
:root{color-scheme:light dark;--ground:#f6f7f9;--card:#fff;--line:#e3e6eb;--text:#1b2230;--quiet:#667085;--soft:#f1f3f6;
--model:#6366f1;--call:#0d9488;--warn:#d97706;--bad:#dc2626;--good:#15803d;--accent:#4f46e5}
@media (prefers-color-scheme:dark){:root{--ground:#0e1117;--card:#161b24;--line:#283040;--text:#e6e9ef;--quiet:#98a2b3;
--soft:#1d2430;--model:#818cf8;--call:#2dd4bf;--warn:#fbbf24;--bad:#f87171;--good:#4ade80;--accent:#a5b4fc}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1040px;margin:0 auto;padding:36px 24px 64px}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px}
.over{color:var(--quiet);font-size:13px;letter-spacing:.02em;margin:0 0 6px}
h1{font-size:24px;line-height:1.3;font-weight:650;margin:0 0 14px;overflow-wrap:anywhere;white-space:pre-wrap}
h2{font-size:13px;font-weight:600;text-transform:uppercase;letter-spacing:.06em;color:var(--quiet);margin:34px 0 10px}
.pills{display:flex;flex-wrap:wrap;gap:6px}
.pill{display:inline-block;border:1px solid var(--line);background:var(--card);border-radius:999px;padding:1px 10px;font-size:13px;
color:var(--quiet);overflow-wrap:anywhere}
.pill b{font-weight:600;color:var(--text)}
.good{color:var(--good);border-color:currentColor;font-weight:600}
.warn{color:var(--warn);border-color:currentColor;font-weight:600}
.bad{color:var(--bad);border-color:currentColor;font-weight:600}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px;margin-top:18px}
.tile{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:12px 16px}
.tile b{display:block;font-size:21px;font-weight:650;font-variant-numeric:tabular-nums}
.tile span{color:var(--quiet);font-size:13px}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:14px 18px;margin:10px 0}
.chart{padding:16px 18px 8px;overflow-x:auto}
svg{display:block;width:100%;min-width:640px;height:auto}
svg text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--quiet)}
svg .name{fill:var(--text)}
svg line{stroke:var(--line)}
.bar-model{fill:var(--model)}.bar-call{fill:var(--call)}.bar-bad{fill:var(--bad)}.bar-warn{fill:var(--warn)}
.legend{display:flex;flex-wrap:wrap;gap:16px;color:var(--quiet);font-size:12.5px;padding:4px 0 6px}
.key{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:6px}
.key-model{background:var(--model)}.key-call{background:var(--call)}.key-bad{background:var(--bad)}.key-warn{background:var(--warn)}
.role{font-size:12.5px;font-weight:600;color:var(--quiet);margin-bottom:3px}
.user{border-left:3px solid var(--quiet)}
.system{background:transparent;border-style:dashed}
.assistant{border-left:3px solid var(--model)}
.answer{border-left:3px solid var(--good)}
.failure{border-left:3px solid var(--bad)}
.text{white-space:pre-wrap;overflow-wrap:anywhere}
.thought{color:var(--quiet);font-style:italic;border-left:2px solid var(--line);padding-left:12px;margin:2px 0 10px}
.thought:last-child{margin-bottom:2px}
.call{padding:0;overflow:hidden}
.call>summary{display:flex;flex-wrap:wrap;align-items:center;gap:8px 10px;padding:11px 18px;cursor:pointer;list-style:none}
.call>summary::-webkit-details-marker{display:none}
.call>summary:focus-visible{outline:2px solid var(--accent);outline-offset:-3px;border-radius:12px}
.number{min-width:22px;height:22px;border-radius:7px;background:var(--soft);color:var(--quiet);font-size:12px;font-weight:600;display:inline-grid;
place-items:center;padding:0 6px}
.tool{font-weight:600;overflow-wrap:anywhere}
.facts{color:var(--quiet);font-size:12.5px;margin-left:auto;font-variant-numeric:tabular-nums}
.body{border-top:1px solid var(--line);padding:4px 18px 14px}
.label{color:var(--quiet);font-size:12px;font-weight:600;margin:10px 0 4px}
pre{margin:0;background:var(--soft);border-radius:8px;padding:10px 12px;white-space:pre-wrap;overflow-wrap:anywhere;max-height:420px;overflow:auto}
img{max-width:100%;max-height:320px;border-radius:8px;border:1px solid var(--line);display:block;margin:4px 0}
footer{color:var(--quiet);font-size:12.5px;margin-top:30px;overflow-wrap:anywhere}
@media print{body{background:#fff}pre{max-height:none}.card,.tile{break-inside:avoid}}
`;

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
    [countOf(counters.totalToolCalls, "call"), `in ${countOf(counters.totalToolCallTurns, "turn")} with calls`],
    [countOf(usage.totalTokens, "token"), `${numberOf(usage.inputTokens)} in, ${numberOf(usage.outputTokens)} out`],
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
