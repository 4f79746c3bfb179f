import { z } from "zod";
import type { TypeOf } from "../json.ts";
import { scoreSources } from "./search.ts";

export const ScorePart = z.object({
  from: z.enum(scoreSources),
  points: z.number(),
  words: z
    .array(z.string())
    .optional()
    .meta({ description: "The words of the query that it comes from." }),
});
/** A share of what a tool was ranked by. */
export type ScorePart = TypeOf<typeof ScorePart>;

export const FoundTool = z
  .object({
    name: z.string(),
    server: z.string().nullable(),
    summary: z.string(),
    score: z.number().meta({ description: "From 0 to 1; 1 was asked for by name." }),
    required: z.array(z.string()).meta({ description: "Arguments that a call has to have." }),
    alsoOn: z
      .array(z.string())
      .optional()
      .meta({ description: "Servers with nearly the same tool." }),
    differsBy: z
      .array(z.string())
      .optional()
      .meta({ description: "What tells it from another of its name in this answer." }),
    points: z
      .array(ScorePart)
      .optional()
      .meta({ description: "Where its points come from, where `explain` is true." }),
  })
  .meta({ description: "A match in short." });
export type FoundTool = TypeOf<typeof FoundTool>;

export const FoundSkill = z
  .object({
    name: z.string(),
    server: z.string(),
    uri: z.string().meta({ description: "The address of its `SKILL.md` at its server." }),
    summary: z.string(),
    score: z.number().meta({ description: "From 0 to 1." }),
  })
  .meta({
    description: "A skill of a server or folder: a text to read before the work that it is for.",
  });
export type FoundSkill = TypeOf<typeof FoundSkill>;

export const SearchAnswer = z
  .object({
    query: z.string(),
    total: z.number().int().meta({ description: "All that match, in this answer or not." }),
    truncated: z.boolean(),
    tools: z.array(FoundTool),
    next: z.array(z.string()).meta({ description: "The names of those that come next." }),
    skills: z
      .array(FoundSkill)
      .optional()
      .meta({ description: "Skills of servers and folders that fit; 3 at most." }),
    fits: z
      .literal(false)
      .optional()
      .meta({ description: "False where nothing fits: what is listed is only the nearest." }),
    note: z
      .string()
      .optional()
      .meta({ description: "What is worth knowing: nothing fits well, for one." }),
  })
  .meta({ description: "The best matches, and how many there are." });
export type SearchAnswer = TypeOf<typeof SearchAnswer>;

export const SearchQuality = z.object({
  recall1: z.number(),
  recall5: z.number().meta({ description: "Share of the right tools among the first five." }),
  recall10: z.number(),
  mrr: z.number().meta({ description: "1 / the place of the first right tool." }),
});
/** Shares of the right tools among the first, and 1 / the place of the first right one, on average. */
export type SearchQuality = TypeOf<typeof SearchQuality>;
