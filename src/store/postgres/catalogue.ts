import { type Change, changesKept, type NewChange, type StoredEntry } from "../../model/catalogue/change.ts";
import type { Pin } from "../../model/catalogue/pin.ts";
import type { KnownServer } from "../../model/servers/server.ts";
import type { ChangeQuery, EntryEdits, Store } from "../../model/store.ts";
import { oldestListing, parsePin, parsePinHead, parseRecord, parseWholePin, pinHeadColumns } from "../rows.ts";
import type { Connection } from "./connection.ts";
import { type Query, same, where } from "./query.ts";

const lock = "catalogue";

/** The last listing of each server, catalogue entries set at run time, and the change log. */
export function createCatalogueTables({ read, write }: Connection) {
  return {
    knownServers: (identities) =>
      read(async (query) => {
        const sql = "SELECT identity, record FROM known_servers WHERE identity = ANY ($1)";
        const { rows } = await query(sql, [identities]);
        const found = new Map(rows.map((row) => [String(row.identity), parseRecord<KnownServer>(row)]));
        return identities.flatMap((identity) => found.get(identity) ?? []);
      }),
    putKnownServer: (known) => write((query) => upsertKnownServer(query, known), { lock }),
    putListing: (known, basis, changes) =>
      write(
        async (query) => {
          const sql = "SELECT listed_at FROM known_servers WHERE identity = $1";
          const { rows } = await query(sql, [known.identity]);
          if ((rows[0]?.listed_at ?? null) !== basis) return false;
          await upsertKnownServer(query, known);
          await insertChanges(query, changes);
          return true;
        },
        { lock },
      ),
    entries: () =>
      read(async (query) => {
        const { rows } = await query("SELECT record FROM entries ORDER BY kind, persona, name");
        return rows.map(parseRecord<StoredEntry>);
      }),
    editEntries: (edits) => write((query) => editEntries(query, edits), { lock, notify: { what: "entries" } }),
    addChanges: (changes) => write((query) => insertChanges(query, changes), { lock }),
    changes: (asked) => read((query) => selectChanges(query, asked)),
    changeAudiences: () =>
      read(async (query) => {
        const { rows } = await query("SELECT DISTINCT audience FROM changes");
        return rows.map(({ audience }) => String(audience));
      }),
  } satisfies Partial<Store>;
}

async function upsertKnownServer(query: Query, known: KnownServer): Promise<void> {
  await query(
    `INSERT INTO known_servers (identity, listed_at, record) VALUES ($1, $2, $3)
     ON CONFLICT (identity) DO UPDATE SET listed_at = excluded.listed_at, record = excluded.record`,
    [known.identity, known.listedAt, JSON.stringify(known)],
  );
  await query("DELETE FROM known_servers WHERE listed_at < $1", [oldestListing()]);
}

async function editEntries(query: Query, { put, remove, changes }: EntryEdits): Promise<void> {
  for (const { kind, persona, name } of remove) {
    const sql = "DELETE FROM entries WHERE kind = $1 AND persona = $2 AND name = $3";
    await query(sql, [kind, persona ?? "", name]);
  }
  for (const entry of put) {
    await query(
      `INSERT INTO entries (kind, persona, name, record) VALUES ($1, $2, $3, $4)
       ON CONFLICT (kind, persona, name) DO UPDATE SET record = excluded.record`,
      [entry.kind, entry.persona ?? "", entry.name, JSON.stringify(entry)],
    );
  }
  await insertChanges(query, changes);
}

async function insertChanges(query: Query, changes: readonly NewChange[]): Promise<void> {
  if (changes.length === 0) return;
  await query(
    `INSERT INTO changes (kind, what, name, persona, audience, record)
     SELECT kind, what, name, persona, audience, record
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       WITH ORDINALITY AS given (kind, what, name, persona, audience, record, place)
     ORDER BY place`,
    [
      changes.map(({ kind }) => kind),
      changes.map(({ what }) => what),
      changes.map(({ name }) => name),
      changes.map(({ persona }) => persona),
      changes.map(({ audience }) => JSON.stringify(audience)),
      changes.map(({ audience: _, ...change }) => JSON.stringify(change)),
    ],
  );
  // By position, not by id: a failed transaction leaves a gap in the ids.
  await query("DELETE FROM changes WHERE id <= (SELECT id FROM changes ORDER BY id DESC OFFSET $1 LIMIT 1)", [
    changesKept,
  ]);
}

async function selectChanges(
  query: Query,
  { filter = {}, audiences = null, limit, offset = 0 }: ChangeQuery,
): Promise<{ changes: Change[]; total: number }> {
  const { name, persona, kind, what } = filter;
  const { sql, values } = where(
    ["name = ?", name],
    [same("persona"), persona],
    ["kind = ?", kind],
    [what === "tool" ? "what IN (?, 'server', 'files')" : "what = ?", what],
    ["audience = ANY (?)", audiences ?? undefined],
  );
  const counted = await query(`SELECT count(*) AS total FROM changes ${sql}`, values);
  const [size, start] = [values.length + 1, values.length + 2];
  const { rows } = await query(
    `SELECT id, record FROM changes ${sql} ORDER BY id DESC LIMIT $${size} OFFSET $${start}`,
    [...values, limit, offset],
  );
  return {
    total: Number(counted.rows[0]?.total),
    changes: rows.map((row) => ({ id: Number(row.id), ...parseRecord<Omit<Change, "id">>(row) })),
  };
}

/** Pinned tool definitions. */
export function createPinTable({ read, write }: Connection) {
  const options = { lock, notify: { what: "pins" } } as const;
  return {
    pinnedServer: (identity) =>
      read(async (query) => {
        const known = await query("SELECT 1 FROM pinned_servers WHERE identity = $1", [identity]);
        const sql = `SELECT ${pinHeadColumns} FROM pins WHERE identity = $1 ORDER BY tool`;
        const { rows } = await query(sql, [identity]);
        return { isKnown: known.count > 0, heads: rows.map(parsePinHead) };
      }),
    pin: (identity, tool) =>
      read(async (query) => {
        const sql = "SELECT * FROM pins WHERE identity = $1 AND tool = $2";
        const { rows } = await query(sql, [identity, tool]);
        return rows[0] ? parseWholePin(rows[0]) : null;
      }),
    pins: (identities) =>
      read(async (query) => {
        const { rows } = await query(
          `SELECT ${pinHeadColumns}, identity, record FROM pins WHERE identity = ANY ($1) ORDER BY identity, tool`,
          [identities],
        );
        return rows.map(parsePin);
      }),
    addPins: (identity, server, pins) =>
      write(async (query) => {
        await query("INSERT INTO pinned_servers (identity, server, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [
          identity,
          server,
          new Date().toISOString(),
        ]);
        if (pins.length > 0) await insertPins(query, pins, "DO NOTHING");
      }, options),
    putPin: ({ pin, change }) =>
      write(async (query) => {
        const columns = ["state", "hash", "quick_hash", "clean_by", "definition", "record"];
        const set = columns.map((column) => `${column} = excluded.${column}`).join(", ");
        await insertPins(query, [pin], `DO UPDATE SET ${set}`);
        await insertChanges(query, [change]);
      }, options),
  } satisfies Partial<Store>;
}

async function insertPins(query: Query, pins: readonly Pin[], onConflict: string): Promise<void> {
  await query(
    `INSERT INTO pins (identity, ${pinHeadColumns}, definition, record)
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
