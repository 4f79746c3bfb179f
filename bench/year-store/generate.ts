import { fileURLToPath } from "node:url";
import { createPlane } from "../../src/index.ts";
import type { CallRecord, CallStatus } from "../../src/model/calls/call-schema.ts";
import type { JournalEntry } from "../../src/model/store.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { showProgress } from "../report.ts";

export const dayMs = 24 * 3_600_000;
export const callsPerDay = 100_000;
const batch = 5_000;
const echoServer = fileURLToPath(new URL("../cli-start/echo-server.mjs", import.meta.url));
/** Of 200: most calls succeed. */
const statuses: readonly (readonly [CallStatus, number])[] = [
  ["succeeded", 180],
  ["tool_error", 12],
  ["failed", 5],
  ["refused", 3],
];

/** What a call really leaves: the plane's own record of one. */
async function recordOfCall(): Promise<CallRecord> {
  await using plane = await createPlane({
    config: { mcpServers: { echo: { command: process.execPath, args: [echoServer] } } },
  });
  const { call } = await plane.call("echo.echo", { message: "hello" });
  return plane.calls.get(call.id);
}

/** The newest calls of a year of 100,000 a day, of forty tools of ten servers and fifty people. */
export async function generateYear(
  file: string,
  records: number,
  until = Date.now(),
): Promise<void> {
  const template = await recordOfCall();
  const store = await openSqliteStore(file);
  const each = dayMs / callsPerDay;
  const begin = until - records * each;
  // The thread that appends keeps no process alive.
  const alive = setInterval(() => undefined, 1_000);
  try {
    for (let from = 0; from < records; from += batch) {
      const entries: JournalEntry[] = [];
      for (let number = from; number < Math.min(records, from + batch); number += 1)
        entries.push({
          kind: "call",
          call: callOf(template, number, begin + number * each),
          events: 2,
        });
      await store.append(entries);
      showProgress(from + entries.length, records, "records");
    }
  } finally {
    clearInterval(alive);
    await store.close();
  }
}

/** Spreads numbers that follow each other, always in the same way; `of` tells what is spread, so that nothing goes together. */
function spread(number: number, count: number, of = 0): number {
  let mixed = Math.imul(number + 1 + of * 7_919, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 1) % count;
}

function statusOf(number: number): CallStatus {
  let left = spread(number, 200, 3);
  for (const [status, share] of statuses) {
    if (left < share) return status;
    left -= share;
  }
  return "succeeded";
}

/** All calls of this person succeed: who looks for failed ones reads all of them in vain. */
export const luckyPerson = "person-13";

function callOf(template: CallRecord, number: number, atMs: number): CallRecord {
  const user = `person-${spread(number, 50, 2)}`;
  const server = `server-${spread(number, 10)}`;
  const at = new Date(atMs).toISOString();
  const id = `${Math.floor(atMs).toString(36)}-${spread(number, 0x7fffffff, 5).toString(36)}-${number.toString(36)}`;
  return {
    ...template,
    id,
    at,
    server,
    tool: `${server}.tool-${spread(number, 4, 1)}`,
    status: user === luckyPerson ? "succeeded" : statusOf(number),
    durationMs: 5 + spread(number, 4_000, 4) / 10,
    conversation: `conversation-${Math.floor(number / 12)}`,
    principal: { ...template.principal, user },
  };
}
