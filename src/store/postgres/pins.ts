import type { Pin, PinDecision, PinHead, PinnedServer } from "../../model/pin.ts";
import { insertChanges } from "./changes.ts";
import { parseRecord, type Query, type Row, textOrNull } from "./query.ts";

const heads = "tool, state, hash, quick_hash, clean_by";

export async function selectPinnedServer(query: Query, identity: string): Promise<PinnedServer> {
  const known = await query("SELECT 1 FROM pinned_servers WHERE identity = $1", [identity]);
  const { rows } = await query(`SELECT ${heads} FROM pins WHERE identity = $1 ORDER BY tool`, [identity]);
  return { isKnown: known.count > 0, heads: rows.map(parseHead) };
}

export async function selectPin(query: Query, identity: string, tool: string): Promise<Pin | null> {
  const { rows } = await query("SELECT * FROM pins WHERE identity = $1 AND tool = $2", [identity, tool]);
  const row = rows[0];
  if (!row) return null;
  const text = textOrNull(row.definition);
  return { ...parsePin(row), definition: text === null ? null : (JSON.parse(text) as Pin["definition"]) };
}

export async function selectPins(
  query: Query,
  identities: readonly string[],
): Promise<Omit<Pin, "definition">[]> {
  const { rows } = await query(
    `SELECT ${heads}, identity, record FROM pins WHERE identity = ANY ($1) ORDER BY identity, tool`,
    [identities],
  );
  return rows.map(parsePin);
}

/** What is pinned already stays as it is. */
export async function insertPins(
  query: Query,
  identity: string,
  server: string,
  pins: readonly Pin[],
): Promise<void> {
  await query(
    "INSERT INTO pinned_servers (identity, server, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    [identity, server, new Date().toISOString()],
  );
  if (pins.length > 0) await insert(query, pins, "DO NOTHING");
}

export async function replacePin(query: Query, { pin, change }: PinDecision): Promise<void> {
  const update = ["state", "hash", "quick_hash", "clean_by", "definition", "record"];
  const set = update.map((column) => `${column} = excluded.${column}`).join(", ");
  await insert(query, [pin], `DO UPDATE SET ${set}`);
  await insertChanges(query, [change]);
}

async function insert(query: Query, pins: readonly Pin[], onConflict: string): Promise<void> {
  await query(
    `INSERT INTO pins (identity, ${heads}, definition, record)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::text[], $8::text[])
     ON CONFLICT (identity, tool) ${onConflict}`,
    [
      pins.map(({ identity }) => identity),
      pins.map(({ tool }) => tool),
      pins.map(({ state }) => state),
      pins.map(({ hash }) => hash),
      pins.map(({ quickHash }) => quickHash),
      pins.map(({ cleanBy }) => cleanBy),
      pins.map(({ definition }) => (definition === null ? null : JSON.stringify(definition))),
      pins.map(({ server, at, by, reason }) => JSON.stringify({ server, at, by, reason })),
    ],
  );
}

function parseHead(row: Row): PinHead {
  return {
    tool: String(row.tool),
    state: String(row.state) as PinHead["state"],
    hash: textOrNull(row.hash),
    quickHash: textOrNull(row.quick_hash),
    cleanBy: row.clean_by === null ? null : Number(row.clean_by),
  };
}

function parsePin(row: Row): Omit<Pin, "definition"> {
  const record = parseRecord<Pick<Pin, "server" | "at" | "by" | "reason">>(row);
  return { ...parseHead(row), identity: String(row.identity), ...record };
}
