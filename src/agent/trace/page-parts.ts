import { escapeHtml } from "../../lib/text/plain-text.ts";
import { countOf } from "../../lib/text/wording.ts";
import type { AgentCall } from "../../model/agent/agent-run.ts";
import type { ChatContent } from "../../model/agent/chat.ts";
import type { Told, ToldCall, ToldMessage } from "./story.ts";
import { kindOf } from "./waterfall.ts";
import { durationOf, pictureOf, prettyJson } from "./words.ts";

const roles = {
  system: "System",
  user: "Question",
  assistant: "Model",
  answer: "Answer",
  tool: "Tool",
} as const;
const tones = { call: "good", bad: "bad", warn: "warn" } as const;
/** A picture that needs nobody's permission: it is in the page. */
const picture = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/;

/** One part of the conversation. Everything that is not ours goes through `escapeHtml`. */
export function renderTold(told: Told): string {
  return told.kind === "call" ? renderCall(told) : renderMessage(told);
}

function renderMessage({ role, content, reasoning }: ToldMessage): string {
  const thought = reasoning === null ? "" : `<div class="text thought">${escapeHtml(reasoning)}</div>`;
  return `<section class="card ${role}"><div class="role">${roles[role]}</div>${thought}${renderContent(content)}</section>`;
}

function renderCall({ number, tool, arguments: args, result, facts }: ToldCall): string {
  const body = [
    ...(args === null || args.trim() === "" ? [] : [labelled("Arguments", renderCode(args))]),
    ...(result === null ? [] : [labelled("Result", renderResult(result))]),
  ].join("");
  const shown =
    body === "" ? `<div class="body label">What was said is not kept.</div>` : `<div class="body">${body}</div>`;
  return `<details class="card call"${body === "" ? "" : " open"}><summary><span class="number">${number}</span><span class="tool mono">${escapeHtml(tool)}</span>${facts === null ? "" : renderFacts(facts)}</summary>${shown}</details>`;
}

function renderFacts({ status, durationMs, provider, attempts, record }: AgentCall): string {
  const facts = [
    durationOf(durationMs),
    ...(provider === null ? [] : [provider]),
    ...(attempts > 1 ? [countOf(attempts, "attempt")] : []),
    ...(record === null ? [] : [`call ${record}`]),
  ];
  return `<span class="pill ${tones[kindOf(status)]}">${escapeHtml(status.replaceAll("_", " "))}</span><span class="facts">${escapeHtml(facts.join(" · "))}</span>`;
}

function labelled(label: string, inner: string): string {
  return `<div class="label">${label}</div>${inner}`;
}

function renderCode(text: string): string {
  return `<pre>${escapeHtml(prettyJson(text))}</pre>`;
}

function renderResult(content: ChatContent): string {
  if (typeof content === "string") return renderCode(content);
  return content.map((block) => (block.type === "text" ? renderCode(block.text) : renderPicture(block))).join("");
}

function renderContent(content: ChatContent): string {
  if (typeof content === "string") return renderText(content);
  return content.map((block) => (block.type === "text" ? renderText(block.text) : renderPicture(block))).join("");
}

function renderText(text: string): string {
  return text.trim() === "" ? "" : `<div class="text">${escapeHtml(text)}</div>`;
}

function renderPicture(block: Parameters<typeof pictureOf>[0]): string {
  const { url } = block.image_url;
  return picture.test(url) ? `<img src="${escapeHtml(url)}" alt="A picture">` : renderText(pictureOf(block));
}
