import type { KnownServer } from "../../model/server.ts";
import type { Prepare } from "./connection.ts";

/** A server that was not listed for so long is somebody's past. */
const keptMs = 90 * 24 * 3_600_000;

export function upsertKnownServer(prepare: Prepare, known: KnownServer): void {
  prepare(
    `INSERT INTO known_servers (identity, listed_at, body) VALUES (?, ?, ?)
     ON CONFLICT (identity) DO UPDATE SET listed_at = excluded.listed_at, body = excluded.body`,
  ).run(known.identity, known.listedAt, JSON.stringify(known));
  prepare("DELETE FROM known_servers WHERE listed_at < ?").run(new Date(Date.now() - keptMs).toISOString());
}

/** Only when what is there was listed at `basis`; null means that nothing is there. */
export function replaceKnownServer(prepare: Prepare, known: KnownServer, basis: string | null): boolean {
  const row = prepare("SELECT listed_at FROM known_servers WHERE identity = ?").get(known.identity);
  if ((row?.listed_at ?? null) !== basis) return false;
  upsertKnownServer(prepare, known);
  return true;
}

export function selectKnownServers(prepare: Prepare, identities: readonly string[]): KnownServer[] {
  const select = prepare("SELECT body FROM known_servers WHERE identity = ?");
  return identities.flatMap((identity) => {
    const row = select.get(identity);
    return row ? [JSON.parse(String(row.body)) as KnownServer] : [];
  });
}
