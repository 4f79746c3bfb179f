import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { firstIdOf } from "../../src/lib/ids-and-time.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { callEntry } from "../contracts/records.ts";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type World } from "./browser.ts";

suite("the context in the browser", { skip: noBrowser }, () => {
  let world: World;
  before(async () => {
    world = await openWorld({ echo: fixture("echo") });
    const begin = await world.stopPlane();
    const store = await openSqliteStore(join(world.dataDirectory, "toolplane.db"));
    const longAgo = Date.now() - 40 * 24 * 3_600_000;
    const at = new Date(longAgo).toISOString();
    await store.append([
      callEntry(`${firstIdOf(longAgo)}-old`, { at, tool: "echo.env", server: "echo" }),
    ]);
    await store.close();
    await begin();
    const body = JSON.stringify({ arguments: { a: 1, b: 2 }, conversation: "chat" });
    await fetch(`${world.url}/tools/echo.add/call`, { method: "POST", body });
  });
  after(() => world[Symbol.asyncDispose]());

  test("what nobody calls is disabled with one button, and comes back with another", async () => {
    const { page, complaints } = await world.visit("/context");
    await page.getByText(/On average over 1 conversation/).waitFor();
    const unused = page.getByRole("region", { name: "What nobody calls" });
    await unused.getByText(/\d+ tools not called in this time: [\d,]+ tokens/).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    const table = page.getByRole("table", { name: "Tools by cost" });
    const old = table.getByRole("link", { name: "echo.env", exact: true });
    await old.waitFor();
    await unused.getByRole("button", { name: "Disable what nobody calls" }).click();
    await old.waitFor({ state: "detached" });
    await table.getByRole("link", { name: "echo.add", exact: true }).waitFor();
    await unused.getByText("Every tool was called in this time.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await old.waitFor();
    assert.deepEqual(complaints, []);
  });

  test("a plane that is younger than 30 days begins with all that it knows", async () => {
    await using young = await openWorld({ echo: fixture("echo") });
    const body = JSON.stringify({ arguments: { a: 1, b: 2 } });
    await fetch(`${young.url}/tools/echo.add/call`, { method: "POST", body });
    const { page } = await young.visit("/context");
    const unused = page.getByRole("region", { name: "What nobody calls" });
    await unused.getByText(/^\d+ tools not called since /).waitFor();
    assert.equal(
      await unused.getByRole("button", { name: "Disable what nobody calls" }).isEnabled(),
      true,
    );
  });

  test("the last 90 days are not known yet, and the button says so", async () => {
    const { page } = await world.visit("/context");
    const unused = page.getByRole("region", { name: "What nobody calls" });
    await unused.getByLabel("Not called in").selectOption("90");
    await unused.getByText(/Calls are recorded since .* in 90 days is known later/).waitFor();
    assert.equal(await unused.getByRole("button").isDisabled(), true);
    await unused.getByLabel("Not called in").selectOption({ label: "All that is recorded" });
    await unused.getByText(/\d+ tools not called since /).waitFor();
    assert.equal(await unused.getByRole("button").isEnabled(), true);
  });

  test("the list of tools scrolls in a place of its own, where only the rows in sight are made", async () => {
    const { page } = await world.visit("/context");
    const table = page.getByRole("table", { name: "Tools by cost" });
    await table.getByRole("link").first().waitFor();
    const [seen, whole] = await table.evaluate(({ clientHeight, scrollHeight }) => [
      clientHeight,
      scrollHeight,
    ]);
    assert.ok(Number(seen) < Number(whole), `${seen} of ${whole} pixels`);
  });

  test("the arrow and the announced order say which end comes first", async () => {
    const { page } = await world.visit("/context");
    const table = page.getByRole("table", { name: "Tools by cost" });
    const tokens = table.getByRole("columnheader", { name: "Tokens ↓" });
    await tokens.waitFor();
    assert.equal(await tokens.getAttribute("aria-sort"), "descending");
    const costs = await table
      .getByRole("row")
      .evaluateAll((rows) =>
        rows
          .slice(1)
          .map((row) =>
            Number(row.querySelectorAll("[role=cell]")[2]?.textContent?.replaceAll(",", "")),
          ),
      );
    assert.deepEqual(
      costs,
      costs.toSorted((one, other) => other - one),
    );
    await tokens.getByRole("button").click();
    await table.locator("[aria-sort=ascending]", { hasText: "Tokens ↑" }).waitFor();
    const used = table.getByRole("columnheader", { name: "Last called" });
    await used.getByRole("button").click();
    await table.locator("[aria-sort=descending]", { hasText: "Last called ↓" }).waitFor();
    assert.match((await table.getByRole("row").nth(1).textContent()) ?? "", /^echo\.add/);
  });
});
