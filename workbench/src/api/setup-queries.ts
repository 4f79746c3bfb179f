import { queryOptions } from "@tanstack/react-query";
import type { PolicyRule } from "../../../src/model/access/policy.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { AnswerOf } from "../../../src/operations/operations.ts";
import { get, part, withQuery } from "./client.ts";

export type PolicyAnswer = Omit<AnswerOf<"policy.show">, "rules"> & { rules: PolicyRule[] };
export type VerdictAnswer = AnswerOf<"policy.test">;
export type ConfigAnswer = AnswerOf<"config.show">;
export type ImportAnswer = AnswerOf<"servers.import">;

export const policyQuery = () =>
  queryOptions({ queryKey: ["policy"], queryFn: ({ signal }) => get<PolicyAnswer>("/policy", signal) });

export type RulesAnswer = Omit<AnswerOf<"policy.rules">, "rules" | "others"> & {
  rules: JsonObject[];
  others: { rule: PolicyRule; file: string }[];
};
export type PreviewAnswer = AnswerOf<"policy.preview">;

/** The rules of the configuration file, as they are written. */
export const rulesQuery = () =>
  queryOptions({
    queryKey: ["policy", "rules"],
    queryFn: ({ signal }) => get<RulesAnswer>("/policy/rules", signal),
    retry: false,
  });

export const configQuery = () =>
  queryOptions({ queryKey: ["config"], queryFn: ({ signal }) => get<ConfigAnswer>("/config", signal) });

/** Runs on request only, because it starts programs. */
export const doctorQuery = (server: string) =>
  queryOptions({
    queryKey: ["doctor", server],
    queryFn: ({ signal }) => get<AnswerOf<"doctor">>(withQuery("/doctor", { server }), signal),
    enabled: false,
    retry: false,
    gcTime: 0,
  });

export type SavedServer = AnswerOf<"servers.save">;

/** As it is written; secrets are masked. */
export const entryQuery = (name: string) =>
  queryOptions({
    queryKey: ["servers", name, "entry"],
    queryFn: ({ signal }) => get<AnswerOf<"servers.entry">>(`/servers/${part(name)}/entry`, signal),
    retry: false,
  });
