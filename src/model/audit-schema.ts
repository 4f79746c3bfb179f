import { z } from "zod";
import { CallChain } from "./calls/call-schema.ts";
import { ErrorCodeSchema } from "./errors-schema.ts";
import type { TypeOf } from "./json.ts";
import { AnyJson } from "./json-schema.ts";
import { FaceName } from "./principal-schema.ts";

export const AuditRecord = z
  .object({
    id: z.string(),
    at: z.string(),
    operation: z.string().meta({ description: "The verb, such as `keys.create`." }),
    target: z
      .string()
      .nullable()
      .meta({ description: "The key, server, tool, job … it was done to." }),
    user: z.string().nullable().meta({ description: "Null when anonymous." }),
    key: z.string().nullable().meta({ description: "The API key of the caller." }),
    face: FaceName,
    address: z
      .string()
      .nullable()
      .meta({ description: "The caller's address; `socket` on the same machine." }),
    input: AnyJson.meta({ description: "What was asked for." }),
    before: AnyJson,
    after: AnyJson,
    ok: z.boolean(),
    code: ErrorCodeSchema.nullable(),
  })
  .meta({
    id: "AuditRecord",
    description: "Who changed what, from where, and how it went. Secrets are masked.",
  });
export type AuditRecord = TypeOf<typeof AuditRecord>;

export const Chain = CallChain.omit({ calls: true }).extend({ records: z.number().int() });
/** The state of a hash chain over records. */
export type Chain = TypeOf<typeof Chain>;

export const RootCheck = z
  .object({
    ok: z.boolean(),
    roots: z.number().int().meta({ description: "How many were followed." }),
    newest: z
      .object({ number: z.number().int(), at: z.string(), hash: z.string(), signed: z.boolean() })
      .nullable()
      .meta({ description: "Keep its hash elsewhere." }),
    broken: z.object({ number: z.number().int(), at: z.string(), reason: z.string() }).nullable(),
    rootFound: z.boolean().nullable().meta({ description: "Null when no root was asked for." }),
    rootProblem: z
      .string()
      .nullable()
      .meta({ description: "What is wrong with the exported roots that were given." }),
    missing: z.array(z.object({ chain: z.string(), at: z.string() })).meta({
      description:
        "Chains whose records were there at this time, the first one known, and are gone or changed.",
    }),
  })
  .meta({ id: "RootCheck", description: "The roots over all chains." });
export type RootCheck = TypeOf<typeof RootCheck>;

/** The ends of all chains at one moment, linked to the root before. The hash covers all but itself and the signature. */
export const AuditRoot = z
  .object({
    number: z.number().int(),
    at: z.string(),
    previous: z.string().meta({ description: "The hash of the root before; empty for the first." }),
    leaves: z
      .array(
        z.object({
          chain: z.string(),
          sequence: z.number().int(),
          hash: z.string(),
          records: z.number().int(),
          tree: z.string(),
        }),
      )
      .meta({
        description: "Where each chain ended, and the tree over its records since the root before.",
      }),
    hash: z.string(),
    signature: z.string().optional().meta({ description: "Ed25519, of the hash, as base64." }),
    key: z.string().optional().meta({ description: "The public key, as base64." }),
  })
  .meta({ id: "AuditRoot", description: "The ends of all chains at one moment." });
export type AuditRoot = TypeOf<typeof AuditRoot>;

export const CallProof = z
  .object({
    id: z.string(),
    chain: z.string(),
    record: z.string().meta({ description: "As it is stored: its hash covers these characters." }),
    previous: z.string().meta({ description: "The hash of the record before it in its chain." }),
    hash: z.string(),
    path: z
      .array(z.object({ left: z.string().optional(), right: z.string().optional() }))
      .meta({ description: "The hashes beside it on the way to the tree of its chain." }),
    root: AuditRoot,
  })
  .meta({ id: "CallProof", description: "What shows that a record is under a root." });
export type CallProof = TypeOf<typeof CallProof>;

export const AuditCheck = z
  .object({ ok: z.boolean(), changes: Chain, calls: CallChain, roots: RootCheck })
  .meta({
    id: "AuditCheck",
    description: "The chains of changes and of calls, and the roots over them.",
  });
export type AuditCheck = TypeOf<typeof AuditCheck>;
