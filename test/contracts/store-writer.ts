import { createJournal } from "../../src/store/journal.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { answeredCall, callEntry, eventEntry, heldCall, sampleEntry } from "./records.ts";

/** Run as a process of its own: `store-writer.ts FILE PREFIX [ROUNDS]`. Prints a line for each thing stored. */
const [file, prefix, rounds = "Infinity"] = process.argv.slice(2);
if (file !== undefined && prefix !== undefined) await writeRounds(file, prefix, Number(rounds));

async function writeRounds(path: string, name: string, count: number): Promise<void> {
  const store = await openSqliteStore(path);
  const journal = createJournal(store.append);

  async function writeCall(id: string, latencyMs: number): Promise<void> {
    await journal.write([
      callEntry(id),
      eventEntry(id),
      sampleEntry(`tool:${name}`, latencyMs),
      eventEntry(`end of ${id}`),
    ]);
    process.stdout.write(`call ${id}\n`);
  }

  async function ask(id: string): Promise<void> {
    await store.addHeldCall(heldCall(id));
    process.stdout.write(`asked ${id}\n`);
    await store.replaceHeldCall(answeredCall(heldCall(id), "approve"));
    process.stdout.write(`answered ${id}\n`);
  }

  for (let round = 0; round < count; round += 1) {
    const lanes = [0, 1, 2].map((lane) => writeCall(`${name}-${round}-${lane}`, round * 3 + lane));
    await Promise.all([...lanes, ask(`${name}-${round}`)]);
  }
  await journal.close();
  await store.close();
}
