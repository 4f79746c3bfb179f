import { isObject, objectOrEmpty, type UnknownObject } from "../model/json.ts";
import { invalidAnswer, RpcError } from "./message.ts";

/** An error of this code names pages to visit before the request is repeated. */
const pagesRequired = -32042;
/** Others run code or open files where a client opens what it is given. */
const schemesOfPages: ReadonlySet<string> = new Set(["http:", "https:"]);

/** Refuses a question that sends a person to anything but a page of the web. */
export function requirePage(method: string, params: UnknownObject): void {
  if (method !== "elicitation/create" || (params.mode !== "url" && params.url === undefined))
    return;
  const problem = problemOf(params.url);
  if (problem !== null) throw invalidAnswer(`the question sends to ${problem}`, undefined, -32602);
}

/** The same for questions that the caller answers itself: they come as a result. */
export function requirePagesIn(result: unknown): unknown {
  if (!isObject(result) || !isObject(result.inputRequests)) return result;
  for (const question of Object.values(result.inputRequests))
    if (isObject(question)) requirePage(String(question.method), objectOrEmpty(question.params));
  return result;
}

/** What the other side answered with an error, without addresses that no client may open. */
export function toRpcError(code: number, message: string, data: unknown): RpcError {
  const pages = objectOrEmpty(data).elicitations;
  if (code !== pagesRequired || !Array.isArray(pages)) return new RpcError(code, message, data);
  const problems = pages.filter(isObject).flatMap((page) => problemOf(page.url) ?? []);
  if (problems.length === 0) return new RpcError(code, message, data);
  return invalidAnswer(`it asks to visit ${problems.join(", and ")}`);
}

function problemOf(address: unknown): string | null {
  if (typeof address !== "string" || !URL.canParse(address)) return "no valid address";
  const { protocol } = new URL(address);
  if (schemesOfPages.has(protocol)) return null;
  return `an address that starts with '${protocol.slice(0, 40)}'; only http: and https: are opened`;
}
