import type { JsonObject } from "../json.ts";
import type { Change, ChangedBy } from "./change-schema.ts";

export const entryKinds = ["tool", "skill", "task", "job", "overlay"] as const;
/** An overlay changes a tool of a server. */
export type EntryKind = (typeof entryKinds)[number];

export const workKinds = ["skill", "task", "job"] as const satisfies EntryKind[];
export type WorkKind = (typeof workKinds)[number];

export const changeKinds = [
  "added",
  "changed",
  "removed",
  "listed",
  "accepted",
  "rejected",
] as const;
/**
 * `listed` is one row for all that a server or the files first list; `accepted` and `rejected` are decisions on pins.
 */
export type ChangeKind = (typeof changeKinds)[number];

/** Who may see a change: callers who may see one of these. */
export type Audience = {
  groups: string[];
  persona: string | null;
  personas: string[] | null;
  workspaces?: string[];
  servers?: string[];
  /** The configuration that it happened in; missing where planes share what is stored. */
  files?: readonly string[];
};

/** A change before it has a number. Secrets are masked. */
export type NewChange = {
  at: string;
  kind: ChangeKind;
  /** `server` for all tools of one. */
  what: EntryKind | "server" | "files";
  name: string;
  persona: string | null;
  source: string;
  by: ChangedBy;
  reason: string | null;
  before: JsonObject | null;
  after: JsonObject | null;
  count: number;
  /** The catalogue's revision after it, in that process. */
  revision: number;
  audience: Audience;
};

export type ChangeFilter = {
  name?: string;
  persona?: string | null;
  kind?: ChangeKind;
  /** `tool` also finds overlays and changes of a whole server. */
  what?: EntryKind;
};

/** Newest first; `total` counts all matches. */
export type ChangePage = {
  changes: Change[];
  count: number;
  total: number;
  offset: number;
  limit: number;
};

export const changesKept = 10_000;

/** A hand-written entry that people set. */
export type StoredEntry = {
  kind: EntryKind;
  name: string;
  persona: string | null;
  /** The files of the configuration that it belongs to; none where it is for all on the store. */
  files?: readonly string[];
  /** References to variables stay references. */
  manifest: JsonObject;
  at: string;
  user: string | null;
};

export type EntryKey = Pick<StoredEntry, "kind" | "name" | "persona" | "files">;

/** The newest format we write and read. */
export const bundleVersion = 1;

export type BundleEntry = { kind: EntryKind; manifest: JsonObject };

/** Entries of one plane for another, signed. */
export type Bundle = {
  version: number;
  exportedAt: string;
  exportedBy: string | null;
  entries: BundleEntry[];
  /** SHA-256 over everything above. */
  hash: string;
  /** Public key and signature over the hash, base64. */
  key: string;
  signature: string;
};

/** Default: all entries. */
export type BundleChoice = {
  names?: readonly string[];
  persona?: string;
  kinds?: readonly EntryKind[];
};

/** Entries as one signed document. */
export type BundleExport = {
  bundle: string;
  entries: { kind: EntryKind; name: string; persona: string | null }[];
  hash: string;
  /** Of the signing key: what the other side must trust. */
  fingerprint: string;
};
