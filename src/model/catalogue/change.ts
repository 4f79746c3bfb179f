import type { JsonObject } from "../json.ts";
import type { Face } from "../principal.ts";

export const entryKinds = ["tool", "skill", "task", "job", "overlay"] as const;
/** What a hand-written entry of the catalogue can be; an overlay is what is said about a tool of a server. */
export type EntryKind = (typeof entryKinds)[number];

/** Those that are not about a tool. */
export const workKinds = ["skill", "task", "job"] as const satisfies EntryKind[];
export type WorkKind = (typeof workKinds)[number];

export const changeKinds = ["added", "changed", "removed", "listed", "accepted", "rejected"] as const;
/**
 * `listed` is one row for everything that a server or the files say when they are first seen; `accepted` and `rejected`
 * are what people say to a definition that is not the pinned one.
 */
export type ChangeKind = (typeof changeKinds)[number];

/** A caller who may see one of these may see its history. */
export type Audience = {
  groups: string[];
  persona: string | null;
  personas: string[] | null;
  /** One of these workspaces; unsaid for all. */
  workspaces?: string[];
  /** Its servers; a caller who may see none of them does not see the change. */
  servers?: string[];
};

/** A person and the face they used, or what changed by itself: `file`, `library`, `server NAME`. */
export type ChangedBy = { user: string | null; face: Face | null; system: string | null };

/** One change of the catalogue, before it has a number. Secrets are masked. */
export type NewChange = {
  at: string;
  kind: ChangeKind;
  /** `server` for what is true of all tools of one. */
  what: EntryKind | "server" | "files";
  name: string;
  persona: string | null;
  source: string;
  by: ChangedBy;
  reason: string | null;
  before: JsonObject | null;
  after: JsonObject | null;
  /** How many are meant where it is not one. */
  count: number;
  /** The revision of the catalogue it led to, in the process that saw it. */
  revision: number;
  audience: Audience;
};

/** One change of the catalogue: what, by whom, when and why. */
export type Change = Omit<NewChange, "audience"> & { id: number };

export type ChangeFilter = {
  name?: string;
  /** Null is shared. */
  persona?: string | null;
  kind?: ChangeKind;
  /** `tool` also finds what is true of all tools of a server. */
  what?: EntryKind;
};

/** Newest first. `count` are on this page, `total` match. */
export type ChangePage = { changes: Change[]; count: number; total: number; offset: number; limit: number };

/** How many changes are kept. */
export const changesKept = 10_000;

/** A hand-written entry that people set while running. */
export type StoredEntry = {
  kind: EntryKind;
  name: string;
  persona: string | null;
  /** As it was written: references to variables stay references. */
  manifest: JsonObject;
  at: string;
  user: string | null;
};

export type EntryKey = Pick<StoredEntry, "kind" | "name" | "persona">;

/** What came of setting an entry; `source` is what it covers, when there is something. */
export type EntryChange = EntryKey & { change: "added" | "changed" | "unchanged"; covers: string | null };

/** The newest format we write and read. */
export const bundleVersion = 1;

export type BundleEntry = { kind: EntryKind; manifest: JsonObject };

/** Entries on their way from one plane to another, signed by the first. */
export type Bundle = {
  version: number;
  exportedAt: string;
  exportedBy: string | null;
  entries: BundleEntry[];
  /** SHA-256 over everything above. */
  hash: string;
  /** The public key that made the signature, and the signature over the hash; both base64. */
  key: string;
  signature: string;
};

/** Which entries to export; all of them without a choice. */
export type BundleChoice = { names?: readonly string[]; persona?: string; kinds?: readonly EntryKind[] };

/** Hand-written entries as one signed document. */
export type BundleExport = {
  /** The signed document as base64. */
  bundle: string;
  entries: { kind: EntryKind; name: string; persona: string | null }[];
  hash: string;
  /** Of the key that signed it: what the other side has to trust. */
  fingerprint: string;
};

/** What the import of a bundle did, or would do. */
export type BundleImport = {
  dryRun: boolean;
  /** What it did, or would do. */
  entries: EntryChange[];
  /** What was taken over and cannot be used yet. */
  warnings: string[];
  fingerprint: string;
  exportedBy: string | null;
  exportedAt: string;
};
