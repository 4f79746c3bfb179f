import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { decodeBody, UnknownEncoding } from "../../lib/net/decode-body.ts";
import { sizeText } from "../../lib/text/wording.ts";
import { TransportError } from "../../protocol/message.ts";
import { createSseParser, type SseOptions } from "../../protocol/sse-parser.ts";

export function readResponseBody(response: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const body = decoded(response);
    let size = 0;
    const count = (bytes: number) => {
      size += bytes;
      if (size <= limitBytes) return true;
      reject(tooLarge(limitBytes));
      body.destroy();
      response.destroy();
      return false;
    };
    // An announced length is enough to refuse.
    if (Number(response.headers["content-length"]) > limitBytes)
      return count(Number.POSITIVE_INFINITY);
    body.on("data", (chunk: Buffer) => {
      if (count(chunk.length)) chunks.push(chunk);
    });
    body.on("end", () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)),
    );
    body.on("error", (cause) =>
      reject(new TransportError(`the answer broke off: ${cause.message}`, { sent: true, cause })),
    );
    if (body !== response)
      body.on("close", () => reject(new TransportError("the answer broke off", { sent: true })));
  });
}

/** Resolves when the stream is over, for whatever reason. */
export function readEvents(
  response: IncomingMessage,
  onData: (data: string, event: string) => void,
  options: SseOptions,
): Promise<void> {
  return new Promise((resolve) => {
    const body = decoded(response);
    body.setEncoding("utf8").on("data", createSseParser(onData, options));
    body.on("end", resolve);
    body.on("close", resolve);
    body.on("error", () => resolve());
    if (response.destroyed) resolve();
  });
}

export function isEventStream({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.includes("text/event-stream") ?? false;
}

/** We ask for plain answers; some servers compress all the same. Limits count what is decoded. */
function decoded(response: IncomingMessage): Readable {
  try {
    return decodeBody(response);
  } catch (thrown) {
    if (!(thrown instanceof UnknownEncoding)) throw thrown;
    const reason = `its answer is compressed with ${thrown.message}, which is not known here`;
    throw new TransportError(reason, { sent: true, permanent: true });
  }
}

/** May the answer be another one later? */
export function isPassing(status: number): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}

/** A status is an answer: the request has left, and what the server did before it answered is not known. */
export function refused(response: IncomingMessage, url: URL): TransportError {
  const status = response.statusCode ?? 0;
  const { location } = response.headers;
  if (status < 400)
    return new TransportError(
      `${url.origin} redirects to ${originOf(location, url)}; set 'url' to that`,
      { sent: true, status },
    );
  return new TransportError(refusal(status), {
    sent: true,
    permanent: !isPassing(status),
    status,
    retryAfterMs: readRetryAfter(response.headers["retry-after"]),
  });
}

/** The same where a stream or a socket was to be opened: no request has left yet. */
export function refusedToOpen(response: IncomingMessage, url: URL): TransportError {
  const refusal = refused(response, url);
  return new TransportError(refusal.message, { ...refusal, sent: false, answered: false });
}

function refusal(status: number): string {
  if (status === 401 || status === 403)
    return `it answered HTTP ${status}. Check its 'headers' or token`;
  if (status === 404) return "it answered HTTP 404. Check the path of 'url'";
  return `it answered HTTP ${status}`;
}

export function readRetryAfter(
  value: string | undefined,
  now: number = Date.now(),
): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The other side closed the socket. */
export const cutCodes: readonly (string | undefined)[] = ["ECONNRESET", "EPIPE"];

export function transportFailure(error: NodeJS.ErrnoException, url: URL): string {
  const { code = "" } = error;
  if (error.name === "AbortError") return "the request was given up";
  if (code === "ERR_PROXY") return error.message;
  if (code === "ECONNREFUSED") return `nothing listens at ${url.host}. Is the server running?`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `host '${url.hostname}' was not found`;
  if (code === "EPROTO" || code.startsWith("ERR_SSL"))
    return `${url.host} does not speak TLS. Does 'url' begin with the right scheme?`;
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code))
    return `the certificate of ${url.host} is not trusted (${code}). Correct it, or name its authority in NODE_EXTRA_CA_CERTS`;
  if (code.startsWith("HPE_"))
    return `what listens at ${url.host} does not speak HTTP. Check the scheme and the port of 'url'`;
  if (cutCodes.includes(code)) return `the connection to ${url.host} was cut`;
  return `the connection to ${url.host} failed: ${error.message || code}`;
}

/** Without any server a retry is of no use. */
export function isNothingThere({ cause }: TransportError): boolean {
  return (
    cause instanceof Error &&
    "code" in cause &&
    ["ECONNREFUSED", "ENOTFOUND"].includes(String(cause.code))
  );
}

export function tooLarge(limitBytes: number): TransportError {
  const message = `its answer exceeds the limit of ${sizeText(limitBytes)} ('maxMessageBytes')`;
  return new TransportError(message, { sent: true, permanent: true, tooLarge: true });
}

/** Only the origin: a path or query may hold secrets. */
function originOf(location: string | undefined, base: URL): string {
  if (location === undefined || !URL.canParse(location, base.href)) return "nowhere";
  return new URL(location, base).origin;
}
