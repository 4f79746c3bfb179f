import type { ServerResponse } from "node:http";
import type { AgentAnswer } from "../../model/agent/agent-answer.ts";
import type { Outcome } from "../../model/calls/call.ts";
import { errorTable, reportError, toPlaneError } from "../../model/errors.ts";
import type { ErrorReport } from "../../model/errors-schema.ts";
import type { SkillRun } from "../../model/work/run-schema.ts";
import { shownAgentAnswer, shownSkillRun, toPublicError } from "../../operations/public-errors.ts";

/** An outcome is the body whatever happened. A call that waits, or whose tool reported an error, is no HTTP error. */
export function renderOutcome(outcome: Outcome): Response {
  if (outcome.ok) return json(outcome, 200);
  const error = toPublicError(outcome.error);
  const status = errorTable[error.code].http;
  if (status < 400) return json(outcome, status);
  return json({ ...problem(error), ...outcome, error }, status);
}

/** A run that failed has the status of what it failed with; one that had to stop early has answered all the same. */
export function renderAgentAnswer(answer: AgentAnswer): Response {
  const shown = shownAgentAnswer(answer);
  if (shown.outcome !== "failed") return json(shown, 200);
  return renderRun(shown);
}

/** The same for a skill. */
export function renderSkillRun(run: SkillRun): Response {
  return renderRun(shownSkillRun(run));
}

function renderRun(shown: { error: ErrorReport | null }): Response {
  const { error } = shown;
  if (error === null) return json(shown, 200);
  const status = errorTable[error.code].http;
  if (status < 400) return json(shown, status);
  return json({ ...problem(error), ...shown }, status);
}

/** An error where the answer has begun already. */
export function shownError(thrown: unknown): ErrorReport {
  return toPublicError(reportError(toPlaneError(thrown)));
}

/** `challenge` is the `WWW-Authenticate` of a refusal. */
export function problemResponse(thrown: unknown, challenge?: string): Response {
  const error = shownError(thrown);
  return json(problem(error), errorTable[error.code].http, challenge);
}

/** The same in the same words where no framework stands in between. */
export function sendProblem(response: ServerResponse, thrown: unknown, challenge?: string): void {
  const error = shownError(thrown);
  const { http } = errorTable[error.code];
  const body = problem(error);
  response.writeHead(http, headersOf(body, http, challenge)).end(JSON.stringify(body));
}

/** How often an unreachable store is tried again. */
const storeRetrySeconds = "5";

/** RFC 9457, with our code. */
function problem({ message, ...report }: ErrorReport): Record<string, unknown> {
  const { http, means } = errorTable[report.code];
  const isOperation = report.code === "PROVIDER_FAILED" && report.data.extension !== undefined;
  return {
    type: `urn:toolplane:error:${report.code}`,
    // No provider was asked for the operation of an extension.
    title: isOperation ? "The operation of an extension failed." : means,
    status: http,
    detail: message,
    ...report,
  };
}

function json(body: unknown, status: number, challenge?: string): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: headersOf(body, status, challenge),
  });
}

function headersOf(body: unknown, status: number, challenge?: string): Record<string, string> {
  const type = status < 400 ? "application/json" : "application/problem+json";
  const headers: Record<string, string> = { "content-type": type };
  if (challenge !== undefined || status === 401)
    headers["www-authenticate"] = challenge ?? 'Bearer realm="toolplane"';
  // The rest of a body that is too large is not read, so the connection cannot be used again.
  if (status === 413) headers.connection = "close";
  const retryAfter =
    status === 429 || status === 503 ? retryAfterSeconds(body as Partial<ErrorReport>) : null;
  if (retryAfter !== null) headers["retry-after"] = retryAfter;
  return headers;
}

/** In whole seconds. A budget that is used up, or a file that cannot be read, does not come back by waiting. */
function retryAfterSeconds({ code, data }: Partial<ErrorReport>): string | null {
  if (code === "BUDGET_EXCEEDED") return null;
  if (errorTable[code ?? "INTERNAL"].http === 503)
    return data?.lost === true || data?.busy === true ? storeRetrySeconds : null;
  const ms = typeof data?.retryInMs === "number" ? data.retryInMs : 0;
  return String(Math.max(1, Math.ceil(ms / 1000)));
}
