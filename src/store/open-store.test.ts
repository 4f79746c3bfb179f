import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { openStore } from "./open-store.ts";

test("a plane that keeps the old durability is opened with it, unless its configuration says otherwise", async () => {
  await using directory = await temporaryDirectory();
  const files = ["/home/ada/toolplane.json"];
  const place = { address: { kind: "sqlite" }, directory: directory.path, files } as const;
  const first = await openStore(place);
  assert.equal(first.durability, "power");
  await first.store.decideDefault({
    files,
    change: "durability",
    decision: "keep",
    decidedBy: "ada",
    decidedAt: new Date().toISOString(),
  });
  await first.store.close();

  const kept = await openStore(place);
  assert.equal(kept.durability, "process");
  await kept.store.close();
  const vaultKey = async () => undefined;
  const configured = await openStore({ ...place, settings: { durability: "strict", vaultKey } });
  assert.equal(configured.durability, "strict");
  await configured.store.close();
  const other = await openStore({ ...place, files: ["/home/ada/other.json"] });
  assert.equal(other.durability, "power");
  await other.store.close();
});
