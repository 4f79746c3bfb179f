import { setImmediate as nextTurn } from "node:timers/promises";
import { steadyNow } from "../../lib/async/steady-time.ts";
import type { CountedSteps, SeriesSpan } from "../../model/calls/call-history.ts";
import { minutesOf, toCountedSteps, userKey } from "../call-minutes.ts";
import { type Database, query, type Row, where } from "./database.ts";

const minutesPerHour = 60;
const minuteMs = 60_000;
/** Counted in one turn: of a busy plane these are tens of thousands of rows, and other work waits for the end of a turn. */
const minutesAtOnce = 3 * minutesPerHour;
/** A plane that lost the store may still bring records of an hour that is over. */
const settledMinutes = 10;
const keptMs = 10 * minuteMs;
/** More than the longest chart has. */
const maxHours = 8 * 24;

type CachedHour = { rows: Row[]; at: number };

/** Counts by time. Hours that are over are counted once for all charts of them. */
export function createCallSeries({ read, minutes }: Database) {
  const hours = new Map<number, CachedHour>();

  function count(from: number, until: number, step: string, user?: string | null): Promise<Row[]> {
    const { sql, values } = where(
      ["minute >= ?", from],
      ["minute < ?", until],
      ["user_name = ?", user === undefined ? undefined : userKey(user)],
    );
    return read(function* () {
      const counted = `SELECT ${step} AS place, status, took, sum(calls) AS calls FROM ${minutes} ${sql} GROUP BY 1, 2, 3`;
      return (yield* query(counted, values)).rows;
    });
  }

  async function hourRows(number: number): Promise<Row[]> {
    const cached = hours.get(number);
    if (cached && steadyNow() - cached.at < keptMs) return cached.rows;
    hours.delete(number);
    const rows = await count(
      number * minutesPerHour,
      (number + 1) * minutesPerHour,
      String(number),
    );
    await nextTurn();
    if ((number + 1) * minutesPerHour + settledMinutes > Date.now() / minuteMs) return rows;
    hours.set(number, { rows, at: steadyNow() });
    for (const oldest of hours.keys()) if (hours.size > maxHours) hours.delete(oldest);
    return rows;
  }

  return async (span: SeriesSpan): Promise<CountedSteps> => {
    const { from, until, minutesPerStep } = minutesOf(span);
    const rows: Row[] = [];
    if (
      span.user === undefined &&
      minutesPerStep % minutesPerHour === 0 &&
      from % minutesPerHour === 0
    ) {
      for (let minute = from; minute < until; minute += minutesPerHour)
        for (const row of await hourRows(minute / minutesPerHour))
          rows.push({ ...row, place: Math.floor((minute - from) / minutesPerStep) });
      return toCountedSteps(rows);
    }
    // A turn holds whole steps, so that each is counted in one.
    const minutesPerTurn = Math.max(1, Math.floor(minutesAtOnce / minutesPerStep)) * minutesPerStep;
    for (let minute = from; minute < until; minute += minutesPerTurn) {
      rows.push(
        ...(await count(
          minute,
          Math.min(until, minute + minutesPerTurn),
          `(minute - ${from}) / ${minutesPerStep}`,
          span.user,
        )),
      );
      await nextTurn();
    }
    return toCountedSteps(rows);
  };
}
