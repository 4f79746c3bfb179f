import assert from "node:assert/strict";
import { test } from "node:test";
import { planeOf } from "../../../test/scenarios/support.ts";
import { createSurfaces } from "./surfaces.ts";
import { parseView } from "./view.ts";

test("servers that could not be found out are asked for again with the next request", async () => {
  await using plane = await planeOf({ one: { command: "x", autoConnect: false } });
  let failures = 1;
  const flaky: typeof plane = {
    ...plane,
    servers: {
      ...plane.servers,
      async list(...given) {
        if (failures-- > 0) throw new Error("away");
        return plane.servers.list(...given);
      },
    },
  };
  const surface = createSurfaces(flaky).of(plane.identity.usualCaller(), parseView(""));
  await assert.rejects(surface.servers(), /away/);
  assert.deepEqual([...(await surface.servers())], ["one"]);
  assert.equal(await surface.servers(), await surface.servers());
});
