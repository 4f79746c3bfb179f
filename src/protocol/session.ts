import type { UnknownObject } from "../model/json.ts";
import type { RequestOptions } from "./request-options.ts";

/** Revisions that open with a handshake, newest first. */
export const legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
/** The only one of them in which several messages may come as one. */
export const batchVersion = "2025-03-26";
/** The revision without one: every request says for itself who asks and what it can do. */
export const modernVersion = "2026-07-28";

export type Era = "legacy" | "modern";

/** Who we are to a server. */
export type ClientDescription = {
  info: { name: string; version: string };
  capabilities: UnknownObject;
  /** What we can do without whoever calls, told where every request says who asks; all of it when left out. */
  own?: UnknownObject;
  /** The least serious log messages it should send. */
  logLevel?: string;
};

/** A connection whose revision is settled. */
export type Session = {
  era: Era;
  protocolVersion: string;
  capabilities: UnknownObject;
  serverInfo: UnknownObject | null;
  instructions: string | null;
  request(method: string, params: UnknownObject, options?: RequestOptions): Promise<unknown>;
  /** From now on the server tells when its lists change, if it can. */
  watch(): void;
  /** Nothing is asked any more. */
  end(): void;
};
