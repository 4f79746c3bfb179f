import { z } from "@hono/zod-openapi";
import { mostSeriesMinutes, mostSeriesSteps } from "../../../model/call-series.ts";
import { CallStatus } from "./outcome.ts";

const wholeNumber = (most: number, usual: number, description: string) => {
  const message = `give a whole number from 1 to ${most}`;
  return z
    .string()
    .regex(/^\d{1,5}$/, message)
    .transform(Number)
    .refine((given) => given >= 1 && given <= most, message)
    .optional()
    .openapi({ type: "integer", minimum: 1, maximum: most, default: usual, description });
};

export const SeriesFilters = z.object({
  minutes: wholeNumber(mostSeriesMinutes, 60, "How far back."),
  step: wholeNumber(
    mostSeriesMinutes,
    1,
    `How long a step is, in minutes; there are ${mostSeriesSteps} steps at most.`,
  ),
  user: z
    .string()
    .optional()
    .openapi({ description: "Only what they called; others than yourself for admins." }),
});

const times = { p50Ms: z.number().nullable(), p95Ms: z.number().nullable() };
const counts = {
  calls: z.number().int(),
  errors: z.number().int().openapi({ description: "Those that failed or were refused." }),
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
