import { z } from "zod";
import type { TypeOf } from "../json.ts";
import { AnyObject } from "../json-schema.ts";

export const SamplingAsked = z.object({
  systemPrompt: z.string().nullable(),
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), text: z.string() })),
  maxTokens: z.number().int(),
  hasModel: z.boolean().meta({ description: "A model answers where the person writes nothing." }),
});
/** A sampling request, for a person to read. */
export type SamplingAsked = TypeOf<typeof SamplingAsked>;

export const Question = z
  .object({
    id: z.string(),
    callId: z.string(),
    server: z.string(),
    tool: z.string(),
    user: z.string().nullable().meta({ description: "The caller, who may answer." }),
    conversation: z.string().optional().meta({ description: "The conversation of the call." }),
    message: z.string(),
    sampling: SamplingAsked.optional().meta({
      description: "What the server wants a model to continue; the answer is `{text}`.",
    }),
    schema: AnyObject.nullable().meta({
      description: "Null when a page is to be visited instead.",
    }),
    url: z.string().nullable(),
    askedAt: z.string(),
    expiresAt: z.string(),
  })
  .meta({ id: "Question", description: "A server's question to a person during a call." });
export type Question = TypeOf<typeof Question>;
