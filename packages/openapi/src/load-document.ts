import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { configured } from "@toolplane/core/lib/net/egress";
import type { Exchanged } from "@toolplane/core/lib/net/exchange";
import { RequestFailed, sendRequest } from "@toolplane/core/lib/net/send-request";
import { version } from "@toolplane/core/lib/version";
import type { ServerDefinition } from "@toolplane/core/model/servers/server";
import { TransportError } from "@toolplane/core/protocol/message";
import { maxDocumentBytes } from "./document.ts";

/** A document as it was read, and what tells whether it has changed. */
export type Source = { text: string; url: URL | null; mark: string };

const timeoutMs = 20_000;

/** Null where it is still the one with this mark. */
export async function loadDocument(
  definition: ServerDefinition,
  known: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Source | null> {
  const place = definition.openapi ?? "";
  if (/^https?:\/\//i.test(place)) return fetchDocument(definition, new URL(place), known, signal);
  return readDocument(place, known);
}

async function readDocument(place: string, known: string | undefined): Promise<Source | null> {
  try {
    const file = /^file:\/\//i.test(place) ? fileURLToPath(place) : place;
    const found = await stat(file);
    if (!found.isFile()) throw unusable("the OpenAPI document is not a file. Correct 'openapi'");
    if (found.size > maxDocumentBytes) throw tooLarge();
    const mark = `${found.mtimeMs} ${found.size} ${found.ino}`;
    return mark === known
      ? null
      : { text: withoutMark(await readFile(file, "utf8")), url: null, mark };
  } catch (thrown) {
    if (thrown instanceof TransportError) throw thrown;
    const { code = "unknown error" } = thrown as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "was not found" : `cannot be read (${code})`;
    throw unusable(`the file of its OpenAPI document ${why}. Correct 'openapi'`);
  }
}

async function fetchDocument(
  { headers, baseUrl }: ServerDefinition,
  url: URL,
  known: string | undefined,
  given: AbortSignal | undefined,
): Promise<Source | null> {
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = given ? AbortSignal.any([given, limit]) : limit;
  const options = { gate: configured, signal, maxBytes: maxDocumentBytes, addressKey: "openapi" };
  const ask = (own: Readonly<Record<string, string>>) =>
    sendRequest(
      { url, method: "GET", headers: { ...usual, ...marks(known), ...own }, body: undefined },
      options,
    );
  try {
    let answer = await ask({});
    // Credentials of the API go to its own host, and only where that asks for them.
    const isOwn = baseUrl === undefined || new URL(baseUrl).origin === url.origin;
    if ([401, 403].includes(answer.status) && isOwn && Object.keys(headers).length > 0)
      answer = await ask(headers);
    const { status, body } = answer;
    if (status === 304 && known !== undefined) return null;
    if (status !== 200)
      throw unusable(
        `its OpenAPI document at ${url.host} was answered with HTTP ${status}`,
        status,
      );
    return { text: withoutMark(body.toString("utf8")), url, mark: markOf(answer.headers) };
  } catch (thrown) {
    if (!(thrown instanceof RequestFailed)) throw thrown;
    if (thrown.kind === "tooLarge") throw tooLarge();
    const why = limit.aborted ? `no answer within ${timeoutMs / 1_000} s` : thrown.message;
    throw unusable(`its OpenAPI document at ${url.host} could not be read: ${why}`);
  }
}

const usual = {
  accept: "application/json, application/yaml;q=0.9, text/yaml;q=0.9, */*;q=0.5",
  "user-agent": `toolplane/${version}`,
  "accept-encoding": "gzip, deflate, br",
};

function markOf({ etag, "last-modified": modified }: Exchanged["headers"]): string {
  return JSON.stringify({ etag, modified });
}

function marks(known: string | undefined): Record<string, string> {
  const { etag, modified } = JSON.parse(known ?? "{}") as { etag?: string; modified?: string };
  return {
    ...(etag && { "if-none-match": etag }),
    ...(modified && { "if-modified-since": modified }),
  };
}

function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

function tooLarge(): TransportError {
  return unusable(`its OpenAPI document is larger than ${maxDocumentBytes / 1024 / 1024} MiB`);
}

export function unusable(message: string, status?: number): TransportError {
  // Another status would count as one of an MCP server.
  const shown = status === 401 || status === 403 ? { status } : {};
  return new TransportError(message, { sent: false, ...shown });
}
