import { z } from "zod";
import type { TypeOf } from "../json.ts";
import { ChangedDefaults } from "./changed-defaults-schema.ts";

export const DoctorCheck = z.object({
  name: z.string(),
  ok: z.boolean(),
  detail: z.string(),
  fix: z.string().nullable(),
});
export type DoctorCheck = TypeOf<typeof DoctorCheck>;

const Examined = z.object({ name: z.string(), ok: z.boolean(), checks: z.array(DoctorCheck) });

export const StoredKind = z
  .object({
    kind: z.string(),
    count: z.number().nullable(),
    bytes: z.number().nullable(),
    oldest: z.string().nullable(),
    limit: z.string().nullable().meta({ description: "Null where it is not limited." }),
    settings: z.array(z.string()).readonly().meta({ description: "Those that change the limit." }),
  })
  .meta({
    id: "StoredKind",
    description: "What grows, with its limit. Counts and sizes are estimated.",
  });
export type StoredKind = TypeOf<typeof StoredKind>;

export const DoctorReport = z
  .object({
    servers: z.array(Examined),
    toolsets: z
      .array(Examined)
      .optional()
      .meta({ description: "Where any is configured, and no single server was asked for." }),
    extensions: z.array(Examined).optional().meta({ description: "Where any is used." }),
    store: z
      .object({ ok: z.literal(false), detail: z.string() })
      .optional()
      .meta({
        description: "What is wrong with the store of the plane; missing where nothing is.",
      }),
    stored: z
      .array(StoredKind)
      .optional()
      .meta({ description: "Where no single server was asked for." }),
    defaults: ChangedDefaults.optional().meta({
      description: "Where a default has changed since the version that made the store.",
    }),
  })
  .meta({ id: "DoctorReport" });
export type DoctorReport = TypeOf<typeof DoctorReport>;
