import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { createPlane } from "../../src/index.ts";
import { dataOf, tellStory } from "../story.ts";

type Order = { id: number; item: string; count?: number };
const orders: Order[] = [{ id: 1, item: "tea" }];

/** The shop: an ordinary HTTP API that knows nothing of MCP. */
const shop = createServer(async (request, response) => {
  const body = (await request.toArray()).join("");
  const answer = (status: number, value?: unknown) =>
    response
      .writeHead(status, { "content-type": "application/json" })
      .end(value && JSON.stringify(value));
  if (request.headers["x-shop-key"] !== "k-12345") return answer(401, { error: "wrong key" });
  if (request.method === "GET") return answer(200, orders);
  if (request.method === "DELETE") {
    const at = orders.findIndex(({ id }) => request.url === `/orders/${id}`);
    if (at < 0) return answer(404, { error: "no such order" });
    orders.splice(at, 1);
    return answer(204);
  }
  const order = { id: orders.length + 1, ...JSON.parse(body) };
  orders.push(order);
  return answer(201, order);
}).listen(0, "127.0.0.1");
await once(shop, "listening");

const { chapter, promise } = tellStory("An API becomes a server: its operations are tools");

{
  await using plane = await createPlane({
    config: {
      mcpServers: {
        shop: {
          openapi: fileURLToPath(new URL("orders.yaml", import.meta.url)),
          baseUrl: `http://127.0.0.1:${(shop.address() as AddressInfo).port}`,
          auth: { token: "k-12345" },
          operations: { tags: ["!internal"] },
        },
      },
      policy: { rules: [{ tool: "shop.cancelOrder", verdict: "deny", reason: "Orders stay." }] },
    },
  });

  chapter("The catalogue");
  await promise("every operation but the internal one is a tool", async () => {
    const names = (await plane.tools.list()).map(({ name }) => name).sort();
    assert.deepEqual(names, ["shop.cancelOrder", "shop.createOrder", "shop.listOrders"]);
  });
  await promise("a search finds the right one", async () => {
    const { tools } = await plane.search({ query: "which orders are open" });
    assert.equal(tools[0]?.name, "shop.listOrders");
  });

  chapter("Calls");
  await promise(
    "an order is made with plain arguments; the key comes from the configuration",
    async () => {
      const made = dataOf<Order>(await plane.call("shop.createOrder", { item: "cake", count: 2 }));
      assert.deepEqual(made, { id: 2, item: "cake", count: 2 });
    },
  );
  await promise("wrong arguments are refused before anything is sent", async () => {
    const { error } = await plane.call("shop.createOrder", { item: "cake", count: 0 });
    assert.equal(error?.code, "INVALID_ARGUMENTS");
    assert.equal(orders.length, 2);
  });
  await promise("policy holds for an API as for any server", async () => {
    const { error } = await plane.call("shop.cancelOrder", { id: 1 });
    assert.equal(error?.code, "APPROVAL_DENIED");
    assert.equal(orders.length, 2);
  });
  await promise("the record has all three", async () => {
    assert.equal((await plane.calls.list()).length, 3);
  });
}
shop.closeAllConnections();
shop.close();
