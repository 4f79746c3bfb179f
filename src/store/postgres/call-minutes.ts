import type { CountedSteps, SeriesSpan } from "../../model/call-series.ts";
import type { CallColumns } from "../../model/store.ts";
import { countMinutes, minutesOf, oldestMinute, toCountedSteps, userKey } from "../call-minutes.ts";
import { type Query, where } from "./query.ts";

/** Both in one statement, which costs one journey. */
export async function addToMinutes(query: Query, calls: readonly CallColumns[]): Promise<void> {
  const counts = countMinutes(calls);
  if (counts.length === 0) return;
  await query(
    `WITH forgotten AS (DELETE FROM call_minutes WHERE minute < $6)
     INSERT INTO call_minutes (minute, user_name, status, took, calls)
     SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::integer[], $5::bigint[])
     ON CONFLICT (minute, user_name, status, took) DO UPDATE SET calls = call_minutes.calls + excluded.calls`,
    [
      counts.map(({ minute }) => minute),
      counts.map(({ user }) => user),
      counts.map(({ status }) => status),
      counts.map(({ took }) => took),
      counts.map((count) => count.calls),
      oldestMinute(Math.max(...counts.map(({ minute }) => minute))),
    ],
  );
}

export async function selectCallSeries(query: Query, span: SeriesSpan): Promise<CountedSteps> {
  const { from, until, each } = minutesOf(span);
  const { sql, values } = where(
    ["minute >= ?", from],
    ["minute < ?", until],
    ["user_name = ?", span.user === undefined ? undefined : userKey(span.user)],
  );
  const { rows } = await query(
    `SELECT (minute - ${from}) / ${each} AS place, status, took, sum(calls) AS calls
     FROM call_minutes ${sql} GROUP BY 1, 2, 3`,
    values,
  );
  return toCountedSteps(
    rows.map(({ place, status, took, calls }) => ({
      ...{ place: Number(place), status: String(status), took: Number(took), calls: Number(calls) },
    })),
  );
}
