import type { Outcome } from "../../model/call.ts";
import { type ErrorReport, errorTable, reportError, toPlaneError } from "../../model/errors.ts";

/** An outcome is the body whatever happened. A call that waits or whose tool said no is no HTTP error. */
export function renderOutcome(outcome: Outcome): Response {
  const { error } = outcome;
  const status = error ? errorTable[error.code].http : 200;
  return status < 400
    ? json(outcome, status)
    : json({ ...problem(error as ErrorReport), ...outcome }, status);
}

export function renderProblem(thrown: unknown): Response {
  const error = toPlaneError(thrown);
  return json(problem(reportError(error)), errorTable[error.code].http);
}

/** RFC 9457, with our code. What went wrong inside is for our log, not for a stranger. */
function problem({ message, ...report }: ErrorReport): Record<string, unknown> {
  const { http, means } = errorTable[report.code];
  const hidden = report.code === "INTERNAL" ? { detail: means, cause: null, data: {} } : {};
  return { type: "about:blank", title: means, status: http, detail: message, ...report, ...hidden };
}

function json(body: unknown, status: number): Response {
  const type = status < 400 ? "application/json" : "application/problem+json";
  return new Response(JSON.stringify(body), { status, headers: { "content-type": type } });
}
