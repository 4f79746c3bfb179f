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
  const told = traceEntries(run).map((entry) =>
    entry.kind === "call" ? callSection(entry) : messageSection(entry),
  );
  return [
    "<!doctype html>",
    '<html lang="en">',
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${shown(title)}</title><style>${style}</style></head>`,
    `<body><h1>${shown(title)}</h1>`,
    `<p>${facts.map(shown).join("<br>")}</p>`,
    ...told,
    error,
    "</body></html>",
    "",
  ].join("\n");
}

const shown = (text: string) => escapeHtml(plainText(text));
const block = (text: string) => `<pre>${shown(text)}</pre>`;
const section = (title: string, text: string) =>
  `<section><h2>${shown(title)}</h2>${block(text)}</section>`;

function messageSection({ role, content, reasoning }: TraceMessage): string {
  const said = contentText(content, pictureOf);
  return [
    ...(reasoning === null
      ? []
      : [`<details><summary>Reasoning</summary>${block(reasoning)}</details>`]),
    ...(said.trim() === "" ? [] : [section(titles[role], said)]),
  ].join("\n");
}

function callSection({ number, tool, arguments: args, result, facts }: TraceCall): string {
  const about = facts === null ? "" : ` <small>${shown(factsOf(facts))}</small>`;
  return [
    `<section><h2>${number}. ${shown(tool)}${about}</h2>`,
    ...(args === null || args.trim() === "" ? [] : [block(prettyJson(args))]),
    ...(result === null ? [] : [block(`→ ${prettyJson(contentText(result, pictureOf))}`)]),
    "</section>",
  ].join("\n");
}
