import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../model/json.ts";
import { fitInventory, type InventoryServer } from "./inventory.ts";

const parameters = {
  type: "object",
  properties: { query: { type: "string", description: "x".repeat(200) } },
};

function servers(count: number, tools: number, length = 300): InventoryServer[] {
  return Array.from({ length: count }, (_, at) => ({
    server_name: `s${at}`,
    description: "A server",
    tools: Array.from({ length: tools }, (_, tool) => ({
      name: `s${at}_t${tool}`,
      description: "ä".repeat(length),
      parameters,
    })),
  }));
}

type Inventory = {
  available_servers: InventoryServer[];
  truncated?: boolean;
  omitted_tools?: number;
  omitted_servers?: number;
};

function fit(list: InventoryServer[], maxBytes: number): Inventory {
  const inventory: JsonObject = fitInventory(list, maxBytes);
  assert.ok(Buffer.byteLength(JSON.stringify(inventory)) <= maxBytes);
  return inventory as unknown as Inventory;
}

test("what fits is given whole, and nothing else is said", () => {
  assert.deepEqual(fit(servers(2, 2), 65_536), { available_servers: servers(2, 2) });
});

test("first descriptions are cut, then parameters are left out, and every tool is still there", () => {
  const cut = fit(servers(1, 10), 6_500);
  assert.deepEqual([cut.truncated, cut.omitted_tools], [true, 0]);
  assert.equal(cut.available_servers[0]?.tools[0]?.description.length, 100);
  assert.deepEqual(cut.available_servers[0]?.tools[0]?.parameters, parameters);
  const bare = fit(servers(1, 10), 3_000);
  assert.equal(bare.available_servers[0]?.tools.length, 10);
  assert.deepEqual(bare.available_servers[0]?.tools[0]?.parameters, {});
});

test("then every server keeps its first tools, and it is said how many are missing", () => {
  const { available_servers, truncated, omitted_tools } = fit(servers(5, 100), 20_000);
  const kept = available_servers.map(({ tools }) => tools.length);
  assert.equal(new Set(kept).size, 1);
  assert.ok((kept[0] ?? 0) > 0);
  assert.deepEqual([truncated, omitted_tools], [true, 500 - 5 * (kept[0] ?? 0)]);
});

test("at last servers are missing, too", () => {
  const { available_servers, omitted_servers = 0, omitted_tools } = fit(servers(200, 3), 1_024);
  assert.equal(available_servers.length + omitted_servers, 200);
  assert.equal(omitted_tools, 600);
});
