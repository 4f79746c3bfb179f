import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { heldCall } from "../contracts/records.ts";
import { fixture } from "../scenarios/support.ts";
import { noBrowser, openWorld, type Page, type World } from "./browser.ts";

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
      if (["/search", "/tools"].includes(pathname) && !isReady) asked.add(`${pathname} ${searchParams.get("q")}`);
    });
    await search.focus();
    for (const letter of "add two") await type(page, letter);
    const prefixes = ["a", "ad", "add", "add t", "add tw", "add two"].map((prefix) => `/tools ${prefix}`);
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

  test("all that waits is counted, and more than the first hundred can be reached", async () => {
    const { page } = await world.visit("/approvals");
    await page.getByRole("link", { name: `Approvals ${held} waiting` }).waitFor();
    await page.getByRole("tab", { name: "Waiting (1,205)" }).waitFor();
    const cards = page.getByRole("article");
    // A hundred are asked for at first.
    // The list grows when its end comes into sight.
    while ((await cards.count()) <= 100) await page.getByRole("button", { name: /more$/ }).scrollIntoViewIfNeeded();
  });
});
