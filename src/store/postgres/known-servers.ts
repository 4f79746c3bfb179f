import type { KnownServer } from "../../model/server.ts";
import { parseRecord, type Query } from "./query.ts";

/** A server that was not listed for so long is somebody's past. */
const keptMs = 90 * 24 * 3_600_000;

export async function upsertKnownServer(query: Query, known: KnownServer): Promise<void> {
  await query(
    `INSERT INTO known_servers (identity, listed_at, record) VALUES ($1, $2, $3)
     ON CONFLICT (identity) DO UPDATE SET listed_at = excluded.listed_at, record = excluded.record`,
    [known.identity, known.listedAt, JSON.stringify(known)],
  );
  const oldest = new Date(Date.now() - keptMs).toISOString();
  await query("DELETE FROM known_servers WHERE listed_at < $1", [oldest]);
}

/** Only when what is there was listed at `basis`; null means that nothing is there. */
export async function replaceKnownServer(
  query: Query,
  known: KnownServer,
  basis: string | null,
): Promise<boolean> {
  const { rows } = await query("SELECT listed_at FROM known_servers WHERE identity = $1", [known.identity]);
  if ((rows[0]?.listed_at ?? null) !== basis) return false;
  await upsertKnownServer(query, known);
  return true;
}

/** In the order they are asked for. */
export async function selectKnownServers(
  query: Query,
  identities: readonly string[],
): Promise<KnownServer[]> {
  const { rows } = await query("SELECT identity, record FROM known_servers WHERE identity = ANY ($1)", [
    identities,
  ]);
  const found = new Map(rows.map((row) => [String(row.identity), parseRecord<KnownServer>(row)]));
  return identities.flatMap((identity) => found.get(identity) ?? []);
}
