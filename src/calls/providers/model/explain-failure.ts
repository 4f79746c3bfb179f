import { PlaneError } from "../../../model/errors.ts";
import { connectFailure, refusedUnread, retryAfter, wasSent } from "../http-failure.ts";

/** What is known of a failed request to a model. */
type ModelFailure = { statusCode?: number | undefined; responseHeaders?: Record<string, string> | undefined };

/**
 * What went wrong between us and a model, in our words: what the endpoint wrote may repeat the key or the prompt, and
 * where it is may be nobody else's business, so none of it is passed on.
 */
export function explainModelFailure(thrown: unknown, model: string): PlaneError {
  const { statusCode: status, responseHeaders = {} } = isFailure(thrown) ? thrown : {};
  const fail = (code: "SERVER_UNAVAILABLE" | "PROVIDER_FAILED", why: string, data: object) =>
    new PlaneError(code, `Model '${model}' failed: ${why}.`, { data: { ...data } });
  const noModel = `its answer is none of a model; check 'models.${model}.baseURL' (most end in /v1)`;
  if (!isFailure(thrown)) return fail("PROVIDER_FAILED", noModel, { sent: true });
  if (status === undefined)
    return fail("SERVER_UNAVAILABLE", connectFailure(thrown, "its endpoint"), { sent: wasSent(thrown) });
  const again = { status, ...retryAfter(responseHeaders["retry-after"]) };
  if (status === 401 || status === 403) {
    const why = `its endpoint does not take its key (HTTP ${status}); check 'models.${model}.apiKey'`;
    return fail("SERVER_UNAVAILABLE", why, { sent: false, status, retryAt: null });
  }
  if (refusedUnread.includes(status) || status >= 500) {
    const sent = !refusedUnread.includes(status);
    return fail("SERVER_UNAVAILABLE", `its endpoint answered HTTP ${status}`, { sent, ...again });
  }
  const isAnswer = status < 400;
  const refused = `its endpoint refused the request with HTTP ${status}`;
  const check = status === 404 ? `; check 'baseURL' and 'model' of 'models.${model}'` : "";
  const why = isAnswer ? noModel : `${refused}${check}`;
  return fail("PROVIDER_FAILED", why, { sent: isAnswer, status });
}

function isFailure(thrown: unknown): thrown is Error & ModelFailure {
  return thrown instanceof Error && thrown.name === "AI_APICallError";
}
