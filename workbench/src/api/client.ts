import type { ErrorCode } from "../../../src/model/errors.ts";
import { readLargeJson } from "./large-json.ts";

/** A problem of the API: RFC 9457 with our error code. */
export type Problem = { status: number; code: ErrorCode | "OFFLINE"; detail: string; data?: unknown };

export class ApiError extends Error {
  readonly status: number;
  readonly code: Problem["code"];
  readonly data: unknown;

  constructor({ status, code, detail, data }: Problem) {
    super(detail);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

export type Method = "GET" | "POST" | "PUT" | "DELETE";
export type RequestOptions = { body?: unknown; signal?: AbortSignal; headers?: Record<string, string> };

/** The page's half of a session, shared by all tabs. It is useless without the HTTP-only cookie. */
const pageKey = "toolplane.session";

let session = localStorage.getItem(pageKey);
// Signing in or out applies to all tabs.
addEventListener("storage", ({ key, newValue }) => {
  if (key === pageKey || key === null) session = newValue;
});

export function keepSession(page: string | null): void {
  session = page;
  if (page === null) localStorage.removeItem(pageKey);
  else localStorage.setItem(pageKey, page);
}

/** Exchanges a credential for a session: a cookie and the page's half. */
export async function beginSession(key: string): Promise<void> {
  const { page } = await post<{ page: string }>("/session", { key });
  keepSession(page);
}

/** The pass at the end of the operator's link, or null. */
export function passIn(text: string): string | null {
  return /#pass=([\w-]+)\s*$/.exec(text)?.[1] ?? null;
}

/** Removes the pass from the address bar and exchanges it for a session. */
export async function takePass(): Promise<void> {
  const pass = passIn(location.hash);
  if (pass === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  // An expired link still opens the page.
  await beginSession(pass).catch(() => undefined);
}

function ownHeaders(): Record<string, string> {
  return { "x-toolplane-face": "workbench", ...(session === null ? {} : { "x-toolplane-session": session }) };
}

/** The response of any status; rejects with an `ApiError` if the plane does not answer. */
export async function send(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
  const { body, signal, headers } = options;
  try {
    return await fetch(path, {
      method,
      headers: {
        ...ownHeaders(),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      credentials: "same-origin",
      cache: "no-store",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    throw new ApiError({
      status: 0,
      code: "OFFLINE",
      detail: "The plane does not answer. Is 'toolplane serve' still running?",
    });
  }
}

/** The response body; a problem is thrown as an `ApiError`. */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  if (!response.ok) throw await readProblem(response);
  return readLargeJson<T>(await response.text());
}

export const get = <T>(path: string, signal?: AbortSignal) => request<T>("GET", path, signal ? { signal } : {});
export const post = <T>(path: string, body: unknown = {}) => request<T>("POST", path, { body });
export const put = <T>(path: string, body: unknown) => request<T>("PUT", path, { body });
export const remove = <T>(path: string) => request<T>("DELETE", path);

export async function readProblem(response: Response): Promise<ApiError> {
  const said = (await response.json().catch(() => null)) as Partial<Problem> | null;
  return new ApiError({
    status: response.status,
    code: said?.code ?? "INTERNAL",
    detail: said?.detail ?? `The plane answered with status ${response.status}.`,
    data: said?.data,
  });
}

type QueryValue = string | number | boolean | readonly string[] | null | undefined;

/** `/tools?server=git`, without undefined values. */
export function withQuery(path: string, query: Record<string, QueryValue>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue;
    for (const one of Array.isArray(value) ? value : [String(value)]) parameters.append(name, one);
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** An escaped path segment. */
export const part = encodeURIComponent;
