import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import type { Plane } from "../../src/index.ts";
import { createPlane } from "../../src/index.ts";
import { fuzzSeed, repeatWith } from "../fixtures/fuzz-seed.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { cases, isWholeTier } from "../fixtures/tier.ts";
import {
  type Ending,
  sessionEndings,
  statusEndings,
  wireEndings,
  writeSchema,
} from "../fixtures/writing/endings.ts";
import { startWritingServer } from "../fixtures/writing/server.ts";

const program = join(import.meta.dirname, "../fixtures/writing/program.ts");

/** The tools that write, and how their servers may end a call. */
const writers: readonly { tools: readonly string[]; endings: readonly Ending[] }[] = [
  { tools: ["modern.put", "modern.claims"], endings: [...statusEndings, ...wireEndings] },
  {
    // A server that ends its own session after a write is the one that is believed: it says so twice.
    tools: ["legacy.put", "legacy.claims", "tasks.put"],
    endings: [...statusEndings, ...wireEndings],
  },
  { tools: ["events.put"], endings: [...statusEndings, ...wireEndings] },
  { tools: ["socket.put", "socket.claims"], endings: [...wireEndings, ...sessionEndings] },
  { tools: ["program.put", "program.claims"], endings: wireEndings },
  { tools: ["rest_put"], endings: [...statusEndings, ...wireEndings] },
  { tools: ["document.put"], endings: [...statusEndings, ...wireEndings] },
];

/** A small generator of our own, so that a seed repeats a run. */
function createPicker(seed: number) {
  let state = seed;
  return <Item>(items: readonly Item[]): Item => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return items[Math.floor((state / 2 ** 32) * items.length)] as Item;
  };
}

function planeWith(url: string, ledger: string): Promise<Plane> {
  // Each call is to arrive, whatever happened to the ones before.
  const circuit = { failures: 0 };
  return createPlane({
    config: {
      retry: { attempts: 4, delayMs: 1, maxDelayMs: 3 },
      mcpServers: {
        modern: { url: `${url}/modern`, circuit },
        legacy: { url: `${url}/legacy`, circuit },
        tasks: { url: `${url}/tasks`, circuit },
        events: { url: `${url}/sse`, transport: "sse", circuit },
        socket: { url: `${url.replace("http", "ws")}/socket`, circuit },
        program: { command: process.execPath, args: [program, ledger], circuit },
        document: { openapi: `${url}/document`, circuit },
      },
      tools: [
        {
          name: "rest_put",
          description: "Writes.",
          side_effects: "write",
          parameters: writeSchema,
          providers: [{ name: "http", config: { method: "POST", url: `${url}/rest` } }],
        },
      ],
    },
  } as Parameters<typeof createPlane>[0]);
}

function writtenBy(ledger: string): Map<string, (string | null)[]> {
  const writes = new Map<string, (string | null)[]>();
  for (const line of readFileSync(ledger, { encoding: "utf8", flag: "a+" }).split("\n")) {
    if (line === "") continue;
    const { id, key } = JSON.parse(line) as { id: string; key: string | null };
    writes.set(id, [...(writes.get(id) ?? []), key]);
  }
  return writes;
}

const atOnce = 16;

suite("a write", () => {
  test(`arrives once without a person, however its server answers (${repeatWith})`, async () => {
    await using directory = await temporaryDirectory();
    const ledger = directory.file("ledger");
    await using server = await startWritingServer();
    await using plane = await planeWith(server.url, ledger);
    plane.start();
    const pick = createPicker(fuzzSeed);
    const how = new Map<string, string>();
    const total = cases(10_000) * (isWholeTier ? 1 : 10);
    let begun = 0;
    const work = async () => {
      while (begun < total) {
        begun += 1;
        const id = `write-${begun}`;
        const { tools, endings } = pick(writers);
        const ending = pick(endings);
        const tool = pick(tools);
        how.set(id, `${tool} ${JSON.stringify(ending)}`);
        await plane.call(tool, { id, ending }, { timeoutMs: ending.is === "hang" ? 100 : 5_000 });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));

    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await plane.deadLetters.page(cursor === undefined ? {} : { cursor });
      for (const { nextRetryAt, callId } of page.deadLetters)
        assert.equal(nextRetryAt, null, `call ${callId} would be made again`);
      cursor = page.nextCursor;
    }
    const writes = new Map([...server.writes, ...writtenBy(ledger)]);
    const doubles = [...writes].filter(([, keys]) => keys.length > 1);
    assert.deepEqual(
      doubles.map(([id, keys]) => [how.get(id), keys]),
      [],
    );
    for (const [id, [key]] of writes) assert.ok(key, `${how.get(id)} came without a key`);
    assert.ok(writes.size > total / 4, `only ${writes.size} of ${total} arrived at all`);
  });
});
