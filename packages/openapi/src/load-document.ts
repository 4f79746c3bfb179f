import { readFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { eitherSignal } from "@toolplane/core/lib/async/signals";
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
  knownMark: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Source | null> {
  const location = definition.openapi ?? "";
  if (/^https?:\/\//i.test(location))
    return fetchDocument(definition, new URL(location), knownMark, signal);
  return readDocument(location, knownMark);
}

async function readDocument(
  location: string,
  knownMark: string | undefined,
): Promise<Source | null> {
  try {
    const file = /^file:\/\//i.test(location) ? fileURLToPath(location) : location;
    const stats = await stat(file);
    if (!stats.isFile()) throw unusable("the OpenAPI document is not a file. Correct 'openapi'");
    if (stats.size > maxDocumentBytes) throw tooLarge();
    const mark = `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
    if (mark === knownMark) return null;
    return { text: withoutByteOrderMark(await readFile(file, "utf8")), url: null, mark };
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
  knownMark: string | undefined,
  callerSignal: AbortSignal | undefined,
): Promise<Source | null> {
  const timeLimit = AbortSignal.timeout(timeoutMs);
  const signal = eitherSignal(callerSignal, timeLimit);
  const options = { gate: configured, signal, maxBytes: maxDocumentBytes, addressKey: "openapi" };
  const request = (credentials: Readonly<Record<string, string>>) =>
    sendRequest(
      {
        url,
        method: "GET",
        headers: { ...usualHeaders, ...conditionalHeaders(knownMark), ...credentials },
        body: undefined,
      },
      options,
    );
  try {
    let response = await request({});
    // Credentials of the API go to its own host, and only where that asks for them.
    const isOwn = baseUrl === undefined || new URL(baseUrl).origin === url.origin;
    if ([401, 403].includes(response.status) && isOwn && Object.keys(headers).length > 0)
      response = await request(headers);
    const { status, body } = response;
    if (status === 304 && knownMark !== undefined) return null;
    if (status !== 200)
      throw unusable(
        `its OpenAPI document at ${url.host} was answered with HTTP ${status}`,
        status,
      );
    return {
      text: withoutByteOrderMark(body.toString("utf8")),
      url,
      mark: markOf(response.headers),
    };
  } catch (thrown) {
    if (!(thrown instanceof RequestFailed)) throw thrown;
    if (thrown.kind === "tooLarge") throw tooLarge();
    const why = timeLimit.aborted ? `no answer within ${timeoutMs / 1_000} s` : thrown.message;
    throw unusable(`its OpenAPI document at ${url.host} could not be read: ${why}`);
  }
}

const usualHeaders = {
  accept: "application/json, application/yaml;q=0.9, text/yaml;q=0.9, */*;q=0.5",
  "user-agent": `toolplane/${version}`,
  "accept-encoding": "gzip, deflate, br",
};

function markOf({ etag, "last-modified": modified }: Exchanged["headers"]): string {
  return JSON.stringify({ etag, modified });
}

function conditionalHeaders(knownMark: string | undefined): Record<string, string> {
  const { etag, modified } = JSON.parse(knownMark ?? "{}") as { etag?: string; modified?: string };
  const headers: Record<string, string> = {};
  if (etag) headers["if-none-match"] = etag;
  if (modified) headers["if-modified-since"] = modified;
  return headers;
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

function tooLarge(): TransportError {
  return unusable(`its OpenAPI document is larger than ${maxDocumentBytes / 1024 / 1024} MiB`);
}

export function unusable(message: string, status?: number): TransportError {
  // Another status would count as one of an MCP server.
  const isRefusal = status === 401 || status === 403;
  return new TransportError(message, isRefusal ? { sent: false, status } : { sent: false });
}
