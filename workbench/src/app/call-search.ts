import type { AgentOutcome } from "../../../src/model/agent/run-schema.ts";
import { callFilterNames } from "../../../src/model/calls/call-history.ts";
import type { CallFilter } from "../api/queries.ts";

/** Values that mean nothing are for the plane to refuse. */
export type CallSearch = { [Name in keyof CallFilter]: NonNullable<CallFilter[Name]> } & {
  view?: string;
  /** A span of time that moves on, such as the last day. */
  range?: string;
  outcome?: AgentOutcome;
};

export const callSearchNames = ["outcome", "view", "range", ...callFilterNames];
