import { z } from "zod";
import type { TypeOf } from "../json.ts";
import { AnyObject } from "../json-schema.ts";
import { FaceName } from "../principal-schema.ts";
import { changeKinds, entryKinds } from "./change.ts";
import { pinKinds, pinStatuses } from "./pin.ts";

export const ChangedBy = z.object({
  user: z.string().nullable(),
  face: FaceName.nullable(),
  system: z.string().nullable(),
});
/** A person and their face, or a system: `file`, `library`, `server NAME`. */
export type ChangedBy = TypeOf<typeof ChangedBy>;

export const Change = z
  .object({
    id: z.number().int(),
    at: z.string(),
    kind: z.enum(changeKinds),
    what: z
      .enum([...entryKinds, "server", "files"])
      .meta({ description: "`server` for all tools of one." }),
    name: z.string(),
    persona: z.string().nullable(),
    source: z.string(),
    by: ChangedBy,
    reason: z.string().nullable(),
    before: AnyObject.nullable(),
    after: AnyObject.nullable(),
    count: z.number().int(),
    revision: z
      .number()
      .int()
      .meta({ description: "The catalogue's revision after it, in that process." }),
  })
  .meta({ id: "Change", description: "A change of the catalogue: what, by whom, when and why." });
export type Change = TypeOf<typeof Change>;

export const EntryOrigin = z.enum(["here", "all", "elsewhere", "gone"]);
/** Whom an entry is for: this configuration, all, another one, or one whose files are gone. */
export type EntryOrigin = TypeOf<typeof EntryOrigin>;

export const EntryView = z
  .object({
    kind: z.enum(entryKinds),
    name: z.string(),
    persona: z.string().nullable(),
    origin: EntryOrigin.meta({
      description:
        "`here`: of this configuration; `all`: for all on the store; `elsewhere`: of another one; `gone`: of one whose files are gone.",
    }),
    files: z
      .array(z.string())
      .meta({ description: "The configuration; none where it is for all." }),
    inForce: z.boolean().meta({ description: "False where it is not ours, or another covers it." }),
    source: z.string().meta({ description: "`stored`, or the file that has it." }),
    at: z.string().nullable().meta({ description: "When it was set; null for one of a file." }),
    by: z.string().nullable(),
  })
  .meta({ id: "EntryView", description: "A hand-written entry, and where it comes from." });
export type EntryView = TypeOf<typeof EntryView>;

export const EntryChange = z
  .object({
    kind: z.enum(entryKinds),
    name: z.string(),
    persona: z.string().nullable(),
    change: z.enum(["added", "changed", "unchanged"]),
    covers: z
      .string()
      .nullable()
      .meta({ description: "The file whose entry it takes the place of." }),
  })
  .meta({ id: "EntryChange", description: "The effect of setting an entry." });
export type EntryChange = TypeOf<typeof EntryChange>;

export const PinView = z
  .object({
    name: z.string().meta({
      description: "A tool's name; of others `KIND:SERVER/NAME`, and `instructions:SERVER`.",
    }),
    kind: z.enum(pinKinds),
    server: z.string(),
    tool: z.string().meta({ description: "A resource's address, a prompt's or a tool's name." }),
    status: z.enum(pinStatuses),
    held: z.string().nullable().meta({ description: "Why it cannot be called; null when it can." }),
    state: z.enum(["seen", "accepted", "rejected"]).nullable(),
    at: z.string().nullable(),
    by: ChangedBy.nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: "PinView" });
export type PinView = TypeOf<typeof PinView>;

export const DefinitionDifference = z.object({
  where: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
/** A difference between two definitions, by JSON pointer. */
export type DefinitionDifference = TypeOf<typeof DefinitionDifference>;

export const PinDiff = PinView.extend({ difference: z.array(DefinitionDifference) }).meta({
  id: "PinDiff",
});
export type PinDiff = TypeOf<typeof PinDiff>;

export const BundleImport = z
  .object({
    dryRun: z.boolean(),
    entries: z.array(EntryChange),
    warnings: z.array(z.string()).meta({ description: "Imported, but not usable yet." }),
    fingerprint: z.string(),
    exportedBy: z.string().nullable(),
    exportedAt: z.string(),
  })
  .meta({ description: "The effect of an import, also of a dry run." });
export type BundleImport = TypeOf<typeof BundleImport>;
