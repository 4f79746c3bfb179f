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
    target: z.string().nullable().meta({ description: "The key, server, tool, job … it was done to." }),
    user: z.string().nullable().meta({ description: "Null when anonymous." }),
    key: z.string().nullable().meta({ description: "The API key of the caller." }),
    face: FaceName,
    address: z.string().nullable().meta({ description: "The caller's address; `socket` on the same machine." }),
    input: AnyJson.meta({ description: "What was asked for." }),
    before: AnyJson,
    after: AnyJson,
    ok: z.boolean(),
    code: ErrorCodeSchema.nullable(),
  })
  .meta({ id: "AuditRecord", description: "Who changed what, from where, and how it went. Secrets are masked." });
export type AuditRecord = TypeOf<typeof AuditRecord>;

export const Chain = CallChain.omit({ calls: true }).extend({ records: z.number().int() });
/** The state of a hash chain over records. */
export type Chain = TypeOf<typeof Chain>;

export const AuditCheck = z
  .object({ ok: z.boolean(), changes: Chain, calls: CallChain })
  .meta({ id: "AuditCheck", description: "Both chains: of changes and of calls." });
export type AuditCheck = TypeOf<typeof AuditCheck>;
