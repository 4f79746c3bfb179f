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
    ...(status === 413 ? { connection: "close" } : {}),
    ...(status === 429 ? { "retry-after": "1" } : {}),
  };
  return new Response(JSON.stringify(body), { status, headers });
}
