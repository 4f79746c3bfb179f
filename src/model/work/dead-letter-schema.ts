import { z } from "zod";
import { Sent } from "../calls/call-schema.ts";
import { Category, ErrorCodeSchema, ErrorReport } from "../errors-schema.ts";
import type { TypeOf } from "../json.ts";
import { AnyJson } from "../json-schema.ts";
import { FaceName, Whose } from "../principal-schema.ts";
import { deadLetterStatuses } from "./dead-letter.ts";

const status = z.enum(deadLetterStatuses);

export const DeadLetterChange = z.object({
  at: z.string(),
  status,
  code: ErrorCodeSchema.nullable(),
  callId: z.string().nullable(),
  by: z.string().nullable().meta({ description: "Null when the plane decided." }),
  note: z.string().nullable(),
});
export type DeadLetterChange = TypeOf<typeof DeadLetterChange>;

export const DeadLetterHold = z.enum(["permanent", "may_have_run", "no_arguments", "refused"]);
/** Why there is no automatic retry. */
export type DeadLetterHold = TypeOf<typeof DeadLetterHold>;

export const DeadLetter = z
  .object({
    id: z.string(),
    callId: z.string(),
    tool: z.string(),
    server: z.string().nullable(),
    principal: Whose,
    face: FaceName,
    arguments: AnyJson.meta({
      description:
        "As the caller gave them, without injected values; null when they were too large to keep.",
    }),
    error: ErrorReport,
    category: Category,
    attempts: z.number().int(),
    maxAttempts: z.number().int(),
    status,
    nextRetryAt: z
      .string()
      .nullable()
      .meta({ description: "Null when it is not retried automatically." }),
    hold: DeadLetterHold.nullable().meta({ description: "Why it is not retried automatically." }),
    waitsFor: z.enum(["retry", "caller", "person"]).nullable().meta({
      description:
        "Whose it is: the plane retries it, its caller was refused and may call again, or a person has to decide; null when it is over.",
    }),
    sent: Sent.meta({ description: "What the transport saw of its last attempt." }),
    accepted: z.boolean().meta({
      description: "Its caller has a receipt: the plane runs it once the server is available.",
    }),
    conversation: z.string().nullable(),
    resolvedCallId: z
      .string()
      .nullable()
      .meta({ description: "The call that succeeded in the end." }),
    createdAt: z.string(),
    updatedAt: z.string(),
    history: z.array(DeadLetterChange),
  })
  .meta({
    id: "DeadLetter",
    description: "A call that failed permanently, kept to be made again.",
  });
export type DeadLetter = TypeOf<typeof DeadLetter>;
