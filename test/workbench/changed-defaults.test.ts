import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { makeOlder } from "../fixtures/older-store.ts";
import { fixture } from "../scenarios/support.ts";
import { noBrowser, openWorld, type World } from "./browser.ts";

suite("defaults that changed since the version that made the store", { skip: noBrowser }, () => {
  let world: World;
  before(async () => {
    world = await openWorld({ echo: fixture("echo") });
    makeOlder(world.dataDirectory);
  });
  after(() => world[Symbol.asyncDispose]());

  test("the overview leads to them, and an admin decides there", async () => {
    const { page, complaints } = await world.visit("/");
    const need = page.getByText("changed since version 0.3.0");
    await need.waitFor();
    await page.getByRole("link", { name: "Decide" }).click();
    await page.getByRole("heading", { name: "Defaults that changed" }).waitFor();
    const row = page.getByRole("listitem").filter({ hasText: "writes-are-sent-once" });
    await row.getByText("not decided").waitFor();
    await row.getByRole("button", { name: "Accept" }).click();
    await row.getByText("accepted").waitFor();
    assert.equal(await row.getByRole("button", { name: "Accept" }).count(), 0);
    assert.deepEqual(complaints, []);
  });
});
