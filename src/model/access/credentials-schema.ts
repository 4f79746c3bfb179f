import { z } from "zod";
import type { TypeOf } from "../json.ts";

const names = z.array(z.string());

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    user: z.string(),
    groups: names,
    persona: z.string().nullable(),
    scopes: names,
    workspace: z.string().nullable(),
    compliance: z.string().optional(),
    toolGroups: names.optional(),
    createdAt: z.string(),
    createdBy: names.optional().meta({
      description:
        "Its creator, then the creators of the creator's key. It approves none of their calls. A key of an earlier version has none.",
    }),
    files: names.optional().meta({
      description:
        "The configuration of the plane that it is for. Without it, and where these files are gone, it is for every plane of the store.",
    }),
    expiresAt: z.string().nullable(),
    lastUsedAt: z.string().nullable().meta({ description: "To the minute." }),
    revokedAt: z.string().nullable(),
  })
  .meta({ id: "Key", description: "The secret is returned once, on creation, and not stored." });
export type ApiKey = TypeOf<typeof ApiKey>;

export const TokenStatus = z
  .object({
    server: z.string(),
    user: z.string().nullable(),
    kind: z.enum(["token", "oauth"]),
    expiresAt: z.string().nullable(),
    scopes: names,
    expired: z.boolean().meta({ description: "Must a person give a new one or sign in again?" }),
  })
  .meta({ id: "TokenStatus" });
export type TokenStatus = TypeOf<typeof TokenStatus>;
