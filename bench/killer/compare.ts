import { hash } from "../../src/lib/json/stable-json.ts";
import type { CallRecord } from "../../src/model/calls/call-schema.ts";
import { countMarks } from "../replicas/compare.ts";
import type { World } from "../replicas/world.ts";
import type { Log } from "./sessions.ts";

/** How often each call is in the record, by the hash of its arguments: a record has no arguments. */
async function countRecords(world: World): Promise<Map<string, number>> {
  const text = await world.ask("calls", "export", "--tool", "echo.write_note");
  const counts = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "") continue;
    const { argumentsHash } = JSON.parse(line) as CallRecord;
    if (argumentsHash !== null) counts.set(argumentsHash, (counts.get(argumentsHash) ?? 0) + 1);
  }
  return counts;
}

/** The answers that clients got, against the record of the planes and the ledger of the tool. */
export async function compare(world: World, { answered, unanswered }: Log) {
  const records = await countRecords(world);
  const ledger = countMarks(world.ledger);
  const recorded = (text: string) => records.get(hash({ text })) ?? 0;
  const done = (text: string) => ledger.get(text) ?? 0;
  const calls = [...answered];
  const lost = [...unanswered];
  const all = [...calls, ...lost];
  return {
    notRecorded: calls.filter((text) => recorded(text) === 0),
    recordedTwice: all.filter((text) => recorded(text) > 1),
    notDone: calls.filter((text) => done(text) === 0),
    doneTwice: all.filter((text) => done(text) > 1),
    lostAndDone: lost.filter((text) => done(text) === 1).length,
    lostAndRecorded: lost.filter((text) => recorded(text) === 1).length,
    records: [...records.values()].reduce((sum, count) => sum + count, 0),
    lines: [...ledger.values()].reduce((sum, count) => sum + count, 0),
  };
}
