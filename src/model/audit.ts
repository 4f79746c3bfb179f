import type { AuditMethods } from "../../generated/plane-methods.ts";
import type { AuditCheck, AuditRecord } from "./audit-schema.ts";
import type { VerifyOptions } from "./calls/call-history.ts";
import type { Caller } from "./principal.ts";

export type AuditFilter = {
  operation?: string;
  target?: string;
  user?: string | null;
  limit?: number;
  /** The last id of the previous page. */
  before?: string;
};

/** What is done, to what, and what was asked for. */
export type AuditedWork = {
  operation: string;
  /** What it is done to; a function where only the result says so. */
  target?: string | null | ((result?: unknown) => unknown);
  input?: unknown;
  /** The target, before and after. */
  snapshot?(): unknown;
  /** Where nothing shows it: what became of it. */
  after?(result: unknown): unknown;
};

/** The record of everything that changed something. For admins. */
export interface PlaneAudit extends AuditMethods {
  /**
   * Newest first.
   * @example
   * for (const { at, user, operation, target } of await plane.audit.list({ limit: 20 })) console.log(at, user, operation, target);
   */
  list(filter?: AuditFilter, caller?: Caller): Promise<AuditRecord[]>;
  /** Follows the hash chains of changes and of calls. `head` is a hash of either, kept elsewhere. */
  verify(options?: VerifyOptions, caller?: Caller): Promise<AuditCheck>;
  /** Records work of your own that changes something. Rejects as the work does. */
  run<T>(work: AuditedWork, caller: Caller, run: () => Promise<T>): Promise<T>;
}
