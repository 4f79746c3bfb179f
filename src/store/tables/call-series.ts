import { setImmediate as nextTurn } from "node:timers/promises";
import { steadyNow } from "../../lib/async/steady-time.ts";
import type { CountedSteps, SeriesSpan } from "../../model/calls/call-history.ts";
import { minutesOf, toCountedSteps, userKey } from "../call-minutes.ts";
import { type Database, query, type Row, where } from "./database.ts";

const hour = 60;
const minuteMs = 60_000;
/** Counted in one turn: of a busy plane these are tens of thousands of rows, and other work waits for the end of a turn. */
const minutesAtOnce = 3 * hour;
/** A plane that lost the store may still bring records of an hour that is over. */
const settledMinutes = 10;
const keptMs = 10 * minuteMs;
/** More than the longest chart has. */
const maxHours = 8 * 24;

type Kept = { rows: Row[]; at: number };

/** Counts by time. Hours that are over are counted once for all charts of them. */
export function createCallSeries({ read, minutes }: Database) {
  const hours = new Map<number, Kept>();

  function count(from: number, until: number, place: string, user?: string | null): Promise<Row[]> {
    const { sql, values } = where(
      ["minute >= ?", from],
      ["minute < ?", until],
      ["user_name = ?", user === undefined ? undefined : userKey(user)],
    );
    return read(function* () {
      const counted = `SELECT ${place} AS place, status, took, sum(calls) AS calls FROM ${minutes} ${sql} GROUP BY 1, 2, 3`;
      return (yield* query(counted, values)).rows;
    });
  }

  async function hourRows(number: number): Promise<Row[]> {
    const known = hours.get(number);
    if (known && steadyNow() - known.at < keptMs) return known.rows;
    hours.delete(number);
    const rows = await count(number * hour, (number + 1) * hour, String(number));
    await nextTurn();
    if ((number + 1) * hour + settledMinutes > Date.now() / minuteMs) return rows;
    hours.set(number, { rows, at: steadyNow() });
    for (const oldest of hours.keys()) if (hours.size > maxHours) hours.delete(oldest);
    return rows;
  }

  return async (span: SeriesSpan): Promise<CountedSteps> => {
    const { from, until, each } = minutesOf(span);
    const found: Row[] = [];
    if (span.user === undefined && each % hour === 0 && from % hour === 0) {
      for (let at = from; at < until; at += hour)
        for (const row of await hourRows(at / hour))
          found.push({ ...row, place: Math.floor((at - from) / each) });
      return toCountedSteps(found);
    }
    // A turn holds whole steps, so that each is counted in one.
    const atOnce = Math.max(1, Math.floor(minutesAtOnce / each)) * each;
    for (let at = from; at < until; at += atOnce) {
      found.push(
        ...(await count(
          at,
          Math.min(until, at + atOnce),
          `(minute - ${from}) / ${each}`,
          span.user,
        )),
      );
      await nextTurn();
    }
    return toCountedSteps(found);
  };
}
