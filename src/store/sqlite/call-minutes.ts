import type { CountedSteps, SeriesSpan } from "../../model/call-series.ts";
import type { CallColumns } from "../../model/store.ts";
import { countMinutes, minutesOf, oldestMinute, toCountedSteps, userKey } from "../call-minutes.ts";
import type { Prepare } from "./connection.ts";
import { where } from "./where.ts";

export function addToMinutes(prepare: Prepare, calls: readonly CallColumns[]): void {
  const counts = countMinutes(calls);
  if (counts.length === 0) return;
  const add = prepare(
    `INSERT INTO call_minutes (minute, user, status, took, calls) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls`,
  );
  for (const { minute, user, status, took, calls: count } of counts)
    add.run(minute, user, status, took, count);
  const newest = Math.max(...counts.map(({ minute }) => minute));
  prepare("DELETE FROM call_minutes WHERE minute < ?").run(oldestMinute(newest));
}

export function selectCallSeries(prepare: Prepare, span: SeriesSpan): CountedSteps {
  const { from, until, each } = minutesOf(span);
  const { sql, values } = where(
    ["minute >= ?", from],
    ["minute < ?", until],
    ["user = ?", span.user === undefined ? undefined : userKey(span.user)],
  );
  const rows = prepare(
    `SELECT (minute - ${from}) / ${each} AS place, status, took, sum(calls) AS calls
     FROM call_minutes ${sql} GROUP BY 1, 2, 3`,
  ).all(...values);
  return toCountedSteps(
    rows.map(({ place, status, took, calls }) => ({
      ...{ place: Number(place), status: String(status), took: Number(took), calls: Number(calls) },
    })),
  );
}
