import { escapeHtml } from "@toolplane/core/lib/text/escape-html";
import { plainText } from "@toolplane/core/lib/text/plain-text";
import type { AgentRun } from "@toolplane/core/model/agent/run-schema";
import { contentText } from "../style.ts";
import {
  factsOf,
  headOf,
  pictureOf,
  prettyJson,
  type TraceCall,
  type TraceMessage,
  titles,
  traceEntries,
} from "./render-text.ts";

const style =
  "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c2024;background:#fff}" +
  "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f5f7;padding:.6rem .8rem;border-radius:6px;margin:.3rem 0}" +
  "h2{font-size:1rem;margin:1.2rem 0 .2rem}summary{cursor:pointer}small{color:#5b6270;font-weight:400}" +
  "@media(prefers-color-scheme:dark){body{color:#e6e8eb;background:#15171a}pre{background:#202327}small{color:#a0a7b1}}";

/** A run as a page of its own: it loads nothing and runs nothing, whatever a model or a tool has said. */
export function renderRunPage(run: AgentRun): string {
  const [title = "", ...facts] = headOf(run).split("\n");
  const error = run.error ? section("Error", `${run.error.message} [${run.error.code}]`) : "";
  const sections = traceEntries(run).map((entry) =>
    entry.kind === "call" ? callSection(entry) : messageSection(entry),
  );
  return [
    "<!doctype html>",
    '<html lang="en">',
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escaped(title)}</title><style>${style}</style></head>`,
    `<body><h1>${escaped(title)}</h1>`,
    `<p>${facts.map(escaped).join("<br>")}</p>`,
    ...sections,
    error,
    "</body></html>",
    "",
  ].join("\n");
}

const escaped = (text: string) => escapeHtml(plainText(text));
const block = (text: string) => `<pre>${escaped(text)}</pre>`;
const section = (title: string, text: string) =>
  `<section><h2>${escaped(title)}</h2>${block(text)}</section>`;

function messageSection({ role, content, reasoning }: TraceMessage): string {
  const text = contentText(content, pictureOf);
  const parts: string[] = [];
  if (reasoning !== null)
    parts.push(`<details><summary>Reasoning</summary>${block(reasoning)}</details>`);
  if (text.trim() !== "") parts.push(section(titles[role], text));
  return parts.join("\n");
}

function callSection({ number, tool, arguments: args, result, facts }: TraceCall): string {
  const about = facts === null ? "" : ` <small>${escaped(factsOf(facts))}</small>`;
  const lines = [`<section><h2>${number}. ${escaped(tool)}${about}</h2>`];
  if (args !== null && args.trim() !== "") lines.push(block(prettyJson(args)));
  if (result !== null) lines.push(block(`→ ${prettyJson(contentText(result, pictureOf))}`));
  lines.push("</section>");
  return lines.join("\n");
}
