import type { ErrorCode } from "../../../src/model/errors.ts";
import { readJson } from "./exact-json.ts";

/** What the API says when it says no: RFC 9457 with our code. */
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

/** The page's half of a session, for all its tabs. Without the cookie, which no page can read, it is of no use. */
const pageKey = "toolplane.session";

let session = localStorage.getItem(pageKey);
// Signing in and out in one tab holds for all of them.
addEventListener("storage", ({ key, newValue }) => {
  if (key === pageKey || key === null) session = newValue;
});

export function keepSession(page: string | null): void {
  session = page;
  if (page === null) localStorage.removeItem(pageKey);
  else localStorage.setItem(pageKey, page);
}

/** Shows a credential once; from then on the two halves of a session stand for it. */
export async function beginSession(key: string): Promise<void> {
  const { page } = await post<{ page: string }>("/session", { key });
  keepSession(page);
}

/** The word that the link of whoever started the plane ends with, or null. */
export function passIn(text: string): string | null {
  return /#pass=([\w-]+)\s*$/.exec(text)?.[1] ?? null;
}

/** Takes the word off the address, where others could read it, and shows it to the plane. */
export async function takePass(): Promise<void> {
  const pass = passIn(location.hash);
  if (pass === null) return;
  history.replaceState(null, "", location.pathname + location.search);
  // A link of yesterday opens the page all the same.
  await beginSession(pass).catch(() => undefined);
}

function ownHeaders(): Record<string, string> {
  return { "x-toolplane-face": "workbench", ...(session === null ? {} : { "x-toolplane-session": session }) };
}

/** The answer as it comes, whatever its status; rejects with an `ApiError` where nobody answers. */
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

/** The answer's body; a problem is thrown as an `ApiError`. */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  if (!response.ok) throw await readProblem(response);
  return readJson<T>(await response.text());
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

/** `/tools?server=git`, without what is not said. */
export function withQuery(path: string, query: Record<string, QueryValue>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null || value === "") continue;
    for (const one of Array.isArray(value) ? value : [String(value)]) parameters.append(name, one);
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** A part of a path, whatever is in it. */
export const part = encodeURIComponent;
