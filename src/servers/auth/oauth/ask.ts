import http from "node:http";
import https from "node:https";
import { isObject, type UnknownObject } from "../../../model/json.ts";
import { TransportError } from "../../../protocol/message.ts";
import { OAuthProblem } from "./problem.ts";
import { guardedLookup, type Reach } from "./reach.ts";

const limitMs = 10_000;
const bodyLimitBytes = 512 * 1024;
const maxRedirects = 3;

export type Question = {
  url: URL;
  reach: Reach;
  headers?: Readonly<Record<string, string>>;
  /** Sent with POST. */
  form?: URLSearchParams;
  json?: unknown;
};

/** `body` is null when the answer is no JSON object. */
export type Answer = { status: number; body: UnknownObject | null; wwwAuthenticate: string | null };

/** One request with limits on everything. Redirects are followed for reading, and only within an origin. */
export async function ask(question: Question): Promise<Answer> {
  const signal = AbortSignal.timeout(limitMs);
  let { url } = question;
  for (let redirects = 0; ; redirects += 1) {
    const { response, text } = await exchange({ ...question, url }, signal);
    const status = response.statusCode ?? 0;
    const location = response.headers.location;
    if (status < 300 || status >= 400 || location === undefined) {
      return { status, body: parse(text), wwwAuthenticate: response.headers["www-authenticate"] ?? null };
    }
    const next = URL.canParse(location, url.href) ? new URL(location, url) : null;
    if (next?.origin !== url.origin || isWriting(question) || redirects === maxRedirects)
      throw new OAuthProblem(`${url.origin} redirects, which is not followed`);
    url = next;
  }
}

type Exchange = { response: http.IncomingMessage; text: string };

function exchange(question: Question, signal: AbortSignal): Promise<Exchange> {
  const { url, reach } = question;
  const body = bodyOf(question);
  return new Promise((resolve, reject) => {
    const request = (url.protocol === "https:" ? https : http).request(url, {
      method: body === null ? "GET" : "POST",
      headers: {
        accept: "application/json",
        ...body?.headers,
        ...question.headers,
      },
      lookup: guardedLookup(reach),
      agent: false,
      signal,
    });
    request.on("error", (error) => reject(failure(error, url, signal)));
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > bodyLimitBytes) response.destroy(new OAuthProblem(`${url.origin} answers too much`));
        else chunks.push(chunk);
      });
      response.on("end", () => resolve({ response, text: Buffer.concat(chunks).toString("utf8") }));
      response.on("error", (error) => reject(failure(error, url, signal)));
    });
    request.end(body?.text);
  });
}

function bodyOf({ form, json }: Question): { text: string; headers: Record<string, string> } | null {
  const [text, type] =
    form === undefined
      ? [json === undefined ? null : JSON.stringify(json), "application/json"]
      : [form.toString(), "application/x-www-form-urlencoded"];
  if (text === null) return null;
  return { text, headers: { "content-type": type, "content-length": String(Buffer.byteLength(text)) } };
}

function isWriting({ form, json }: Question): boolean {
  return form !== undefined || json !== undefined;
}

/** Only the origin is told: a path or query may hold secrets. Nothing reached the MCP server itself. */
function failure(error: NodeJS.ErrnoException, url: URL, signal: AbortSignal): Error {
  if (error instanceof OAuthProblem) return error;
  const why = signal.aborted ? `no answer within ${limitMs / 1_000} s` : (error.code ?? "it broke off");
  return new TransportError(`${url.origin} could not be asked: ${why}`, { sent: false, cause: error });
}

function parse(text: string): UnknownObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
