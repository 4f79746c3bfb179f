import { z } from "@hono/zod-openapi";

export const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, "give a whole number")
  .transform(Number)
  .optional();

export const StoredResult = z
  .object({
    id: z.string(),
    callId: z.string(),
    tool: z.string(),
    user: z.string().nullable(),
    at: z.string(),
    expiresAt: z.string(),
    hash: z.string().openapi({ description: "SHA-256 of the result as JSON." }),
    characters: z.number().int(),
    bytes: z.number().int().openapi({ description: "What it takes in the store." }),
  })
  .openapi("StoredResult");

export const ResultPage = z
  .object({
    id: z.string(),
    tool: z.string(),
    callId: z.string(),
    expiresAt: z.string(),
    unit: z.enum(["characters", "lines", "matches"]),
    offset: z.number().int(),
    total: z.number().int(),
    nextOffset: z.number().int().nullable().openapi({ description: "Null when this is the end." }),
    text: z.string(),
  })
  .openapi("ResultPage");
