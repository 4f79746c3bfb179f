import type { PoolClient } from "pg";

/** Whoever works on something renews a lease of fifteen seconds and more, by its own clock. */
const maxMs = 5_000;

/** Planes whose clocks differ take each other for gone, or wait for each other too long: whoever can mend that is told. */
export async function checkClock(client: PoolClient): Promise<void> {
  const before = Date.now();
  const { rows } = await client.query(
    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS theirs",
  );
  const theirs = Number(rows[0]?.theirs);
  // On the way to the server and back time passes, too.
  const nearest = Math.min(Math.max(theirs, before), Date.now());
  const aheadMs = nearest - theirs;
  if (Math.abs(aheadMs) < maxMs) return;
  const far = `${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? "ahead of" : "behind"}`;
  process.emitWarning(
    `The clock of this machine is ${far} that of the database. What planes on one database do for each other comes late, or is taken for given up: have both set by the same time server.`,
  );
}
