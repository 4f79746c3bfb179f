import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { appFramePath } from "../../model/catalogue/tool-page.ts";
import { PlaneError } from "../../model/errors.ts";
import { renderAppFrame } from "./app-frame.ts";
import { createOriginCheck } from "./origin.ts";
import { sendProblem } from "./render.ts";

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

const base = "/workbench";

/** What the page may load: its own files, and nothing that was injected into it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  // Pages of MCP Apps; where such a page goes by itself is under this, too.
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Names of ours; whatever could lead out of the directory is none of them. */
const fileName = /^(?:assets\/)?[A-Za-z0-9_-][A-Za-z0-9_.-]*\.(?:html|js|css|svg|woff2)$/;

const encodings = [
  { name: "br", ending: ".br" },
  { name: "gzip", ending: ".gz" },
] as const;

/** Browsers ask for it by themselves, without a credential; the pages name their own picture. */
const iconPath = "/favicon.ico";

/**
 * The browser's app: files without data of users, so no credential is needed for them. Without a
 * framework in between, like the MCP endpoint; everything else goes on to `next`.
 */
export function createWorkbenchFront(
  directory: string,
  host: string,
  next: Listener,
  allowHosts: readonly string[] = [],
): Listener {
  const refuse = createOriginCheck(host, allowHosts);
  return (request, response) => {
    const { url = "" } = request;
    const [path = ""] = url.split("?", 1);
    const isOurs =
      path === "/" || path === base || path.startsWith(`${base}/`) || path === iconPath;
    if (!isOurs || (request.method !== "GET" && request.method !== "HEAD"))
      return next(request, response);
    // Other sites may lead people here, and their pages may load these files: there is nothing of users in them.
    const refusal = refuse({ host: request.headers.host, origin: request.headers.origin });
    if (refusal) return sendProblem(response, refusal);
    if (path === iconPath) return void response.writeHead(404).end();
    if (path === "/" || path === base)
      return void response
        .writeHead(302, { location: `${base}/`, "cache-control": "no-store" })
        .end();
    if (path === appFramePath) {
      const { headers, body } = renderAppFrame(url.slice(path.length), request.headers.host ?? "");
      return void response
        .writeHead(200, headers)
        .end(request.method === "HEAD" ? undefined : body);
    }
    void sendFile(directory, path.slice(base.length + 1), request, response);
  };
}

/** What is no file is a place inside the app, which the page itself knows. */
async function sendFile(
  directory: string,
  filePath: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isPlace = !filePath.startsWith("assets/") && !fileName.test(filePath);
  const name = isPlace ? "index.html" : filePath;
  const file = fileName.test(name) ? await readEncoded(join(directory, name), request) : null;
  if (file === null) return sendProblem(response, missing(isPlace));
  const isHashed = name.startsWith("assets/");
  response.writeHead(200, {
    "content-type": types[extname(name)] ?? "application/octet-stream",
    "content-length": file.content.byteLength,
    "cache-control": isHashed ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "Accept-Encoding",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    ...(name.endsWith(".html") && { "content-security-policy": policy }),
    ...(file.encoding !== null && { "content-encoding": file.encoding }),
  });
  response.end(request.method === "HEAD" ? undefined : file.content);
}

/** The smallest form that the browser takes. */
async function readEncoded(file: string, { headers }: IncomingMessage) {
  const accepted = String(headers["accept-encoding"] ?? "");
  for (const { name, ending } of encodings) {
    if (!new RegExp(`\\b${name}\\b`).test(accepted)) continue;
    const content = await readFile(file + ending).catch(() => null);
    if (content) return { content, encoding: name };
  }
  const content = await readFile(file).catch(() => null);
  return content && { content, encoding: null };
}

function missing(isPlace: boolean): PlaneError {
  const message = isPlace
    ? "The workbench is not built. In a checkout, run 'npm run build:workbench'; 'npm start' does that by itself."
    : "The workbench has no such file. Reload the page: it may be of another version.";
  return new PlaneError("NOT_FOUND", message);
}
