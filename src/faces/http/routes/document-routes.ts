import { createHash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { once } from "../../../lib/async/once.ts";
import { version } from "../../../lib/version.ts";
import type { Tag } from "../describe-route.ts";
import { script } from "../docs-page/script.ts";
import { type App, addRoute } from "../route.ts";

const tags: Record<Tag, string> = {
  Tools: "Finding tools and calling them.",
  Servers: "The MCP servers behind the plane, and what they offer beside their tools.",
  Calls: "What was called, by whom, and how it went.",
  Agents: "Models with tools.",
  Approvals: "Calls that wait for a person's yes, and plans of changes.",
  "Dead letters": "Calls that failed for good, and what becomes of them.",
  Registry: "The catalogue as a whole, and what changed in it.",
  Jobs: "Skills and jobs that are run, and what became of them.",
  Questions: "What servers ask people in the middle of calls.",
  "Sign-in": "Tokens of the caller's own for servers.",
  Keys: "API keys of this plane.",
  Events: "What happens, as it happens.",
  Operation: "For whoever watches over the process.",
};

/** OpenAPI 3.1, from what the routes themselves say. */
function createDocument(app: App): object {
  const { openAPIRegistry: registry } = app;
  registry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    description: "An API key (`toolplane keys create`) or a JWT of the configured issuer.",
  });
  registry.registerComponent("securitySchemes", "apiKey", {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
  });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Toolplane",
      version,
      description:
        "Every MCP server in one catalogue, every call on one path. On loopback, as long as no key and no issuer is configured, the person who started the plane is the caller; otherwise everything but `/healthz` needs a credential. Errors are `application/problem+json`; lists take `limit` and `cursor`.",
      license: { name: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "This plane" }],
    security: [{ bearer: [] }, { apiKey: [] }, {}],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  });
}

const style = `
:root { --ink: #1c2128; --dim: #5b6472; --line: #dde2e8; --back: #ffffff; --soft: #f5f7f9; --accent: #0b63ce;
  --get: #0b63ce; --post: #157347; --put: #9a5b00; --delete: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --dim: #9aa4b2; --line: #323945; --back: #14171c; --soft: #1c2027; --accent: #6cb0ff;
    --get: #6cb0ff; --post: #5fc98f; --put: #e3ad5c; --delete: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); color: var(--ink); background: var(--back);
  font: 15px/1.5 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.25rem 1rem; border-right: 1px solid var(--line);
  background: var(--soft); }
nav h1 { font-size: 1.1rem; margin: 0 0 .75rem; }
nav h2 { font-size: .75rem; text-transform: uppercase; letter-spacing: .06em; color: var(--dim); margin: 1.1rem 0 .25rem; }
nav a { display: block; color: inherit; text-decoration: none; font-size: .85rem; padding: .1rem .25rem; border-radius: 4px;
  overflow-wrap: anywhere; }
nav a:hover, nav a:focus-visible { background: var(--line); }
main { padding: 1.5rem 2rem 6rem; max-width: 62rem; }
section > h2 { margin: 2.5rem 0 .25rem; }
.dim { color: var(--dim); }
details.route { border: 1px solid var(--line); border-radius: 8px; margin: .6rem 0; background: var(--back); }
details.route > summary { cursor: pointer; padding: .55rem .8rem; display: flex; gap: .7rem; align-items: baseline; flex-wrap: wrap; }
details.route > div { padding: 0 .9rem .9rem; border-top: 1px solid var(--line); }
.method { font: 600 .75rem ui-monospace, monospace; text-transform: uppercase; min-width: 3.6em; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); } .delete { color: var(--delete); }
code, pre, .path { font-family: ui-monospace, monospace; font-size: .85rem; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .7rem; overflow: auto; max-height: 26rem; margin: .4rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; margin: .3rem 0; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 500; }
h4 { margin: 1rem 0 .2rem; font-size: .9rem; }
input, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .5rem; }
input { width: 100%; }
button { cursor: pointer; border-color: var(--accent); color: var(--accent); margin-top: .5rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.key { max-width: 30rem; margin: 1rem 0; }
@media (max-width: 800px) { body { grid-template-columns: minmax(0, 1fr); } nav { position: static; height: auto; border-right: 0; } main { padding: 1rem; } }
`;

/** The API about itself. Added last, so that the document holds every other route. */
export function addDocumentRoutes(app: App): void {
  const document = once(async () => JSON.stringify(createDocument(app)));
  const page = once(async () => docsPage());
  addRoute(
    app,
    {
      ...{ method: "get", path: "/openapi.json", tag: "Operation", scope: "read" },
      summary: "This document",
      answers: { 200: { description: "OpenAPI 3.1.", schema: z.looseObject({ openapi: z.string() }) } },
    },
    async ({ c }) => c.body(await document(), 200, { "content-type": "application/json" }),
  );
  addRoute(
    app,
    {
      ...{ method: "get", path: "/docs", tag: "Operation", scope: "read" },
      summary: "The same to read, with a form to try what only reads",
      answers: { 200: { description: "A page that loads nothing from elsewhere.", type: "text/html" } },
    },
    async ({ c }) => {
      const { html, policy } = await page();
      return c.body(html, 200, {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      });
    },
  );
}

/** One page with everything in it. It may run its own script, ask this plane, and nothing else. */
export function docsPage(): { html: string; policy: string } {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Toolplane API</title>
<style>${style}</style>
</head>
<body>
<nav id="nav" aria-label="Routes"><h1>Toolplane API</h1><input id="filter" type="search" placeholder="Find a route" aria-label="Find a route"><div id="links"></div></nav>
<main id="main"><p id="state">Loading the document …</p></main>
<script>${script}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src '${fingerprint(script)}'`,
    `style-src '${fingerprint(style)}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return { html, policy };
}

function fingerprint(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
