import { withoutUndefined } from "../../../src/lib/json/plain-data.ts";
import { pageHeader, pageKey } from "../../../src/model/access/page-proof.ts";
import type { ErrorCode } from "../../../src/model/errors.ts";
import { readLargeJson } from "./large-json.ts";

/** A problem of the API: RFC 9457 with our error code. */
export type Problem = {
  status: number;
  code: ErrorCode | "OFFLINE";
  detail: string;
  data?: unknown;
};

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
export type RequestOptions = {
  body?: unknown;
  signal?: AbortSignal;
  headers?: Record<string, string>;
};

/** The page's half of a session, shared by all tabs. It is useless without the HTTP-only cookie. */
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

function headersFor(body: unknown): Record<string, string> {
  const headers: Record<string, string> = { "x-toolplane-face": "workbench" };
  if (session !== null) headers[pageHeader] = session;
  if (body !== undefined) headers["content-type"] = "application/json";
  return headers;
}

/** The response of any status; rejects with an `ApiError` if the plane does not answer. */
export async function send(
  method: Method,
  path: string,
  options: RequestOptions = {},
): Promise<Response> {
  const { body, signal, headers } = options;
  try {
    return await fetch(path, {
      method,
      headers: { ...headersFor(body), ...headers },
      credentials: "same-origin",
      cache: "no-store",
      ...withoutUndefined({ body: JSON.stringify(body), signal }),
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

/** The body of a response; a problem is thrown as an `ApiError`. */
export async function readAnswer<T>(response: Response): Promise<T> {
  if (!response.ok) throw await readProblem(response);
  return readLargeJson<T>(await response.text());
}

export async function readProblem(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => null)) as Partial<Problem> | null;
  return new ApiError({
    status: response.status,
    code: problem?.code ?? "INTERNAL",
    detail: problem?.detail ?? `The plane answered with status ${response.status}.`,
    data: problem?.data,
  });
}
