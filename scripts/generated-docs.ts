import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { configSchema, manifestSchema } from "../src/config/schemas.ts";
import { type ErrorCode, errorTable } from "../src/model/errors.ts";
import { renderCommandDocs } from "./command-docs.ts";
import {
  renderCompatibilityDocs,
  renderCompatibilityReport,
  reportPath,
} from "./compatibility-docs.ts";
import { renderConfigDocs } from "./config-docs.ts";
import { renderConfigTypes } from "./config-types.ts";
import { drawRooms } from "./draw-rooms.ts";
import { renderEventDocs } from "./event-docs.ts";
import { renderHttpDocs } from "./http-docs.ts";
import { renderProviderDocs, renderTransportDocs } from "./kind-docs.ts";
import { renderLibraryDocs } from "./library-docs.ts";
import { renderPlaneMethods } from "./plane-methods.ts";

export const root = join(import.meta.dirname, "..");
export const errorPages = "docs/errors";

type Doc = { path: string; text: string };

/** What the documents repeat from the code. Written by `npm run docs`, compared in a test. */
export function generatedDocs(): Doc[] {
  const pages = codes.map(errorPage);
  return [
    { path: `${errorPages}/README.md`, text: renderErrors() },
    ...pages,
    { path: "src/faces/cli/error-pages.json", text: renderPages(pages) },
    renderInPage("docs/commands.md", renderCommandDocs),
    { path: "docs/compatibility.md", text: renderCompatibilityDocs() },
    { path: reportPath, text: renderCompatibilityReport() },
    renderInPage("docs/configuration.md", renderConfigDocs),
    { path: "docs/images/rooms.svg", text: drawRooms() },
    { path: "docs/events.md", text: renderEventDocs() },
    renderInPage("docs/http.md", renderHttpDocs),
    { path: "docs/library-reference.md", text: renderLibraryDocs() },
    renderInPage("docs/servers.md", renderTransportDocs),
    renderInPage("docs/tools.md", renderProviderDocs),
    ...renderConfigTypes(),
    renderPlaneMethods(),
    { path: "manifest.schema.json", text: `${JSON.stringify(manifestSchema(), null, 2)}\n` },
    { path: "toolplane.schema.json", text: `${JSON.stringify(configSchema(), null, 2)}\n` },
  ];
}

function renderInPage(path: string, render: (page: string) => string): Doc {
  return { path, text: render(readFileSync(join(root, path), "utf8")) };
}

const codes = Object.keys(errorTable) as ErrorCode[];

/** The head follows the code; what people wrote below it stays. */
function errorPage(code: ErrorCode): Doc {
  const path = `${errorPages}/${code}.md`;
  const file = join(root, path);
  return {
    path,
    text: existsSync(file) ? withHead(readFileSync(file, "utf8"), code) : skeleton(code),
  };
}

/** For `toolplane explain`, which has no other files beside it once it is installed. */
function renderPages(pages: readonly Doc[]): string {
  const written = pages.map(({ text }, at) => [codes[at], textBelowHead(text).trim()]);
  return `${JSON.stringify(Object.fromEntries(written), null, 2)}\n`;
}

const headEnd = "<!-- /generated -->\n";
/** Stands in a page until it is written. */
export const unwritten = "This page is not written yet.";

function withHead(page: string, code: ErrorCode): string {
  return renderHead(code) + textBelowHead(page);
}

/** What people wrote. */
export function textBelowHead(page: string): string {
  const end = page.indexOf(headEnd);
  return end < 0 ? `\n${page}` : page.slice(end + headEnd.length);
}

function skeleton(code: ErrorCode): string {
  return `${renderHead(code)}\n## What happened\n\n${unwritten}\n`;
}

function renderHead(code: ErrorCode): string {
  const { http, rpc, exit, retryable, category, means } = errorTable[code];
  return `<!-- generated -->
# ${code}

${means}

HTTP ${http}, JSON-RPC ${rpc}, exit code ${exit}, ${category}, ${retryable ? "retryable" : "not retryable"}. [All codes](README.md)
${headEnd}`;
}

function renderErrors(): string {
  return `# Errors

Every error has one code, and every face shows the same one: the command line behind its message and as exit
code, HTTP as status and \`code\` of the problem document, the library in \`outcome.error.code\`. \`toolplane explain CODE\`
prints the page of a code.

<!-- Generated from src/model/errors.ts by npm run docs. -->

Each with its HTTP status and exit code; a retry may help where it says so.

${codes.map(renderRow).join("\n")}

Three kinds of failure are kept apart, because they want different reactions:

- **a tool error** (\`TOOL_ERROR\`): the tool ran and reported an error. That is an answer, and a model should read it.
- **a provider failed** (categories \`dependency\`, \`transient\`, and \`PROVIDER_FAILED\`): it counts against the
  provider's health. It is tried again only where running twice does no harm.
- **the plane refused** (categories \`validation\` and \`policy\`): the server was never contacted.

## An error as data

\`\`\`json
{
  "code": "INVALID_ARGUMENTS",
  "category": "validation",
  "message": "The arguments of 'demo.add' are invalid: /a must be number, got string. It takes: a (number, required), b (number, required).",
  "recoverable": false,
  "server": null,
  "tool": "demo.add",
  "attempts": 0,
  "cause": null,
  "data": { "problems": [{ "path": "/a", "message": "must be number, got string" }] }
}
\`\`\`
`;
}

function renderRow(code: ErrorCode): string {
  const { http, exit, retryable, means } = errorTable[code];
  return `- [\`${code}\`](${code}.md) (${http}, ${exit}${retryable ? ", retry" : ""}): ${means}`;
}
