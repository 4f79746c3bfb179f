import { nowText } from "../../lib/ids-and-time.ts";
import type { AuditRoot } from "../../model/audit-schema.ts";
import type { ChainEnd, RootStore } from "../../model/roots.ts";
import { changesChain } from "./audit.ts";
import { linesOf } from "./call-search.ts";
import { callsChain } from "./calls.ts";
import { type Chained, hashBefore, lostOf } from "./chained.ts";
import {
  change,
  type Database,
  insert,
  parseRecord,
  type Row,
  selectFirst,
  selectNumber,
  selectRows,
  textOrNull,
} from "./database.ts";
import { sealedRemovals } from "./removal-seals.ts";

const removedAtOnce = 1_000;
const callsPrefix = "calls/";
const changesName = "changes";

type ChainStream = { chained: Chained<never>; stream: number };

/** `calls/N` is stream N of calls. */
function streamOf(chain: string): ChainStream {
  if (chain === changesName) return { chained: changesChain as Chained<never>, stream: 0 };
  return { chained: callsChain as Chained<never>, stream: Number(chain.slice(callsPrefix.length)) };
}

/** The roots over all chains, and what they are made of. */
export function createRootTable(database: Database): RootStore {
  const { read, write, streamEnds } = database;
  const asRoot = parseRecord<AuditRoot>;
  return {
    root: (number) =>
      read(() =>
        number === undefined
          ? selectFirst(asRoot, "SELECT record FROM roots ORDER BY number DESC LIMIT 1")
          : selectFirst(asRoot, "SELECT record FROM roots WHERE number = ?", [number]),
      ),
    rootByHash: (hash) =>
      read(() => selectFirst(asRoot, "SELECT record FROM roots WHERE hash = ?", [hash])),
    roots: (from, limit) =>
      read(() =>
        selectRows(asRoot, "SELECT record FROM roots WHERE number >= ? ORDER BY number LIMIT ?", [
          from,
          limit,
        ]),
      ),
    firstRootFrom: (moment) =>
      read(() =>
        selectNumber("SELECT coalesce(min(number), 0) FROM roots WHERE at >= ?", [moment]),
      ),
    addRoot: (root) =>
      write(() => {
        const { number, at, hash } = root;
        return insert(
          "roots",
          { number, at, hash, record: JSON.stringify(root) },
          "ON CONFLICT DO NOTHING",
        );
      }),
    // Up to the first that is younger, so that none is missing in between; those of a clock that was ahead hold nothing back.
    forgetRoots: (before) =>
      write(() => {
        const newest = "SELECT max(number) FROM roots";
        const younger = `SELECT min(number) FROM roots WHERE at >= ? AND at <= ?`;
        return change(
          `DELETE FROM roots WHERE number IN (SELECT number FROM roots WHERE number < coalesce((${younger}), (${newest}))
             AND number < (${newest}) ORDER BY number LIMIT ?)`,
          [before, nowText(), removedAtOnce],
        );
      }),
    chainEnds: () =>
      read(function* () {
        const calls = yield* selectRows(
          (row) => asEnd(`${callsPrefix}${Number(row.stream)}`, row),
          streamEnds,
        );
        const newest = "SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1";
        const changesEnd = yield* selectFirst((row) => asEnd(changesName, row), newest);
        return changesEnd === null ? calls : [...calls, changesEnd];
      }),
    chainHashes: (chain, after, upTo, limit) =>
      read(() => {
        const { chained, stream } = streamOf(chain);
        return selectRows(
          (row) => ({ sequence: Number(row.sequence), hash: String(row.hash) }),
          `SELECT sequence, hash FROM ${chained.table}
           WHERE ${chained.stream} = ? AND sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?`,
          [stream, after, upTo, limit],
        );
      }),
    chainedCall: (id) =>
      read(function* () {
        const row = yield* selectFirst(
          (chained) => chained,
          `SELECT stream, sequence, hash, record FROM calls WHERE ${database.isOneOf("id")} ORDER BY id DESC LIMIT 1`,
          [linesOf(id)],
        );
        if (row === null) return null;
        const end = asEnd(`${callsPrefix}${Number(row.stream)}`, row);
        const previous = yield* hashBefore(
          callsChain as Chained<never>,
          Number(row.stream),
          end.sequence,
        );
        return { ...end, record: String(row.record), previous };
      }),
    lostOf: (chain, ends, keepDays) =>
      read(function* () {
        const { chained, stream } = streamOf(chain);
        const sealed = (yield* sealedRemovals(database, chained)).get(stream)?.sequence;
        return yield* lostOf(database, chained, stream, ends, { keepDays, sealed });
      }),
  };
}

function asEnd(chain: string, row: Row): ChainEnd {
  return { chain, sequence: Number(row.sequence), hash: textOrNull(row.hash) ?? "" };
}
