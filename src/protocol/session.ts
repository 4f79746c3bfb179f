import { isObject, type UnknownObject } from "../model/json.ts";
import type { Peer } from "./peer.ts";

/** Revisions that open with a handshake, newest first. */
export const legacyVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

export type SessionInfo = { protocolVersion: string; offersTools: boolean };

/** Opens a session: we offer the newest revision and take what the server answers if we know it. */
export async function openSession(
  peer: Peer,
  clientInfo: { name: string; version: string },
  signal: AbortSignal,
): Promise<SessionInfo> {
  const params = { protocolVersion: legacyVersions[0], capabilities: {}, clientInfo };
  const result = await peer.request("initialize", params, { signal });
  const version = isObject(result) ? result.protocolVersion : undefined;
  const known = legacyVersions.find((candidate) => candidate === version);
  if (known === undefined || !isObject(result)) {
    throw new Error(`it speaks protocol ${JSON.stringify(version)}; known are ${legacyVersions.join(", ")}`);
  }
  const capabilities = isObject(result.capabilities) ? result.capabilities : {};
  return { protocolVersion: known, offersTools: capabilities.tools !== undefined };
}

const pageLimit = 1_000;

/** All pages of a listing. A cursor that does not advance ends it. */
export async function listAll(
  peer: Peer,
  method: "tools/list",
  key: "tools",
  signal: AbortSignal,
): Promise<unknown[]> {
  const items: unknown[] = [];
  const seen = new Set<string>();
  let params: UnknownObject = {};
  for (let page = 0; page < pageLimit; page++) {
    const result = await peer.request(method, params, { signal });
    if (!isObject(result) || !Array.isArray(result[key])) {
      throw new Error(`its answer to ${method} has no list '${key}'`);
    }
    items.push(...result[key]);
    const cursor = result.nextCursor;
    if (typeof cursor !== "string" || cursor === "" || seen.has(cursor)) break;
    seen.add(cursor);
    params = { cursor };
  }
  return items;
}
