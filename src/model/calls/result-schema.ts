import { z } from "zod";
import type { TypeOf } from "../json.ts";

const count = z.number().int();

export const StoredResult = z
  .object({
    id: z.string(),
    callId: z.string(),
    tool: z.string(),
    user: z.string().nullable(),
    owner: z
      .string()
      .optional()
      .meta({ description: "Of the key or the rights that it was made with." }),
    at: z.string(),
    expiresAt: z.string(),
    hash: z.string().meta({ description: "SHA-256 of the result as JSON." }),
    characters: count,
    bytes: count.meta({ description: "What it takes in the store." }),
  })
  .meta({ description: "A stored result without its content." });
export type StoredResult = TypeOf<typeof StoredResult>;

export const ResultPage = z
  .object({
    id: z.string(),
    tool: z.string(),
    callId: z.string(),
    expiresAt: z.string(),
    unit: z.enum(["characters", "lines", "matches"]),
    offset: count,
    total: count,
    nextOffset: count.nullable().meta({ description: "Null when this is the end." }),
    text: z.string(),
  })
  .meta({ id: "ResultPage", description: "A part of a stored result." });
export type ResultPage = TypeOf<typeof ResultPage>;
