import { type Change, changesKept, type NewChange, type StoredEntry } from "../../model/catalogue/change.ts";
import type { Pin } from "../../model/catalogue/pin.ts";
import type { KnownServer } from "../../model/servers/server.ts";
import type { ChangeQuery, EntryEdits, Store } from "../../model/store.ts";
import {
  oldestListing,
  parsePin,
  parsePinHead,
  parseRecord,
  parseWholePin,
  pinHeadColumns,
  type Row,
} from "../rows.ts";
import { type Connection, type Prepare, where } from "./connection.ts";

/** The last listing of each server, catalogue entries set at run time, and the change log. */
export function createCatalogueTables({ read, write }: Connection) {
  return {
    knownServers: (identities) =>
      read((prepare) => {
        const select = prepare("SELECT body AS record FROM known_servers WHERE identity = ?");
        return identities.flatMap((identity) => {
          const row = select.get(identity);
          return row ? [parseRecord<KnownServer>(row)] : [];
        });
      }),
    putKnownServer: (known) => write((prepare) => upsertKnownServer(prepare, known)),
    putListing: (known, basis, changes) =>
      write((prepare) => {
        const row = prepare("SELECT listed_at FROM known_servers WHERE identity = ?").get(known.identity);
        if ((row?.listed_at ?? null) !== basis) return false;
        upsertKnownServer(prepare, known);
        insertChanges(prepare, changes);
        return true;
      }),
    entries: () =>
      read((prepare) =>
        prepare("SELECT body AS record FROM entries ORDER BY kind, persona, name")
          .all()
          .map(parseRecord<StoredEntry>),
      ),
    editEntries: (edits) => write((prepare) => editEntries(prepare, edits)),
    addChanges: (changes) => write((prepare) => insertChanges(prepare, changes)),
    changes: (query) => read((prepare) => selectChanges(prepare, query)),
    changeAudiences: () =>
      read((prepare) =>
        prepare("SELECT DISTINCT audience FROM changes")
          .all()
          .map((row) => String(row.audience)),
      ),
  } satisfies Partial<Store>;
}

function upsertKnownServer(prepare: Prepare, known: KnownServer): void {
  prepare(
    `INSERT INTO known_servers (identity, listed_at, body) VALUES (?, ?, ?)
     ON CONFLICT (identity) DO UPDATE SET listed_at = excluded.listed_at, body = excluded.body`,
  ).run(known.identity, known.listedAt, JSON.stringify(known));
  prepare("DELETE FROM known_servers WHERE listed_at < ?").run(oldestListing());
}

function editEntries(prepare: Prepare, { put, remove, changes }: EntryEdits): void {
  const drop = prepare("DELETE FROM entries WHERE kind = ? AND persona = ? AND name = ?");
  for (const { kind, persona, name } of remove) drop.run(kind, persona ?? "", name);
  const upsert = prepare(
    `INSERT INTO entries (kind, persona, name, body) VALUES (?, ?, ?, ?)
     ON CONFLICT (kind, persona, name) DO UPDATE SET body = excluded.body`,
  );
  for (const entry of put) upsert.run(entry.kind, entry.persona ?? "", entry.name, JSON.stringify(entry));
  insertChanges(prepare, changes);
}

function insertChanges(prepare: Prepare, changes: readonly NewChange[]): void {
  if (changes.length === 0) return;
  const insert = prepare("INSERT INTO changes (kind, what, name, persona, audience, body) VALUES (?, ?, ?, ?, ?, ?)");
  for (const { audience, ...change } of changes) {
    const { kind, what, name, persona } = change;
    insert.run(kind, what, name, persona, JSON.stringify(audience), JSON.stringify(change));
  }
  prepare("DELETE FROM changes WHERE id <= (SELECT max(id) FROM changes) - ?").run(changesKept);
}

function selectChanges(
  prepare: Prepare,
  { filter = {}, audiences = null, limit, offset = 0 }: ChangeQuery,
): { changes: Change[]; total: number } {
  const { name, persona, kind, what } = filter;
  const { sql, values } = where(
    ["name = ?", name],
    ["persona IS ?", persona],
    ["kind = ?", kind],
    [what === "tool" ? "what IN (?, 'server', 'files')" : "what = ?", what],
    ["audience IN (SELECT value FROM json_each(?))", audiences ? JSON.stringify(audiences) : undefined],
  );
  const { total } = prepare(`SELECT count(*) AS total FROM changes ${sql}`).get(...values) ?? {};
  const select = prepare(`SELECT id, body AS record FROM changes ${sql} ORDER BY id DESC LIMIT ? OFFSET ?`);
  const parse = (row: Row): Change => ({ id: Number(row.id), ...parseRecord<Omit<Change, "id">>(row) });
  return { total: Number(total), changes: select.all(...values, limit, offset).map(parse) };
}

/** Pinned tool definitions. */
export function createPinTable({ read, write }: Connection) {
  return {
    pinnedServer: (identity) =>
      read((prepare) => {
        const known = prepare("SELECT 1 FROM pinned_servers WHERE identity = ?").get(identity);
        const rows = prepare(`SELECT ${pinHeadColumns} FROM pins WHERE identity = ?`).all(identity);
        return { isKnown: known !== undefined, heads: rows.map(parsePinHead) };
      }),
    pin: (identity, tool) =>
      read((prepare) => {
        const row = prepare("SELECT * FROM pins WHERE identity = ? AND tool = ?").get(identity, tool);
        return row ? parseWholePin(row) : null;
      }),
    pins: (identities) =>
      read((prepare) =>
        prepare(
          `SELECT ${pinHeadColumns}, identity, record FROM pins
           WHERE identity IN (SELECT value FROM json_each(?)) ORDER BY identity, tool`,
        )
          .all(JSON.stringify(identities))
          .map(parsePin),
      ),
    addPins: (identity, server, pins) =>
      write((prepare) => {
        const insert = prepare("INSERT OR IGNORE INTO pinned_servers (identity, server, at) VALUES (?, ?, ?)");
        insert.run(identity, server, new Date().toISOString());
        for (const pin of pins) insertPin(prepare, pin, "OR IGNORE");
      }),
    putPin: ({ pin, change }) =>
      write((prepare) => {
        insertPin(prepare, pin, "OR REPLACE");
        insertChanges(prepare, [change]);
      }),
  } satisfies Partial<Store>;
}

function insertPin(prepare: Prepare, pin: Pin, conflict: "OR IGNORE" | "OR REPLACE"): void {
  const { identity, tool, state, hash, quickHash, cleanBy, definition, server, at, by, reason } = pin;
  prepare(
    `INSERT ${conflict} INTO pins (identity, ${pinHeadColumns}, definition, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    ...[identity, tool, state, hash, quickHash, cleanBy],
    definition === null ? null : JSON.stringify(definition),
    JSON.stringify({ server, at, by, reason }),
  );
}
