import assert from "node:assert/strict";
import { test } from "node:test";
import type { SignInRows } from "@toolplane/core/model/access/sign-in";
import { clientSeconds, createAdapter } from "./adapter.ts";

test("a client that registered is forgotten, unless a person allows it; nothing else is kept longer than the library says", async () => {
  const kept: [string, number | undefined][] = [];
  const rows: Partial<SignInRows> = {
    put: async (kind, _id, _value, about) => void kept.push([kind, about?.seconds]),
  };
  const adapter = createAdapter(rows as SignInRows, async () => undefined);
  await adapter("Client").upsert("one", {}, undefined as never);
  await adapter("Session").upsert("two", {}, 60);
  assert.deepEqual(kept, [
    ["Client", clientSeconds.registered],
    ["Session", 60],
  ]);
  assert.ok(clientSeconds.registered < clientSeconds.allowed);
});
