import { z } from "zod";
import type { TypeOf } from "../json.ts";

export type DeclaredDefault = {
  /** The key of the configuration, or a name where there is none. */
  readonly id: string;
  /** The version that changed it. */
  readonly version: string;
  readonly summary: string;
  readonly before: string;
  readonly now: string;
  /** It allows what the old default did not. The old one stays in force until an admin accepts the new one. */
  readonly loosens: boolean;
  /** Why the old behaviour is gone; null where it can be kept. */
  readonly gone: string | null;
};

/** What changed for planes whose store an older version made. */
export const declaredDefaults = [
  {
    id: "writes-are-sent-once",
    version: "0.4.0",
    summary: "A call that was refused or failed is the caller's to repeat.",
    before: "The plane repeated refused writes by itself, from its dead letters, too.",
    now: "The plane repeats what provably was not sent, and what is declared idempotent.",
    loosens: false,
    gone: "A repeated write may run twice. 'onUnavailable: queue' is the choice of a call.",
  },
] as const satisfies readonly DeclaredDefault[];

export const defaultDecisions = ["accept", "keep"] as const;
export type DefaultDecision = (typeof defaultDecisions)[number];

/** A decision as it is stored. `files` are those of the plane's configuration; none stands for every plane. */
export type StoredDecision = {
  files: readonly string[];
  change: string;
  decision: DefaultDecision;
  decidedBy: string | null;
  decidedAt: string;
};

/** The versions of the program that have written a store, with the moment of the first start. */
export type StoreVersion = { version: string; since: string };

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
