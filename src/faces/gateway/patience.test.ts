import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolId } from "../../model/catalogue/tool.ts";
import type { Plane } from "../../model/plane.ts";
import { anonymous } from "../../model/principal.ts";
import { createToolWait } from "./tool-list.ts";

function world(
  servers: { name: string; state: string; listedAt: string | null }[],
  tools: { id: ToolId }[] = [],
) {
  const firstWait = createToolWait({ servers: { list: async () => servers } } as unknown as Plane);
  return async () => {
    const waits: number[] = [];
    await firstWait(anonymous, async (ms) => {
      waits.push(ms);
      return tools;
    });
    return waits;
  };
}

test("where nothing is listed yet the first tools are waited for, once", async () => {
  const servers = [{ name: "one", state: "connecting", listedAt: null }];
  const ask = world(servers);
  assert.deepEqual([await ask(), await ask()], [[1_000, 10_000], [1_000]]);
  servers.push({ name: "two", state: "connecting", listedAt: null });
  assert.deepEqual([await ask(), await ask()], [[1_000, 10_000], [1_000]]);
});

test("a slow server does not delay the tools of another", async () => {
  const tools = [{ id: { server: "quick", tool: "t" } }];
  assert.deepEqual(
    await world([{ name: "slow", state: "connecting", listedAt: null }], tools)(),
    [1_000],
  );
});

test("what is known from before, switched off or broken is not waited for", async () => {
  const ask = world([
    { name: "known", state: "connecting", listedAt: "2026-01-01T00:00:00.000Z" },
    { name: "off", state: "disabled", listedAt: null },
    { name: "broken", state: "config_error", listedAt: null },
  ]);
  assert.deepEqual(await ask(), [1_000]);
});
