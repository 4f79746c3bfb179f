import type { CallChain, VerifyOptions } from "./calls/call-history.ts";
import type { ErrorCode } from "./errors.ts";
import type { Json } from "./json.ts";
import type { Caller, Face } from "./principal.ts";

/** Who changed what, from where, and how it went. Secrets are masked. */
export type AuditRecord = {
  id: string;
  at: string;
  /** The verb: `keys.create`. */
  operation: string;
  /** The key, server, tool, job … it was done to. */
  target: string | null;
  /** Null when anonymous. */
  user: string | null;
  /** The API key that the caller used. */
  key: string | null;
  face: Face;
  /** The caller's address; `socket` for a process of the same user. */
  address: string | null;
  /** What was asked for. */
  input: Json;
  before: Json;
  after: Json;
  ok: boolean;
  code: ErrorCode | null;
};

export type AuditFilter = {
  operation?: string;
  target?: string;
  user?: string | null;
  limit?: number;
  /** The last id of the previous page. */
  before?: string;
};

/** The state of a hash chain over records. */
export type Chain = Omit<CallChain, "calls"> & { records: number };

/** Both chains: of changes and of calls. */
export type AuditCheck = { ok: boolean; changes: Chain; calls: CallChain };

/** What is done, to what, and what was asked for. */
export type AuditedWork = {
  operation: string;
  /** What it is done to; a function where only the result says so. */
  target?: string | null | ((result?: unknown) => unknown);
  input?: unknown;
  /** The target, before and after. */
  look?(): unknown;
  /** Where nothing shows it: what became of it. */
  after?(result: unknown): unknown;
};

/** The record of everything that changed something. For admins. */
export interface PlaneAudit {
  /**
   * Newest first.
   * @example
   * for (const { at, user, operation, target } of await plane.audit.list({ limit: 20 })) console.log(at, user, operation, target);
   */
  list(filter?: AuditFilter, caller?: Caller): Promise<AuditRecord[]>;
  get(id: string, caller?: Caller): Promise<AuditRecord>;
  /** Follows the hash chains of changes and of calls. `head` is a hash of either, kept elsewhere. */
  verify(options?: VerifyOptions, caller?: Caller): Promise<AuditCheck>;
  /** Records work of your own that changes something. Rejects as the work does. */
  run<T>(work: AuditedWork, caller: Caller, run: () => Promise<T>): Promise<T>;
}
