import { createHash } from "node:crypto";
import { script } from "./script.ts";
import { style } from "./style.ts";

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
