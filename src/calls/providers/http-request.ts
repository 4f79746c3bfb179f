import { version } from "../../lib/version.ts";
import { PlaneError } from "../../model/errors.ts";
import type { HttpProviderConfig } from "../../model/http-provider.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { TraceContext } from "../../model/trace-context.ts";

export type HttpRequest = {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
};

/** What a request says of itself. */
export type RequestMarks = { idempotencyKey?: string | undefined; trace?: TraceContext | null };

/**
 * Arguments go where the url names them as `{name}`, then where `query` and `body` name them. What is left goes
 * into the body of a method that has one, and into the query otherwise, unless both are spelled out.
 */
export function prepareRequest(
  config: HttpProviderConfig,
  args: JsonObject,
  { idempotencyKey, trace }: RequestMarks = {},
): HttpRequest {
  const left = new Map(Object.entries(args));
  const url = fillUrl(config.url, left);
  const query = take(config.query, left);
  const body = take(config.body, left);
  const method = config.method ?? (config.body ? "POST" : "GET");
  const hasBody = method !== "GET" && method !== "DELETE";
  if (hasBody && config.body === undefined) Object.assign(body, Object.fromEntries(left));
  else if (!hasBody && config.query === undefined) Object.assign(query, Object.fromEntries(left));
  for (const [name, value] of Object.entries(query)) addToQuery(url, name, value);
  const isSent = hasBody || Object.keys(body).length > 0;
  return {
    url,
    method,
    headers: {
      accept: "application/json, text/*;q=0.9, */*;q=0.5",
      "user-agent": `toolplane/${version}`,
      ...(isSent ? { "content-type": "application/json" } : {}),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...trace,
      ...lowerCased(config.headers),
    },
    body: isSent ? JSON.stringify(body) : undefined,
  };
}

/** An argument is one segment or one value: it can neither leave its place nor add a parameter. */
function fillUrl(template: string, left: Map<string, Json>): URL {
  const used = new Set<string>();
  const filled = template.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = left.get(name);
    if (value === undefined || value === null)
      throw refused(`The argument '${name}' is part of the endpoint's address and was not given.`);
    used.add(name);
    return encodeSegment(textOf(value));
  });
  for (const name of used) left.delete(name);
  return new URL(filled);
}

/** A segment of dots would be taken for a way up, however it is spelled. */
function encodeSegment(text: string): string {
  if (!/^\.{1,2}$/.test(text)) return encodeURIComponent(text);
  throw refused(`'${text}' cannot be part of the endpoint's address.`);
}

function refused(message: string): PlaneError {
  return new PlaneError("INVALID_ARGUMENTS", message, { data: { sent: false } });
}

function take(mapping: HttpProviderConfig["query"], left: Map<string, Json>): JsonObject {
  const taken: JsonObject = {};
  const pairs = Array.isArray(mapping) ? mapping.map((name) => [name, name]) : Object.entries(mapping ?? {});
  for (const [theirs = "", ours = ""] of pairs) {
    const value = left.get(ours);
    if (value !== undefined) taken[theirs] = value;
  }
  for (const [, ours = ""] of pairs) left.delete(ours);
  return taken;
}

/** A list is a parameter given several times; null is none. */
function addToQuery({ searchParams }: URL, name: string, value: Json): void {
  for (const item of Array.isArray(value) ? value : [value]) {
    if (item !== null) searchParams.append(name, textOf(item));
  }
}

function textOf(value: Json): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
