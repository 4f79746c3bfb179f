import type { Pin, PinDecision, PinHead, PinnedServer } from "../../model/pin.ts";
import { insertChanges } from "./changes.ts";
import type { Prepare } from "./connection.ts";

const heads = "tool, state, hash, quick_hash, clean_by";

export function selectPinnedServer(prepare: Prepare, identity: string): PinnedServer {
  const isKnown = prepare("SELECT 1 FROM pinned_servers WHERE identity = ?").get(identity) !== undefined;
  const rows = prepare(`SELECT ${heads} FROM pins WHERE identity = ?`).all(identity);
  return { isKnown, heads: rows.map(parseHead) };
}

export function selectPin(prepare: Prepare, identity: string, tool: string): Pin | null {
  const row = prepare("SELECT * FROM pins WHERE identity = ? AND tool = ?").get(identity, tool);
  if (!row) return null;
  const definition =
    row.definition === null ? null : (JSON.parse(String(row.definition)) as Pin["definition"]);
  return { ...parsePin(row), definition };
}

export function selectPins(prepare: Prepare, identities: readonly string[]): Omit<Pin, "definition">[] {
  return prepare(
    `SELECT ${heads}, identity, record FROM pins WHERE identity IN (SELECT value FROM json_each(?)) ORDER BY identity, tool`,
  )
    .all(JSON.stringify(identities))
    .map(parsePin);
}

/** What is pinned already stays as it is. */
export function insertPins(prepare: Prepare, identity: string, server: string, pins: readonly Pin[]): void {
  const at = new Date().toISOString();
  prepare("INSERT OR IGNORE INTO pinned_servers (identity, server, at) VALUES (?, ?, ?)").run(
    identity,
    server,
    at,
  );
  for (const pin of pins) insertPin(prepare, pin, "OR IGNORE");
}

export function replacePin(prepare: Prepare, { pin, change }: PinDecision): void {
  insertPin(prepare, pin, "OR REPLACE");
  insertChanges(prepare, [change]);
}

function insertPin(prepare: Prepare, pin: Pin, conflict: "OR IGNORE" | "OR REPLACE"): void {
  const { identity, tool, state, hash, quickHash, cleanBy, definition, server, at, by, reason } = pin;
  prepare(
    `INSERT ${conflict} INTO pins (identity, ${heads}, definition, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    identity,
    tool,
    state,
    hash,
    quickHash,
    cleanBy,
    definition === null ? null : JSON.stringify(definition),
    JSON.stringify({ server, at, by, reason }),
  );
}

type Row = { [column: string]: unknown };

function parseHead(row: Row): PinHead {
  const textOrNull = (value: unknown) => (value === null ? null : String(value));
  return {
    tool: String(row.tool),
    state: String(row.state) as PinHead["state"],
    hash: textOrNull(row.hash),
    quickHash: textOrNull(row.quick_hash),
    cleanBy: row.clean_by === null ? null : Number(row.clean_by),
  };
}

function parsePin(row: Row): Omit<Pin, "definition"> {
  const record = JSON.parse(String(row.record)) as Pick<Pin, "server" | "at" | "by" | "reason">;
  return { ...parseHead(row), identity: String(row.identity), ...record };
}
