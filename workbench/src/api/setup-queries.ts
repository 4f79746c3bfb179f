import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { ConfigView, ImportView } from "../../../src/operations/setup.ts";
import type { PolicyRule } from "../../../src/model/access/policy.ts";
import type { DoctorReport } from "../../../src/model/config/setup.ts";
import type { PolicyVerdict, PolicyView } from "../../../src/operations/approvals.ts";
import { get, withQuery } from "./client.ts";

export type PolicyAnswer = Omit<z.infer<typeof PolicyView>, "rules"> & { rules: PolicyRule[] };
export type VerdictAnswer = z.infer<typeof PolicyVerdict>;
export type ConfigAnswer = z.infer<typeof ConfigView>;
export type ImportAnswer = z.infer<typeof ImportView>;

export const policyQuery = () =>
  queryOptions({ queryKey: ["policy"], queryFn: ({ signal }) => get<PolicyAnswer>("/policy", signal) });

export const configQuery = () =>
  queryOptions({ queryKey: ["config"], queryFn: ({ signal }) => get<ConfigAnswer>("/config", signal) });

/** Runs on request only, because it starts programs. */
export const doctorQuery = (server: string) =>
  queryOptions({
    queryKey: ["doctor", server],
    queryFn: ({ signal }) => get<DoctorReport>(withQuery("/doctor", { server }), signal),
    enabled: false,
    retry: false,
    gcTime: 0,
  });
