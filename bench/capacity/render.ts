import { renderTable } from "../report.ts";
import type { Measured } from "./measure.ts";
import type { Sized, Year } from "./scenarios.ts";

const short = (value: number) => String(Number(value.toPrecision(3)));
const percent = (share: number) => `${Math.round(share * 100)} %`;

export function renderCosts({ costs, questions, record, day }: Measured): string {
  const { plane, database, tool, client, bytes } = costs;
  const rows: readonly [string, string][] = [
    ["plane: a call", `${short(plane.beforeMs + plane.afterMs)} ms`],
    ["plane: a call, other threads", `${short(plane.asideMs)} ms`],
    ["plane: to wake a thread that sleeps", `${short(plane.wakeMs)} ms`],
    ["plane: a batch, beside that", `${short(plane.batchMs)} ms`],
    ["plane: a session", `${short(plane.sessionMs)} ms`],
    ["plane: a second without calls", `${short(plane.idleMs)} ms`],
    ["database: who calls, for a call", `${short(database.askMs * plane.asks)} ms`],
    ["database: a record", `${short(database.recordMs)} ms`],
    ["database: a batch", `${short(database.batchMs)} ms`],
    ["database: a second of a plane whose events are followed", `${short(database.lookMs)} ms`],
    ["database: a session", `${short(database.sessionMs)} ms`],
    ["database: a second without calls, for each plane", `${short(database.idleMs)} ms`],
    [
      "questions to the database: a call, a batch",
      `${short(questions.call)}, ${short(questions.batch)}`,
    ],
    [
      "tool of this bench: a call, and to wake it",
      `${short(tool.callMs)} and ${short(tool.wakeMs)} ms`,
    ],
    [
      "client of this bench: a call, and to wake it",
      `${short(client.callMs)} and ${short(client.wakeMs)} ms`,
    ],
    ["wire: a call, to and from its client", `${short(bytes.call)} bytes`],
    ["wire: a record, a batch", `${short(bytes.record)}, ${short(bytes.batch)} bytes`],
    ["disk: a record, its indices", `${short(record.row)}, ${short(record.indices)} bytes`],
    ["disk: other tables, for each record", `${short(record.otherTables)} bytes`],
    [
      `${day.rows} records (${short(day.bytes / 1e6)} MB): to delete them, to drop their table`,
      `${short(day.deleteMs)} and ${short(day.dropMs)} ms (${day.deleteProcessorMs} and ${day.dropProcessorMs} of processor)`,
    ],
  ];
  return renderTable(["cost", "measured"], rows);
}

export function renderSized(sizes: readonly Sized[]): string {
  const head = [
    "load",
    "lock",
    "planes",
    "cores of Postgres",
    "calls/s",
    "added p50, p95, p99",
    "first",
    "records that wait",
  ];
  const rows = sizes.map(({ name, lock, planes, databaseCores, found }) => {
    const { p50, p95, p99 } = found.addedMs;
    return [
      name,
      lock,
      String(planes),
      String(databaseCores),
      String(Math.round(found.perSecond)),
      `${[p50, p95, p99].map(short).join(", ")} ms`,
      `${found.first.name}, ${percent(found.first.busy)}${found.first.isFull ? ": full" : ""}`,
      `${found.waitingRecords}, ${Math.round(found.growingRecords)} more each second`,
    ];
  });
  return renderTable(head, rows);
}

const sizeOf = (bytes: number) =>
  bytes >= 1e12 ? `${short(bytes / 1e12)} TB` : `${short(bytes / 1e9)} GB`;

export function renderYears(years: readonly Year[]): string {
  const rows = years.map((year) => [
    String(year.perSecond),
    `${short(year.rowsADay / 1e6)} million`,
    sizeOf(year.bytesADay),
    sizeOf(year.bytesAYear),
    `${short(year.deleteMs / 60_000)} min`,
    `${short(year.dropMs / 1_000)} s`,
  ]);
  return renderTable(
    ["calls/s", "rows a day", "a day", "a year", "to delete a day", "to drop a day, at most"],
    rows,
  );
}
