import {
  changesKept,
  type EntryKey,
  type NewChange,
  type StoredEntry,
} from "../../model/catalogue/change.ts";
import type { Change } from "../../model/catalogue/change-schema.ts";
import type { Pin, PinHead } from "../../model/catalogue/pin.ts";
import type { KnownServer } from "../../model/servers/server.ts";
import type { ChangeQuery, EntryEdits, Store, VectorStore } from "../../model/store.ts";
import {
  type Database,
  equalOrNull,
  insert,
  parseRecord,
  query,
  type Row,
  selectFirst,
  selectNumber,
  selectRows,
  textOrNull,
  type Work,
  where,
} from "./database.ts";

const lock = "catalogue";
/** Servers are listed again. */
const listing = { lock, survives: "process" } as const;
/** A server that was not listed for this long is forgotten. */
const knownServerMs = 90 * 24 * 3_600_000;

/** The last listing of each server, catalogue entries set at run time, and the change log. */
export function createCatalogueTables(database: Database) {
  const { read, write, recordOf, isOneOf } = database;
  return {
    async knownServers(identities) {
      const sql = `SELECT ${recordOf("known_servers")} AS record FROM known_servers WHERE ${isOneOf("identity")}`;
      const servers = await read(() => selectRows(parseRecord<KnownServer>, sql, [identities]));
      const byIdentity = new Map(servers.map((server) => [server.identity, server]));
      return identities.flatMap((identity) => byIdentity.get(identity) ?? []);
    },
    putKnownServer: (server) => write(() => upsertKnownServer(database, server), listing),
    putListing: (server, basis, changes) =>
      write(() => putListing(database, server, basis, changes), listing),
    entries: () => {
      const sql = `SELECT ${recordOf("entries")} AS record FROM entries ORDER BY kind, persona, name`;
      return read(() => selectRows(parseRecord<StoredEntry>, sql));
    },
    editEntries: (edits) =>
      write(() => editEntries(database, edits), { lock, notify: { what: "entries" } }),
    addChanges: (changes) => write(() => insertChanges(database, changes), listing),
    changes: (changeQuery) => read(() => selectChanges(database, changeQuery)),
    changeAudiences: () =>
      read(() =>
        selectRows(({ audience }) => String(audience), "SELECT DISTINCT audience FROM changes"),
      ),
  } satisfies Partial<Store>;
}

function* putListing(
  database: Database,
  server: KnownServer,
  basis: string | null,
  changes: readonly NewChange[],
): Work<boolean> {
  const sql = "SELECT listed_at FROM known_servers WHERE identity = ?";
  if ((yield* selectFirst((row) => textOrNull(row.listed_at), sql, [server.identity])) !== basis)
    return false;
  yield* upsertKnownServer(database, server);
  yield* insertChanges(database, changes);
  return true;
}

function* upsertKnownServer({ recordOf }: Database, server: KnownServer): Work<void> {
  const { identity, listedAt } = server;
  const record = recordOf("known_servers");
  yield* insert(
    "known_servers",
    { identity, listed_at: listedAt, [record]: JSON.stringify(server) },
    `ON CONFLICT (identity) DO UPDATE SET listed_at = excluded.listed_at, ${record} = excluded.${record}`,
  );
  const oldest = new Date(Date.now() - knownServerMs).toISOString();
  yield* query("DELETE FROM known_servers WHERE listed_at < ?", [oldest]);
}

function* editEntries(database: Database, { put, remove, changes }: EntryEdits): Work<void> {
  for (const key of remove) {
    const sql = "DELETE FROM entries WHERE kind = ? AND persona = ? AND name = ?";
    yield* query(sql, [key.kind, key.persona ?? "", keyName(key)]);
  }
  const record = database.recordOf("entries");
  const onConflict = `ON CONFLICT (kind, persona, name) DO UPDATE SET ${record} = excluded.${record}`;
  for (const entry of put) {
    const { kind, persona } = entry;
    const columns = { kind, persona: persona ?? "", name: keyName(entry) };
    yield* insert("entries", { ...columns, [record]: JSON.stringify(entry) }, onConflict);
  }
  yield* insertChanges(database, changes);
}

/** Configurations have entries of one name. Without files it is the name, as earlier versions write it. */
function keyName({ name, files }: EntryKey): string {
  return files === undefined ? name : `${name}\n${JSON.stringify(files)}`;
}

function* insertChanges(
  { insertRows, recordOf }: Database,
  changes: readonly NewChange[],
): Work<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ audience, ...change }) => {
    const { kind, what, name, persona } = change;
    const columns = { kind, what, name, persona, audience: JSON.stringify(audience) };
    return { ...columns, [recordOf("changes")]: JSON.stringify(change) };
  });
  yield* insertRows("changes", rows);
  // By position, not by id: a failed transaction leaves a gap in the ids.
  const sql =
    "DELETE FROM changes WHERE id <= (SELECT id FROM changes ORDER BY id DESC LIMIT 1 OFFSET ?)";
  yield* query(sql, [changesKept]);
}

function* selectChanges(
  { recordOf, isOneOf }: Database,
  { filter = {}, audiences = null, limit, offset = 0 }: ChangeQuery,
): Work<{ changes: Change[]; total: number }> {
  const { name, persona, kind, what } = filter;
  const { sql, values } = where(
    ["name = ?", name],
    [equalOrNull("persona"), persona],
    ["kind = ?", kind],
    [what === "tool" ? "what IN (?, 'overlay', 'server', 'files')" : "what = ?", what],
    [isOneOf("audience"), audiences ?? undefined],
  );
  const total = yield* selectNumber(`SELECT count(*) FROM changes ${sql}`, values);
  const changes = yield* selectRows(
    (row): Change => ({ id: Number(row.id), ...parseRecord<Omit<Change, "id">>(row) }),
    `SELECT id, ${recordOf("changes")} AS record FROM changes ${sql} ORDER BY id DESC LIMIT ? OFFSET ?`,
    [...values, limit, offset],
  );
  return { total, changes };
}

const maxVectors = 50_000;

/** Vectors of tools by a model of the person's own: they can be made again, so they are no part of the state. */
export function createVectorTable(database: Database): VectorStore {
  const { read, write, isOneOf } = database;
  return {
    async vectors(keys) {
      const sql = `SELECT key, vector FROM vectors WHERE ${isOneOf("key")}`;
      return new Map(
        await read(() =>
          selectRows((row) => [String(row.key), String(row.vector)] as const, sql, [keys]),
        ),
      );
    },
    putVectors: (vectors) =>
      write(function* () {
        const madeAt = Date.now();
        for (const { key, vector } of vectors)
          yield* insert(
            "vectors",
            { key, made_at: madeAt, vector },
            "ON CONFLICT (key) DO NOTHING",
          );
        const sql =
          "DELETE FROM vectors WHERE made_at < (SELECT made_at FROM vectors ORDER BY made_at DESC LIMIT 1 OFFSET ?)";
        yield* query(sql, [maxVectors]);
      }, listing),
  };
}

const headColumns = "tool, state, hash, quick_hash, clean_by";

/** Pinned tool definitions. */
export function createPinTable(database: Database) {
  const { read, write, isOneOf } = database;
  const options = { lock, notify: { what: "pins" } } as const;
  return {
    pinnedServer: (identity) => read(() => selectPinnedServer(identity)),
    pin: (identity, tool) =>
      read(() =>
        selectFirst(parseWholePin, "SELECT * FROM pins WHERE identity = ? AND tool = ?", [
          identity,
          tool,
        ]),
      ),
    pins: (identities) => {
      const columns = `${headColumns}, identity, record`;
      const sql = `SELECT ${columns} FROM pins WHERE ${isOneOf("identity")} ORDER BY identity, tool`;
      return read(() => selectRows(parsePin, sql, [identities]));
    },
    addPins: (identity, server, pins) =>
      write(() => addPins(database, identity, server, pins), options),
    putPin: ({ pin, change }) =>
      write(function* () {
        const columns = ["state", "hash", "quick_hash", "clean_by", "definition", "record"];
        const set = columns.map((column) => `${column} = excluded.${column}`).join(", ");
        yield* insert("pins", columnsOf(pin), `ON CONFLICT (identity, tool) DO UPDATE SET ${set}`);
        yield* insertChanges(database, [change]);
      }, options),
  } satisfies Partial<Store>;
}

function* selectPinnedServer(identity: string) {
  const pinned = yield* query("SELECT 1 FROM pinned_servers WHERE identity = ?", [identity]);
  const sql = `SELECT ${headColumns} FROM pins WHERE identity = ? ORDER BY tool`;
  return { isKnown: pinned.rows.length > 0, heads: yield* selectRows(parseHead, sql, [identity]) };
}

function* addPins(
  database: Database,
  identity: string,
  server: string,
  pins: readonly Pin[],
): Work<void> {
  const pinnedAt = new Date().toISOString();
  yield* insert("pinned_servers", { identity, server, at: pinnedAt }, "ON CONFLICT DO NOTHING");
  if (pins.length > 0)
    yield* database.insertRows("pins", pins.map(columnsOf), "ON CONFLICT DO NOTHING");
}

function columnsOf({
  identity,
  tool,
  state,
  hash,
  quickHash,
  cleanBy,
  definition,
  server,
  at,
  by,
  reason,
}: Pin) {
  return {
    identity,
    tool,
    state,
    hash,
    quick_hash: quickHash,
    clean_by: cleanBy,
    definition: definition === null ? null : JSON.stringify(definition),
    record: JSON.stringify({ server, at, by, reason }),
  };
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

function parseWholePin(row: Row): Pin {
  const text = textOrNull(row.definition);
  return {
    ...parsePin(row),
    definition: text === null ? null : (JSON.parse(text) as Pin["definition"]),
  };
}
