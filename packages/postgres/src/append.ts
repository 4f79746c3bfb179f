import { serialized } from "@toolplane/core/lib/async/once";
import { uniqueId } from "@toolplane/core/lib/ids-and-time";
import { healthWindow } from "@toolplane/core/model/catalogue/health";
import type { ChainHeads, JournalEntry, Store } from "@toolplane/core/model/store";
import type { loadTables } from "@toolplane/core/store";
import type { PostgresConnection } from "./connection.ts";
import { storableText } from "./query.ts";

/** What a row takes beside its record, as the store counts it. */
const overheadBytes = 450;
/** A stream whose plane was killed is free for another one after this time. */
const abandoned = "interval '10 minutes'";

type Tables = Awaited<ReturnType<typeof loadTables>>;
type Stream = { id: number; hash: string };
type Answer = {
  calls: number;
  changes?: number | null;
  changesHash?: string | null;
  repeated?: boolean;
} | null;

type Parts = {
  connection: PostgresConnection;
  schema: string;
  instance: string;
  tables: Pick<Tables, "chainCalls" | "minuteRows" | "runRow" | "withoutStored">;
  stored: Pick<Store, "call" | "audited">;
};

/**
 * A plane writes a chain of its own: one statement for a batch, and no lock that another plane waits for. After a clean stop,
 * or when its plane is gone for long, another plane goes on with the stream.
 */
export function createStreamAppend({ connection, schema, instance, tables, stored }: Parts) {
  let stream: Stream | null = null;

  async function takeStream(): Promise<Stream> {
    const free = `SELECT id FROM streams WHERE id > 0 AND (holder IS NULL OR used_at < now() - ${abandoned})
      ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED`;
    const takeFree = `UPDATE streams SET holder = $1, used_at = now() WHERE id = (${free}) RETURNING id, hash`;
    return connection.write(async (query) => {
      const [freeStream] = (await query(takeFree, [instance])).rows;
      const insertStream = "INSERT INTO streams (holder) VALUES ($1) RETURNING id, hash";
      const row = freeStream ?? (await query(insertStream, [instance])).rows[0];
      return { id: Number(row?.id), hash: String(row?.hash ?? "") };
    });
  }

  /** Where another plane has taken the stream, or an attempt that was given up got through, a second one is taken. */
  async function store(newEntries: readonly JournalEntry[], batch: string): Promise<ChainHeads> {
    for (
      let entries = newEntries;
      ;
      entries = await tables.withoutStored(entries, everyId, stored)
    ) {
      if (entries.length === 0) return {};
      const ownStream = await (stream ?? takeStream());
      stream = ownStream;
      // The same batch again changes nothing, so that a lost connection is no question.
      const { answer, hash, at, changedAt } = await connection.read(async (query) => {
        const { body, ...batchEnd } = toBatch(entries, ownStream, tables);
        const lock = `toolplane/${schema}/journal`;
        const text = JSON.stringify({ ...body, holder: instance, batch, lock }, storable);
        const { rows } = await query("SELECT append_records($1) AS said", [text]);
        return { ...batchEnd, answer: rows[0]?.said as Answer };
      });
      if (answer === null) {
        stream = null;
        continue;
      }
      stream = { id: ownStream.id, hash };
      const heads: ChainHeads = {};
      if (at !== null) heads.calls = { sequence: answer.calls, hash, at, stream: stream.id };
      if (changedAt !== null && answer.changesHash)
        heads.changes = {
          sequence: Number(answer.changes),
          hash: answer.changesHash,
          at: changedAt,
        };
      return heads;
    }
  }

  const append: Store["append"] = serialized((entries) => store(entries, uniqueId()));

  return {
    append,
    /** Another plane may go on with the stream. */
    async release(): Promise<void> {
      if (stream === null) return;
      const sql = "UPDATE streams SET holder = NULL WHERE id = $1 AND holder = $2";
      await connection
        .change((query) => query(sql, [stream?.id ?? 0, instance]))
        .catch(() => undefined);
    },
  };
}

const everyId = { has: () => true };
const storable = (_: string, value: unknown) =>
  typeof value === "string" ? storableText(value) : value;

/** Rows name the place of their number; a call that stands for two events has the second of a pair. */
function toBatch(
  entries: readonly JournalEntry[],
  stream: Stream,
  { chainCalls, minuteRows, runRow }: Parts["tables"],
) {
  const calls: { entry: Extract<JournalEntry, { kind: "call" }>; sequence: number }[] = [];
  const events: { id: number; at: string; type: string; record: string }[] = [];
  const samples: object[] = [];
  const audit: object[] = [];
  let number = 0;
  let changedAt: string | null = null;
  for (const entry of entries) {
    if (entry.kind === "call") calls.push({ entry, sequence: ++number });
    else if (entry.kind === "event") {
      const { at, event, text = JSON.stringify(event) } = entry;
      events.push({ id: ++number, at, type: event.type, record: text });
    } else if (entry.kind === "sample") {
      const { subject, at, ok, latencyMs } = entry.sample;
      samples.push({ sequence: ++number, subject, at, ok, latency_ms: latencyMs });
    } else if (entry.kind === "audit") {
      const { id, at, operation, target, user } = entry.record;
      changedAt = at;
      audit.push({
        id,
        at,
        operation,
        target,
        user_name: user,
        record: JSON.stringify(entry.record),
      });
    }
  }
  const { rows, hash } = chainCalls(calls, stream.hash);
  const runs = entries.flatMap((entry) => (entry.kind === "run" ? [runRow(entry.run)] : []));
  const lastCall = calls.at(-1);
  const body = {
    stream: stream.id,
    after: stream.hash,
    hash,
    numbers: number,
    last: lastCall?.sequence,
    sizes: [rows.length, sizeOf(rows), events.length, sizeOf(events)],
    window: healthWindow,
    ...(rows.length > 0 && {
      calls: rows,
      minutes: minuteRows(calls.map(({ entry }) => entry.call)),
    }),
    ...(events.length > 0 && { events }),
    ...(samples.length > 0 && { samples }),
    ...(runs.length > 0 && { runs }),
    ...(audit.length > 0 && { audit }),
  };
  return { body, hash, at: lastCall?.entry.call.at ?? null, changedAt };
}

function sizeOf(rows: readonly { record: string }[]): number {
  return rows.reduce((sum, { record }) => sum + record.length + overheadBytes, 0);
}
