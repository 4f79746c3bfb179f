import { z } from "@hono/zod-openapi";
import { deadLetterStatuses } from "../../../model/dead-letter.ts";
import { ErrorReport } from "./problem.ts";

export const DeadLetter = z
  .object({
    id: z.string(),
    callId: z.string(),
    tool: z.string(),
    server: z.string().nullable(),
    principal: z.looseObject({ user: z.string().nullable() }),
    face: z.string(),
    arguments: z
      .unknown()
      .openapi({ description: "As the caller gave them; null when they were too large to keep." }),
    error: ErrorReport,
    category: z.string(),
    attempts: z.number().int(),
    maxAttempts: z.number().int(),
    status: z.enum(deadLetterStatuses),
    nextRetryAt: z.string().nullable().openapi({ description: "Null when it is not tried again by itself." }),
    hold: z.string().nullable().openapi({ description: "Why it is not tried again by itself." }),
    conversation: z.string().nullable(),
    resolvedCallId: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
    history: z.array(z.looseObject({ at: z.string(), status: z.enum(deadLetterStatuses) })),
  })
  .openapi("DeadLetter");
