import type { AnswerOf } from "../../../src/operations/operations.ts";
import { operationQuery } from "./operations.ts";

export type PolicyAnswer = AnswerOf<"policy.show">;
export type RulesAnswer = AnswerOf<"policy.rules">;

/** The rules of the configuration file, as they are written. */
export const rulesQuery = () => operationQuery("policy.rules", {}, { retry: false });

/** Runs on request only, because it starts programs. */
export const doctorQuery = (server: string) =>
  operationQuery("doctor", { server }, { enabled: false, retry: false, gcTime: 0 });

/** As it is written; secrets are masked. */
export const entryQuery = (name: string) => operationQuery("servers.entry", { name }, { retry: false });
