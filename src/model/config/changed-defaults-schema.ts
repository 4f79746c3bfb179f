import { z } from "zod";
import type { TypeOf } from "../json.ts";

export const ChangedDefault = z
  .object({
    id: z.string(),
    version: z.string().meta({ description: "The version that changed it." }),
    summary: z.string(),
    before: z.string(),
    now: z.string(),
    loosens: z.boolean().meta({
      description: "True: the old default stays in force until an admin accepts the new one.",
    }),
    gone: z
      .string()
      .nullable()
      .meta({ description: "Why the old default cannot be kept; null where it can." }),
    decision: z.enum(["undecided", "accept", "keep", "configured"]).meta({
      description: "'configured': the configuration sets the key, so no default applies.",
    }),
    inForce: z.enum(["before", "now", "configuration"]),
    decidedBy: z.string().nullable(),
    decidedAt: z.string().nullable(),
  })
  .meta({ id: "ChangedDefault" });
export type ChangedDefault = TypeOf<typeof ChangedDefault>;

export const ChangedDefaults = z
  .object({
    madeBy: z.string().meta({ description: "The version that made the store." }),
    undecided: z.number().meta({ description: "How many wait for a decision." }),
    changes: z.array(ChangedDefault).meta({ description: "None where this version made it." }),
  })
  .meta({ id: "ChangedDefaults" });
export type ChangedDefaults = TypeOf<typeof ChangedDefaults>;
