import { PlaneError } from "../../model/errors.ts";
import { HttpProviderConfig } from "../../model/http-provider.ts";
import type { Json } from "../../model/json.ts";
import type { Provider } from "../../model/provider.ts";
import { readTraceContext } from "../../model/trace-context.ts";
import { readAnswer } from "./http-answer.ts";
import { connectFailure, refusedUnread, retryAfter, wasSent } from "./http-failure.ts";
import { type HttpRequest, prepareRequest } from "./http-request.ts";
import { mapArguments, pickResult, resultOf } from "./mapping.ts";
import { type Reveal, readConfig } from "./read-config.ts";

const maxRedirects = 5;

/** Executes a tool by an HTTP endpoint. `reveal` puts variables and secrets in their places. */
export function createHttpProvider(reveal: Reveal): Provider {
  return async (spec, args, { signal, idempotencyKey, meta }) => {
    const config = await readConfig(spec, reveal, (revealed) => HttpProviderConfig.parse(revealed));
    const mapped = mapArguments(config.argumentMap, args);
    const request = prepareRequest(config, mapped, { idempotencyKey, trace: readTraceContext(meta) });
    const response = await send(request, signal);
    const { status, statusText } = response;
    if (isFailure(status)) throw await broken(request, response);
    const answer = await readAnswer(response, request.url.host);
    if (status >= 400) return refusal(`HTTP ${status} ${statusText}`.trim(), answer);
    if ("block" in answer) return { content: [answer.block] };
    if ("text" in answer) return { content: answer.text === "" ? [] : [{ type: "text", text: answer.text }] };
    return pickResult(config.resultPath, resultOf(answer.json));
  };
}

/** What says nothing about the arguments is no answer of the tool: the endpoint is broken, gone or has no time. */
function isFailure(status: number): boolean {
  return status >= 500 || status < 200 || (status >= 300 && status < 400) || refusedUnread.includes(status);
}

async function broken({ url }: HttpRequest, { status, headers, body }: Response): Promise<PlaneError> {
  await body?.cancel();
  const sent = !refusedUnread.includes(status);
  const again = retryAfter(headers.get("retry-after"));
  return failed(url, `it answered HTTP ${status}`, { sent, status, ...again });
}

/** Where the endpoint sends us elsewhere on its own host we go; headers and arguments go to nobody else. */
async function send(first: HttpRequest, signal: AbortSignal): Promise<Response> {
  let request = first;
  for (let hops = 0; ; hops++) {
    const response = await ask(request, signal);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    await response.body?.cancel();
    const target = URL.canParse(location, request.url.href) ? new URL(location, request.url) : null;
    const data = { sent: hops > 0, retryAt: null };
    if (target?.origin !== first.url.origin) {
      throw failed(first.url, `it redirects to ${target?.origin ?? "nowhere"}; set 'url' to that`, data);
    }
    if (hops === maxRedirects) throw failed(first.url, "it redirects again and again", data);
    request = redirected(request, target, response.status);
  }
}

function redirected({ method, headers, body }: HttpRequest, url: URL, status: number): HttpRequest {
  if (status === 307 || status === 308 || method === "GET") return { url, method, headers, body };
  const { "content-type": _, ...others } = headers;
  return { url, method: "GET", headers: others, body: undefined };
}

async function ask({ url, method, headers, body }: HttpRequest, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      method,
      headers,
      redirect: "manual",
      signal,
      ...(body === undefined ? {} : { body }),
    });
  } catch (thrown) {
    throw failed(url, connectFailure(thrown, url.host), { sent: wasSent(thrown) }, thrown);
  }
}

function refusal(title: string, answer: Awaited<ReturnType<typeof readAnswer>>) {
  const said = "json" in answer ? JSON.stringify(answer.json) : "text" in answer ? answer.text : "";
  const structured: { structuredContent?: Json } = "json" in answer ? { structuredContent: answer.json } : {};
  const text = said === "" ? title : `${title}: ${said}`;
  return { content: [{ type: "text", text }], ...structured, isError: true };
}

/** Only the host: a path or query may hold secrets. */
function failed(url: URL, why: string, data: { sent: boolean; [key: string]: unknown }, cause?: unknown) {
  return new PlaneError("SERVER_UNAVAILABLE", `The endpoint at ${url.host} failed: ${why}.`, { data, cause });
}
