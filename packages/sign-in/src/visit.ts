import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "oidc-provider";

const maxBodyBytes = 64 * 1024;

/** One request to a page. */
export type Visit = {
  request: IncomingMessage;
  response: ServerResponse;
  /** Of the other end of the connection. */
  address: string;
};

/** Answers one page or form; `parts` are those of its path that are not fixed. */
export type Step = (visit: Visit, provider: Provider, parts: readonly string[]) => Promise<void>;

/** Forms of a page that leads back to a client end where that sends the browser on to, and browsers follow no further than a named target. */
export function headersFor(leadsBack = false): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    ...(leadsBack ? [] : ["form-action 'self'"]),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    // With none at all, browsers would send no origin with forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
  };
}

export function sendPage({ response }: Visit, body: string, status = 200, leadsBack = false): void {
  response
    .writeHead(status, { ...headersFor(leadsBack), "content-type": "text/html; charset=utf-8" })
    .end(body);
}

/** Too many requests: when to ask again. */
export function askLater({ response }: Visit, seconds: number): void {
  response.setHeader("retry-after", String(seconds));
}

export function sendJson({ response }: Visit, status: number, body: object): void {
  response
    .writeHead(status, { ...headersFor(), "content-type": "application/json" })
    .end(JSON.stringify(body));
}

export function redirect({ response }: Visit, location: string): void {
  response.writeHead(303, { ...headersFor(), location }).end();
}

export class BadVisit extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What is left of a body that is not read would stand before the next request of the connection. */
export function closeAfterLarge({ request: { headers }, response }: Visit): void {
  const isLarge =
    Number(headers["content-length"]) > maxBodyBytes || headers["transfer-encoding"] !== undefined;
  if (isLarge) response.setHeader("connection", "close");
}

async function readBody({ request }: Visit): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new BadVisit(413, "The form is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Forms of our own pages only: browsers name the page that sends one. */
export function requireOwnPage({ request }: Visit, origin: string): void {
  const { origin: from, "sec-fetch-site": site } = request.headers;
  if (from !== origin || (site !== undefined && site !== "same-origin"))
    throw new BadVisit(403, "Only this page itself may send this form.");
}

export async function readForm(visit: Visit): Promise<URLSearchParams> {
  return new URLSearchParams(await readBody(visit));
}

export async function readJson(visit: Visit): Promise<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(await readBody(visit));
    if (typeof body === "object" && body !== null && !Array.isArray(body))
      return body as Record<string, unknown>;
  } catch (thrown) {
    if (thrown instanceof BadVisit) throw thrown;
  }
  throw new BadVisit(400, "The body is no JSON object.");
}
