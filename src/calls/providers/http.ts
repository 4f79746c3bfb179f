import { once } from "../../lib/async/once.ts";
import { readJson } from "../../lib/json/measure-json.ts";
import type { Egress, Gate } from "../../lib/net/egress.ts";
import type { Agents, Exchanged } from "../../lib/net/exchange.ts";
import {
  busyStatuses,
  connectFailure,
  type OutgoingRequest,
  RequestFailed,
  retryAfterMs,
  sendRequest,
  wasSent,
} from "../../lib/net/send-request.ts";
import { version } from "../../lib/version.ts";
import {
  mapArguments,
  type Provider,
  type ProviderContext,
  readTraceContext,
  type TraceContext,
} from "../../model/calls/provider.ts";
import { HttpProviderConfig } from "../../model/calls/provider-kinds.ts";
import type { ContentBlock } from "../../model/calls/result.ts";
import { type ErrorData, PlaneError } from "../../model/errors.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { pickResult, type Reveal, readConfig, resultOf } from "./mapping.ts";

export function retryAfter(
  header: string | null | undefined,
  now?: number,
): { retryInMs?: number; announced?: true } {
  const retryInMs = retryAfterMs(header, now);
  if (retryInMs === undefined) return {};
  return { retryInMs, announced: true };
}

const maxBytes = 10 * 1024 * 1024;

type Answer = { json: Json } | { text: string } | { block: ContentBlock };

function readAnswer({ headers, body }: Exchanged): Answer {
  const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const [kind] = /^(image|audio)(?=\/)/.exec(type) ?? [];
  if (kind) return { block: { type: kind, mimeType: type, data: body.toString("base64") } };
  const text = new TextDecoder().decode(body);
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(type) || text.trim() === "") return { text };
  const json = readJson(text) as Json | undefined;
  // Says JSON, sends something else: it is still the answer.
  return json === undefined ? { text } : { json };
}

/** A tool of the configuration may be anywhere; the address of one that was set over a face is judged. */
export function createHttpProvider(reveal: Reveal, { configured, stranger }: Egress): Provider {
  const connections = {
    configured: connectionThrough(configured),
    stranger: connectionThrough(stranger),
  };
  return async (spec, args, { signal, idempotencyKey, meta, mayRepeat, onWrite }) => {
    const config = await readConfig(spec, reveal, (revealed) => HttpProviderConfig.parse(revealed));
    const mapped = mapArguments(config.argumentMap, args);
    const request = prepareRequest(config, mapped, {
      idempotencyKey,
      trace: readTraceContext(meta),
    });
    const connection = await (spec.isJudged ? connections.stranger : connections.configured)();
    const response = await send(request, { ...connection, signal, mayRepeat, onWrite });
    const { status, statusText, headers } = response;
    if (isFailure(status))
      throw failed(request.url, `it answered HTTP ${status}`, {
        sent: true,
        answered: true,
        status,
        ...retryAfter(headers["retry-after"]),
      });
    const answer = readAnswer(response);
    if (status >= 400) return refusal(`HTTP ${status} ${statusText}`.trim(), answer);
    if ("block" in answer) return { content: [answer.block] };
    if ("text" in answer)
      return { content: answer.text === "" ? [] : [{ type: "text", text: answer.text }] };
    return pickResult(config.resultPath, resultOf(answer.json));
  };
}

type Connection = { gate: Gate; agents: Agents };

/** Node's HTTP stack is loaded with the first request. */
function connectionThrough(gate: Gate): () => Promise<Connection> {
  return once(async () => ({
    gate,
    agents: (await import("../../lib/net/exchange.ts")).createAgents(),
  }));
}

/** Says nothing about the arguments: the endpoint is broken, gone or busy. */
function isFailure(status: number): boolean {
  return (
    status >= 500 ||
    status < 200 ||
    (status >= 300 && status < 400) ||
    busyStatuses.includes(status)
  );
}

type Sending = Connection & Pick<ProviderContext, "signal" | "mayRepeat" | "onWrite">;

async function send(request: OutgoingRequest, sending: Sending): Promise<Exchanged> {
  try {
    return await sendRequest(request, { ...sending, maxBytes, addressKey: "url" });
  } catch (thrown) {
    if (!(thrown instanceof RequestFailed)) throw thrown;
    const { message, kind, sent, permanent } = thrown;
    const { host } = request.url;
    if (kind === "tooLarge") {
      const text = `The answer of the endpoint at ${host} is larger than ${maxBytes / 1024 / 1024} MiB.`;
      throw new PlaneError("PROVIDER_FAILED", text, { data: { sent, answered: true } });
    }
    if (kind === "broken") {
      const text = `The answer of the endpoint at ${host} broke off.`;
      const data = { sent, answered: true };
      throw new PlaneError("SERVER_UNAVAILABLE", text, { data, cause: thrown });
    }
    const data = permanent ? { sent, retryAt: null } : { sent };
    throw failed(request.url, message, data, thrown);
  }
}

function refusal(title: string, answer: Answer) {
  const body = bodyText(answer);
  const text = body === "" ? title : `${title}: ${body}`;
  const content = [{ type: "text", text }];
  if ("json" in answer) return { content, structuredContent: answer.json, isError: true };
  return { content, isError: true };
}

function bodyText(answer: Answer): string {
  if ("json" in answer) return JSON.stringify(answer.json);
  return "text" in answer ? answer.text : "";
}

/** Only the host: a path or query may hold secrets. */
function failed(
  url: URL,
  why: string,
  data: { sent: boolean; [key: string]: unknown },
  cause?: unknown,
) {
  return new PlaneError("SERVER_UNAVAILABLE", `The endpoint at ${url.host} failed: ${why}.`, {
    data,
    cause,
  });
}

type HttpRequest = OutgoingRequest & { body: string | undefined };

type RequestMarks = { idempotencyKey?: string | undefined; trace?: TraceContext | null };

/** Arguments that neither url, `query` nor `body` names go into the body of a method that has one, else into the query. */
export function prepareRequest(
  config: HttpProviderConfig,
  args: JsonObject,
  { idempotencyKey, trace }: RequestMarks = {},
): HttpRequest {
  const unusedArgs = new Map(Object.entries(args));
  const url = fillUrl(config.url, unusedArgs);
  const query = takeFields(config.query, unusedArgs);
  const body = takeFields(config.body, unusedArgs);
  const method = config.method ?? (config.body ? "POST" : "GET");
  const hasBody = method !== "GET" && method !== "DELETE";
  if (hasBody && config.body === undefined) Object.assign(body, Object.fromEntries(unusedArgs));
  else if (!hasBody && config.query === undefined)
    Object.assign(query, Object.fromEntries(unusedArgs));
  for (const [name, value] of Object.entries(query)) addToQuery(url, name, value);
  const isSent = hasBody || Object.keys(body).length > 0;
  const headers: Record<string, string> = {
    accept: "application/json, text/*;q=0.9, */*;q=0.5",
    "user-agent": `toolplane/${version}`,
  };
  if (isSent) headers["content-type"] = "application/json";
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
  Object.assign(headers, trace);
  for (const [name, value] of Object.entries(config.headers)) headers[name.toLowerCase()] = value;
  return { url, method, headers, body: isSent ? JSON.stringify(body) : undefined };
}

/** One segment or one value: it can neither leave its place nor add a parameter. */
function fillUrl(template: string, unusedArgs: Map<string, Json>): URL {
  function refused(text: string) {
    return new PlaneError("INVALID_ARGUMENTS", text, { data: { sent: false } });
  }

  const usedNames = new Set<string>();
  const filled = template.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = unusedArgs.get(name);
    if (value === undefined || value === null)
      throw refused(`The argument '${name}' is part of the endpoint's address and was not given.`);
    usedNames.add(name);
    const text = textOf(value);
    // Dots would lead up, however they are spelled.
    if (/^\.{1,2}$/.test(text))
      throw refused(`'${text}' cannot be part of the endpoint's address.`);
    return encodeURIComponent(text);
  });
  for (const name of usedNames) unusedArgs.delete(name);
  return new URL(filled);
}

function takeFields(
  mapping: HttpProviderConfig["query"],
  unusedArgs: Map<string, Json>,
): JsonObject {
  const fields: JsonObject = {};
  const pairs = Array.isArray(mapping)
    ? mapping.map((name) => [name, name])
    : Object.entries(mapping ?? {});
  for (const [theirs = "", ours = ""] of pairs) {
    const value = unusedArgs.get(ours);
    if (value !== undefined) fields[theirs] = value;
  }
  for (const [, ours = ""] of pairs) unusedArgs.delete(ours);
  return fields;
}

function addToQuery({ searchParams }: URL, name: string, value: Json): void {
  for (const item of Array.isArray(value) ? value : [value]) {
    if (item !== null) searchParams.append(name, textOf(item));
  }
}

function textOf(value: Json): string {
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

/** A model that refuses to answer has changed nothing: the next one may be asked. */
const unchanged = { sent: true, answered: true, harmless: true };

type ModelFailure = {
  statusCode?: number | undefined;
  responseHeaders?: Record<string, string> | undefined;
};

/** In our words: the endpoint's may repeat the key or the prompt, and its address may be private. */
export function explainModelFailure(thrown: unknown, model: string): PlaneError {
  function fail(code: "SERVER_UNAVAILABLE" | "PROVIDER_FAILED", why: string, data: ErrorData) {
    return new PlaneError(code, `Model '${model}' failed: ${why}.`, { data });
  }

  const noModel = `its answer is none of a model; check 'models.${model}.baseURL' (most end in /v1)`;
  if (!isModelFailure(thrown)) return fail("PROVIDER_FAILED", noModel, { sent: true });
  const { statusCode: status, responseHeaders = {} } = thrown;
  if (status === undefined)
    return fail("SERVER_UNAVAILABLE", connectFailure(thrown, "its endpoint"), {
      sent: wasSent(thrown),
    });
  if (status === 401 || status === 403) {
    const why = `its endpoint does not take its key (HTTP ${status}); check 'models.${model}.apiKey'`;
    return fail("SERVER_UNAVAILABLE", why, { ...unchanged, status, retryAt: null });
  }
  const isBusy = busyStatuses.includes(status);
  const retry = retryAfter(responseHeaders["retry-after"]);
  if (isBusy || status >= 500)
    return fail("SERVER_UNAVAILABLE", `its endpoint answered HTTP ${status}`, {
      ...(isBusy ? unchanged : { sent: true }),
      status,
      ...retry,
    });
  if (status < 400) return fail("PROVIDER_FAILED", noModel, { sent: true, status });
  const check = status === 404 ? `; check 'baseURL' and 'model' of 'models.${model}'` : "";
  return fail("PROVIDER_FAILED", `its endpoint refused the request with HTTP ${status}${check}`, {
    ...unchanged,
    status,
  });
}

function isModelFailure(thrown: unknown): thrown is Error & ModelFailure {
  return thrown instanceof Error && thrown.name === "AI_APICallError";
}
