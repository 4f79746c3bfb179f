import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { heldCall } from "../contracts/records.ts";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type Page, type World } from "./browser.ts";

const held = 1_205;

/** Types a letter, and waits until what is shown belongs to it. */
async function type(page: Page, letter: string): Promise<void> {
  await page.keyboard.press(letter === " " ? "Space" : letter);
  await page.locator("[role=table][aria-busy=false]").waitFor();
}

suite("much of everything in the browser", { skip: noBrowser }, () => {
  let world: World;
  before(async () => {
    world = await openWorld({ echo: fixture("echo"), image: fixture("image") });
    const start = await world.stopPlane();
    const store = await openSqliteStore(join(world.dataDirectory, "toolplane.db"));
    for (let at = 0; at < held; at += 1) await store.addHeldCall(heldCall(`held-${at}`));
    await store.close();
    await start();
  });
  after(() => world[Symbol.asyncDispose]());

  test("each letter asks once, shows what fits best first, and one that is taken back asks nothing", async () => {
    const { page, complaints } = await world.visit("/tools");
    const search = page.getByRole("searchbox", { name: "Search tools" });
    await page.getByRole("link", { name: "echo.add" }).waitFor();
    // Each once: rows whose tokens are not counted yet are asked for again after a while.
    const asked = new Set<string>();
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      const isReady = searchParams.get("limit") === "1";
      if (["/search", "/tools"].includes(pathname) && !isReady)
        asked.add(`${pathname} ${searchParams.get("q")}`);
    });
    await search.focus();
    for (const letter of "add two") await type(page, letter);
    const prefixes = ["a", "ad", "add", "add t", "add tw", "add two"].map(
      (prefix) => `/tools ${prefix}`,
    );
    assert.deepEqual(
      [...asked].filter((one) => one !== "/tools null"),
      prefixes,
    );
    assert.match((await page.getByRole("row").nth(1).textContent()) ?? "", /^echo\.add/);
    const before = asked.size;
    await type(page, "Backspace");
    await type(page, "Backspace");
    assert.equal(asked.size, before, [...asked].join(", "));
    await search.fill("unicorn");
    await page.getByText("No tools match").waitFor();
    assert.deepEqual(complaints, []);
  });

  test("keys go through what was found, and Enter opens it; a note stands beside the count", async () => {
    const { page, complaints } = await world.visit("/tools");
    const search = page.getByRole("searchbox", { name: "Search tools" });
    await page.getByRole("link", { name: "echo.add" }).waitFor();
    await search.focus();
    const active = page.locator("#active-row");
    for (const name of ["echo.add", "echo.cwd"]) {
      await page.keyboard.press("ArrowDown");
      await active.getByRole("link", { name, exact: true }).waitFor();
      assert.equal(await search.getAttribute("aria-activedescendant"), "active-row");
    }
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press("PageDown");
    for (let more = 0; more < 12; more += 1) await page.keyboard.press("ArrowDown");
    const [row, table] = await Promise.all([
      active.boundingBox(),
      page.getByRole("table").boundingBox(),
    ]);
    assert.ok(
      row && table && row.y + row.height <= table.y + table.height + 1,
      "the last row is in sight",
    );
    for (let more = 0; more < 40; more += 1) await page.keyboard.press("ArrowUp");
    await active.waitFor({ state: "detached" });
    // An Enter before the answer is there is not lost.
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/q=add\+two/, async (route) => {
      await held;
      await route.continue();
    });
    await search.fill("add two");
    // Rows of an earlier question are not called matches.
    await page.getByText("Searching …", { exact: true }).waitFor();
    await page.keyboard.press("Enter");
    answer();
    await page.getByRole("heading", { level: 1, name: "echo.add" }).waitFor();
    await page.goBack();
    await search.fill("unicorn numbers");
    await page.getByText("5 match · None of these mentions 'unicorn'.").waitFor();
    assert.deepEqual(complaints, []);
  });

  for (const [path, list] of [
    ["/tools/nope", "tools"],
    ["/servers/nope", "servers"],
    ["/calls/nope", "calls"],
    ["/runs/nope", "runs"],
    ["/plans/nope", "plans"],
    ["/toolsets/nope", "toolsets"],
  ])
    test(`what is not there leads back to its list, without advice for a terminal: ${path}`, async () => {
      const { page } = await world.visit(path);
      await page.getByText("It is not here").waitFor();
      const main = page.getByRole("main");
      assert.doesNotMatch(await main.innerText(), /toolplane [a-z]|' lists |Try again/);
      assert.deepEqual(await accessibilityProblems(page), []);
      await main.getByRole("link", { name: `All ${list}` }).click();
      await page.getByText("It is not here").waitFor({ state: "detached" });
    });

  test("all that waits is counted and listed, and all means all", async () => {
    const { page } = await world.visit("/approvals");
    await page.getByRole("link", { name: `Approvals ${held} waiting` }).waitFor();
    await page.getByRole("tab", { name: "Waiting (1,205)" }).waitFor();
    await page
      .locator("[data-held]")
      .nth(held - 1)
      .waitFor({ state: "attached" });
    assert.equal(await page.locator("[data-held]").count(), held);
    await page.getByRole("button", { name: "Select all" }).click();
    await page.getByRole("status").getByText("1205 selected").waitFor();
  });
});
