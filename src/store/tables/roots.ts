import { nowText } from "../../lib/ids-and-time.ts";
import type { AuditRoot } from "../../model/audit-schema.ts";
import type { ChainEnd, RootStore } from "../../model/roots.ts";
import { changesChain } from "./audit.ts";
import { linesOf } from "./call-search.ts";
import { callsChain } from "./calls.ts";
import { type Chained, hashBefore, lostOf } from "./chained.ts";
import {
  all,
  change,
  type Database,
  first,
  insert,
  number,
  parseRecord,
  type Row,
  textOrNull,
} from "./database.ts";
import { sealedRemovals } from "./removal-seals.ts";

const removedAtOnce = 1_000;
const prefix = "calls/";
const changes = "changes";

type Place = { chained: Chained<never>; stream: number };

/** `calls/N` is stream N of calls. */
function placeOf(chain: string): Place {
  if (chain === changes) return { chained: changesChain as Chained<never>, stream: 0 };
  return { chained: callsChain as Chained<never>, stream: Number(chain.slice(prefix.length)) };
}

/** The roots over all chains, and what they are made of. */
export function createRootTable(database: Database): RootStore {
  const { read, write, streamEnds } = database;
  const asRoot = parseRecord<AuditRoot>;
  return {
    root: (wanted) =>
      read(() =>
        wanted === undefined
          ? first(asRoot, "SELECT record FROM roots ORDER BY number DESC LIMIT 1")
          : first(asRoot, "SELECT record FROM roots WHERE number = ?", [wanted]),
      ),
    rootByHash: (hash) =>
      read(() => first(asRoot, "SELECT record FROM roots WHERE hash = ?", [hash])),
    roots: (from, limit) =>
      read(() =>
        all(asRoot, "SELECT record FROM roots WHERE number >= ? ORDER BY number LIMIT ?", [
          from,
          limit,
        ]),
      ),
    firstRootFrom: (at) =>
      read(() => number("SELECT coalesce(min(number), 0) FROM roots WHERE at >= ?", [at])),
    addRoot: (root) =>
      write(() => {
        const { number: place, at, hash } = root;
        return insert(
          "roots",
          { number: place, at, hash, record: JSON.stringify(root) },
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
        const calls = yield* all((row) => asEnd(`${prefix}${Number(row.stream)}`, row), streamEnds);
        const newest = "SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1";
        const changed = yield* first((row) => asEnd(changes, row), newest);
        return changed === null ? calls : [...calls, changed];
      }),
    chainHashes: (chain, after, upTo, limit) =>
      read(() => {
        const { chained, stream } = placeOf(chain);
        return all(
          (row) => ({ sequence: Number(row.sequence), hash: String(row.hash) }),
          `SELECT sequence, hash FROM ${chained.table}
           WHERE ${chained.stream} = ? AND sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?`,
          [stream, after, upTo, limit],
        );
      }),
    chainedCall: (id) =>
      read(function* () {
        const row = yield* first(
          (found) => found,
          `SELECT stream, sequence, hash, record FROM calls WHERE ${database.isOneOf("id")} ORDER BY id DESC LIMIT 1`,
          [linesOf(id)],
        );
        if (row === null) return null;
        const end = asEnd(`${prefix}${Number(row.stream)}`, row);
        const previous = yield* hashBefore(
          callsChain as Chained<never>,
          Number(row.stream),
          end.sequence,
        );
        return { ...end, record: String(row.record), previous };
      }),
    lostOf: (chain, ends, keepDays) =>
      read(function* () {
        const { chained, stream } = placeOf(chain);
        const sealed = (yield* sealedRemovals(database, chained)).get(stream)?.sequence;
        return yield* lostOf(database, chained, stream, ends, { keepDays, sealed });
      }),
  };
}

function asEnd(chain: string, row: Row): ChainEnd {
  return { chain, sequence: Number(row.sequence), hash: textOrNull(row.hash) ?? "" };
}
