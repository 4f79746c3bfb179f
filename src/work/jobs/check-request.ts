import { PlaneError } from "../../model/errors.ts";
import type { JobManifest } from "../../model/job.ts";
import { type JobRunState, jobRunStates } from "../../model/job-run.ts";
import type { JobRunQuery, RunJobOptions } from "../../model/job-verbs.ts";
import { isObject, type JsonObject } from "../../model/json.ts";
import { mayDo, type Principal, requireScope } from "../../model/principal.ts";

const usualPage = 20;
const largestPage = 100;
const fit = /^[\x21-\x7e]{1,255}$/;

export type HistoryQuery = { state?: JobRunState; limit: number; before?: string };

export function checkHistoryQuery({ state, limit = usualPage, cursor }: JobRunQuery): HistoryQuery {
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > largestPage)
    throw usage("limit", `'limit' cannot be '${limit}': give a whole number from 1 to ${largestPage}.`);
  if (state !== undefined && !jobRunStates.includes(state))
    throw usage("state", `'state' cannot be '${state}': give one of ${jobRunStates.join(", ")}.`);
  return {
    limit,
    ...(state === undefined ? {} : { state }),
    ...(cursor === undefined ? {} : { before: cursor }),
  };
}

export function checkRunOptions({ input, idempotencyKey }: RunJobOptions): {
  input: { input?: JsonObject };
  key: { key?: string };
} {
  if (input !== undefined && !isObject(input))
    throw usage("input", 'The input of a job is an object like {"city": "Rome"}.');
  if (idempotencyKey !== undefined && !(typeof idempotencyKey === "string" && fit.test(idempotencyKey)))
    throw usage(
      "idempotencyKey",
      "'idempotencyKey' must be 1 to 255 visible ASCII characters without spaces.",
    );
  return {
    input: input === undefined ? {} : { input },
    key: idempotencyKey === undefined ? {} : { key: idempotencyKey },
  };
}

/** Whoever does not manage the plane begins only what is meant for that. */
export function requireRight({ name, accepts_external_requests }: JobManifest, principal: Principal): void {
  requireScope(principal, "call", "run a job");
  if (accepts_external_requests || mayDo(principal, "admin")) return;
  const who = principal.user ?? "An anonymous caller";
  throw new PlaneError(
    "FORBIDDEN",
    `${who} may not run job '${name}': it takes the scope 'admin', or 'accepts_external_requests' in its manifest.`,
    { data: { job: name, scope: "admin" } },
  );
}

function usage(parameter: string, message: string): PlaneError {
  return new PlaneError("USAGE", message, { data: { parameter } });
}
