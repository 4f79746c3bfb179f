import { z } from "zod";
import type { TypeOf } from "../json.ts";

const count = z.number().int();

export const HealthSummary = z
  .object({
    total: count,
    success: count,
    failure: count,
    success_rate: z.number().min(0).max(1),
    average_latency_ms: z.number(),
    p95_latency_ms: z.number(),
    last_sample_at: z.string().nullable(),
  })
  .meta({ id: "HealthSummary", description: "The last 100 runs." });
export type HealthSummary = TypeOf<typeof HealthSummary>;

export const LastCall = z.object({ at: z.string(), ok: z.boolean(), latency_ms: z.number() });
export type LastCall = TypeOf<typeof LastCall>;

export const ProviderState = z.object({
  healthy: z.boolean(),
  failures: count.meta({ description: "In a row." }),
  backoff_until: z.string().nullable(),
  last_error: z.string().nullable(),
});
/** The router's view of a provider. */
export type ProviderState = TypeOf<typeof ProviderState>;

export const ProviderHealth = z
  .object({ metrics: HealthSummary, router: ProviderState, last_call: LastCall.nullable() })
  .meta({ id: "ProviderHealth", description: "How a provider did, and whether it is in use now." });
export type ProviderHealth = TypeOf<typeof ProviderHealth>;

export const RecentRun = LastCall.pick({ ok: true, latency_ms: true });
/** For a sparkline. */
export type RecentRun = TypeOf<typeof RecentRun>;

export const RecentRuns = z
  .array(RecentRun)
  .readonly()
  .meta({ description: "The last 30 runs, oldest first." });

export const LastInvocation = LastCall.extend({
  selected: z
    .string()
    .nullable()
    .meta({ description: "The provider that answered last; a failure does not change it." }),
  last_success: z.string().nullable().meta({
    description: "When `selected` answered; null where none has, as far as is remembered.",
  }),
}).nullable();

export const ToolHealth = HealthSummary.extend({
  providers: z.record(z.string(), ProviderHealth),
  last_invocation: LastInvocation,
  recent: RecentRuns,
  persona: HealthSummary.extend({ name: z.string() })
    .optional()
    .meta({ description: "The same for the one persona that looks." }),
});
/** In all, by provider, the last call, and for the persona that looks. */
export type ToolHealth = TypeOf<typeof ToolHealth>;
