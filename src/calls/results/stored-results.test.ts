import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Outcome, Requested } from "../../model/calls/call.ts";
import type { ToolResult } from "../../model/calls/result.ts";
import { ConfigValues } from "../../model/config/config.ts";
import { principalOf } from "../../model/principal.ts";
import { openSqliteStore } from "../../store/sqlite.ts";
import { createStoredResults } from "./stored-results.ts";

const ann = principalOf({ user: "ann" });

async function setUp(context: TestContext, changes: object = {}) {
  const store = await openSqliteStore(":memory:");
  context.after(() => store.close());
  const written = { keepMs: 60_000, maxStoredBytes: 1_000_000, ...changes };
  const settings = ConfigValues.shape.results.parse(written);
  const results = createStoredResults({
    store: async () => store,
    bucket: () => null,
    settings: () => settings,
    readTool: () => "read_result",
  });
  const give = (result: ToolResult, id = "call-1", face = "library") => {
    const call = { id, face, principal: ann, options: {} } as unknown as Requested;
    const outcome = {
      ok: true,
      call: { id, tool: "t", warnings: [] as string[] },
      result,
    } as unknown as Outcome;
    return results.shorten(call, outcome, 1_000);
  };
  return { store, results, give };
}

const text = (length: number, letter = "x") => ({
  content: [{ type: "text", text: letter.repeat(length) }],
});

test("a result that fits is given as it is, and nothing is kept", async (context) => {
  const { store, give } = await setUp(context);
  const result = text(1_000);
  assert.equal((await give(result)).result, result);
  assert.deepEqual(await store.results(), []);
});

test("what there is no room for is given whole, with a warning that names the setting", async (context) => {
  const { give } = await setUp(context, { maxStoredBytes: 10 });
  const result = text(5_000);
  const { result: given, stored, call } = await give(result);
  assert.deepEqual([given, stored], [result, undefined]);
  assert.match(call.warnings.join(), /'results\.maxStoredBytes'/);
});

test("what is read again is what was kept, to the last character", async (context) => {
  const { results, give } = await setUp(context);
  const odd = `${"line\n".repeat(500)}\u0000 🚀 \u2028 end`;
  const { stored } = await give({ content: [{ type: "text", text: odd }] });
  const page = await results.read(stored?.id ?? "", { limit: 100_000 }, ann);
  assert.deepEqual([page.text, page.total, page.nextOffset], [odd, odd.length, null]);
});

test("a result that was damaged in the store is not given out", async (context) => {
  const { store, results, give } = await setUp(context);
  const { stored } = await give(text(5_000));
  const kept = await store.result(stored?.id ?? "");
  assert.ok(kept);
  const body = Uint8Array.from(kept.body, (byte, at) =>
    at === kept.body.length - 1 ? byte ^ 1 : byte,
  );
  await store.putResult({ ...kept, body }, 1_000_000);
  await assert.rejects(results.read(kept.id, {}, ann), {
    code: "STORE_FAILED",
    message: /is damaged/,
  });
});

test("a list goes on where it ended, and says so when that place is gone", async (context) => {
  const { results, give } = await setUp(context);
  for (const letter of ["a", "b", "c"]) await give(text(5_000, letter), letter);
  const first = await results.list({ limit: 2 }, ann);
  const second = await results.list({ limit: 2, cursor: first.nextCursor ?? "" }, ann);
  assert.deepEqual(
    [...first.results, ...second.results].map(({ callId }) => callId),
    ["c", "b", "a"],
  );
  assert.equal(second.nextCursor, null);
  await assert.rejects(results.list({ cursor: "r_gone" }, ann), {
    code: "USAGE",
    message: /'cursor' cannot be/,
  });
  await assert.rejects(results.list({ limit: 0 }, ann), {
    code: "USAGE",
    message: /'limit' cannot be '0'/,
  });
});

test("of files a model reads names and sizes in the preview, and no base64", async (context) => {
  const { give } = await setUp(context);
  const bytes = Buffer.alloc(36_000, 7).toString("base64");
  const value = {
    results: "done",
    artifacts: [{ name: "plot.png", b64: bytes, mime: "image/png" }],
    meta_data: { n: 1 },
  };
  for (const result of [
    { content: [{ type: "text", text: JSON.stringify(value) }] },
    { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value },
  ])
    for (const face of ["agent", "mcp"]) {
      const { result: given } = await give(result, `call-${face}`, face);
      const said = JSON.stringify(given);
      assert.match(said, /\[artifact plot\.png, image\/png, 36000 bytes\]/);
      assert.match(said, /done/);
      assert.doesNotMatch(said, /[A-Za-z0-9+/]{200,}/);
    }
});
