import type { Outcome } from "../../model/call.ts";
import {
  type ErrorCode,
  type ErrorReport,
  errorTable,
  reportError,
  toPlaneError,
} from "../../model/errors.ts";

/** An outcome is the body whatever happened. A call that waits or whose tool said no is no HTTP error. */
export function renderOutcome(outcome: Outcome): Response {
  if (!outcome.error) return json(outcome, 200);
  const error = forStrangers(outcome.error);
  const status = errorTable[error.code].http;
  return json(status < 400 ? outcome : { ...problem(error), ...outcome, error }, status);
}

/** An outcome inside another answer, without what is none of a stranger's business. */
export function shownOutcome(outcome: Outcome): Outcome {
  return outcome.error ? { ...outcome, error: forStrangers(outcome.error) } : outcome;
}

export function renderProblem(thrown: unknown): Response {
  const error = forStrangers(reportError(toPlaneError(thrown)));
  return json(problem(error), errorTable[error.code].http);
}

/** Errors whose text names files of ours. */
const ourOwnTrouble: readonly ErrorCode[] = ["INTERNAL", "STORE_FAILED", "CONFIG_INVALID"];

function forStrangers(error: ErrorReport): ErrorReport {
  if (!ourOwnTrouble.includes(error.code)) return error;
  return { ...error, message: errorTable[error.code].means, cause: null, data: {} };
}

/** RFC 9457, with our code. */
function problem({ message, ...report }: ErrorReport): Record<string, unknown> {
  const { http, means } = errorTable[report.code];
  return {
    type: `urn:toolplane:error:${report.code}`,
    title: means,
    status: http,
    detail: message,
    ...report,
  };
}

function json(body: unknown, status: number): Response {
  const type = status < 400 ? "application/json" : "application/problem+json";
  // The rest of a body that is too large is not read, so the connection cannot be used again.
  const headers = {
    "content-type": type,
    ...(status === 401 ? { "www-authenticate": 'Bearer realm="toolplane"' } : {}),
    ...(status === 413 ? { connection: "close" } : {}),
    ...(status === 429 ? retryAfter(body as Partial<ErrorReport>) : {}),
  };
  return new Response(JSON.stringify(body), { status, headers });
}

/** In whole seconds. A budget that is used up does not come back by waiting. */
function retryAfter({ code, data }: Partial<ErrorReport>): { "retry-after"?: string } {
  if (code === "BUDGET_EXCEEDED") return {};
  const ms = typeof data?.retryInMs === "number" ? data.retryInMs : 0;
  return { "retry-after": String(Math.max(1, Math.ceil(ms / 1000))) };
}
