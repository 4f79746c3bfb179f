import type { EntryChange, EntryKind } from "./change.ts";
import type { JsonObject } from "./json.ts";

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
