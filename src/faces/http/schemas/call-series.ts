import { z } from "@hono/zod-openapi";
import { maxSeriesMinutes, maxSeriesSteps } from "../../../model/call-series.ts";
import { countUpTo } from "../count-up-to.ts";
import { CallStatus } from "./outcome.ts";

export const SeriesFilters = z.object({
  minutes: countUpTo(maxSeriesMinutes, { default: 60, description: "How far back." }),
  step: countUpTo(maxSeriesMinutes, {
    default: 1,
    description: `How long a step is, in minutes; there are ${maxSeriesSteps} steps at most.`,
  }),
  user: z
    .string()
    .optional()
    .openapi({ description: "Only what they called; others than yourself for admins." }),
});

const times = { p50Ms: z.number().nullable(), p95Ms: z.number().nullable() };
const counts = {
  calls: z.number().int(),
  errors: z
    .number()
    .int()
    .openapi({ description: "Those that failed, were refused, or ended with a tool error." }),
  byStatus: z.partialRecord(CallStatus, z.number().int()),
  ...times,
};

export const CallSeries = z
  .object({
    since: z.string(),
    until: z.string(),
    stepMs: z.number().int(),
    steps: z.array(z.object({ at: z.string(), ...counts })),
    total: z.object(counts),
  })
  .openapi("CallSeries", { description: "By the time calls began at; the last step is not over yet." });
