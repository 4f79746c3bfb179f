import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type World } from "./browser.ts";

const secret = "hunter2-hunter2-hunter2";

suite("toolsets, personas, users and undo in the browser", { skip: noBrowser }, () => {
  let world: World;
  before(async () => {
    world = await openWorld(
      {
        echo: fixture("echo"),
        fault: fixture("fault"),
        spare: { ...fixture("state"), env: { API_TOKEN: secret }, autoConnect: false },
      },
      {
        toolsets: { sums: { providers: ["echo", "gone"], allow_tools: ["add", "fail"] } },
        personas: { Atlas: { flags: { beta: true } } },
        users: { "ann@example.org": { groups: ["ops"], persona: "Atlas" } },
      },
    );
    await fetch(`${world.url}/tools`);
  });
  after(() => world[Symbol.asyncDispose]());

  const inFile = (name: string) => readFileSync(world.config, "utf8").includes(`"${name}"`);

  test("a toolset shows its tools, their size and who is given it; it is added, removed, and comes back with Undo", async () => {
    const { page, complaints } = await world.visit("/toolsets");
    await page.getByRole("link", { name: "sums", exact: true }).click();
    await page.getByRole("link", { name: "echo.add" }).waitFor();
    await page.getByText("Not configured: gone.").waitFor();
    await page.getByText(/^\d+ tokens$/).waitFor();
    await page.getByText("ann@example.org").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByText("sums is removed.").waitFor();
    await page.getByText("No toolsets yet").waitFor();
    assert.ok(!inFile("sums"));
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "sums", exact: true }).waitFor();
    assert.ok(inFile("sums"));
    await page.getByRole("button", { name: "Add toolset" }).click();
    await page.getByLabel("Name").fill("all-of-echo");
    await page.getByRole("button", { name: "echo", exact: true }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "all-of-echo", level: 1 }).waitFor();
    await page.getByText("every tool of its servers").waitFor();
    assert.ok(inFile("all-of-echo"));
    assert.deepEqual(complaints, []);
  });

  test("a persona shows its users and flags, a user their groups", async () => {
    const { page, complaints } = await world.visit("/toolsets?view=personas");
    await page.getByRole("heading", { name: "Atlas" }).waitFor();
    await page.getByText("ann@example.org").waitFor();
    await page.goto(`${world.url}/workbench/users`);
    await page.getByRole("row").filter({ hasText: "ann@example.org" }).getByText("ops").waitFor();
    await page.getByRole("link", { name: "ann@example.org" }).click();
    await page.getByText("ann@example.org has no keys").waitFor();
    assert.deepEqual(complaints, []);
  });

  test("a removed server comes back with Undo, with the secrets that the page never saw", async () => {
    const { page, complaints } = await world.visit("/servers/spare");
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("spare is removed.").waitFor();
    assert.ok(!inFile("spare"));
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByRole("link", { name: "spare", exact: true }).waitFor();
    assert.ok(inFile("spare") && inFile(secret));
    assert.ok(!(await page.content()).includes(secret));
    assert.deepEqual(complaints, []);
  });

  test("a deleted dead letter comes back with Undo, alone and with others", async () => {
    for (let at = 0; at < 2; at += 1)
      await fetch(`${world.url}/tools/fault.drop_after_receipt/call`, {
        method: "POST",
        headers: world.proof,
        body: JSON.stringify({ arguments: { times: 1 } }),
      });
    const { page, complaints } = await world.visit("/dead-letters");
    const rows = page.getByRole("row").filter({ hasText: "fault.drop_after_receipt" });
    const shows = (count: number) =>
      page.waitForFunction((wanted) => {
        const { document } = globalThis as unknown as {
          document: { querySelectorAll(by: string): ArrayLike<unknown> };
        };
        return document.querySelectorAll("[role=row][aria-rowindex]").length === wanted;
      }, count);
    await shows(2);
    await rows.first().getByRole("button").click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("1 dead letter is removed.").waitFor();
    await shows(1);
    await page.getByRole("button", { name: "Undo" }).click();
    await shows(2);
    for (const box of await rows.getByRole("checkbox").all()) await box.check();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("2 dead letters are removed.").waitFor();
    await shows(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await shows(2);
    assert.deepEqual(complaints, []);
  });

  test("a text from right to left stands at the right in lists, forms and results, and nothing leaves the page", async () => {
    const hebrew = "קורא קובץ ומחזיר את תוכנו";
    await fetch(`${world.url}/tools/rtl`, {
      method: "PUT",
      headers: world.proof,
      body: JSON.stringify({
        description: hebrew,
        side_effects: "none",
        providers: [{ name: "mcp", config: { server: "echo", tool: "echo" } }],
      }),
    });
    const { page, complaints } = await world.visit("/tools/rtl", {
      viewport: { width: 390, height: 800 },
    });
    /** How far the first line ends from the right edge of its block, less than from the left. */
    const standsRight = () =>
      page
        .getByText(hebrew)
        .first()
        .evaluate((found) => {
          type Box = { left: number; right: number };
          type Line = { getClientRects(): ArrayLike<Box>; getBoundingClientRect(): Box };
          const { document } = globalThis as unknown as {
            document: { createRange(): Line & { selectNodeContents(node: unknown): void } };
          };
          const range = document.createRange();
          range.selectNodeContents(found);
          const line = range.getClientRects()[0];
          const block = (found as unknown as Line).getBoundingClientRect();
          return (
            line !== undefined &&
            Math.abs(block.right - line.right) <= Math.abs(line.left - block.left)
          );
        });
    for (const path of ["/tools/rtl", "/try?tool=rtl", "/tools?q=rtl"]) {
      await page.goto(`${world.url}/workbench${path}`);
      await page.getByText(hebrew).first().waitFor();
      assert.ok(await standsRight(), path);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      assert.ok(width <= 390, `${path}: ${width}`);
    }
    assert.deepEqual(complaints, []);
  });

  test("calls are grouped by conversation, stay open when a call is added, and are exported", async () => {
    const call = (args: object, more = {}) =>
      fetch(`${world.url}/tools/echo.add/call`, {
        method: "POST",
        headers: world.proof,
        body: JSON.stringify({ arguments: args, ...more }),
      });
    const within = { conversation: "release talk" };
    await call({ a: 5, b: 6 }, within);
    await call({ a: 1, b: 2 });
    await call({ a: 7, b: 8 }, within);
    await call({ a: "x" });
    const { page, complaints } = await world.visit("/calls?view=conversations");
    const named = page.locator("details").filter({ hasText: "release talk" });
    await named.locator("summary").click();
    await named.getByText("2 calls").waitFor();
    const group = page
      .locator("details")
      .filter({ hasText: "via HTTP", hasNotText: "release talk" });
    await group.locator("summary").click();
    await group.getByRole("link", { name: "echo.add" }).first().waitFor();
    await group.getByText(/\d failed/).waitFor();
    const before = await group.getByRole("link", { name: "echo.add" }).count();
    await call({ a: 3, b: 4 });
    await group.getByRole("link", { name: "echo.add" }).nth(before).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await named.getByRole("link", { name: "release talk" }).click();
    await page.getByRole("button", { name: "One conversation" }).waitFor();
    const saving = page.waitForEvent("download");
    await page.getByLabel("Export these calls").selectOption("har");
    const download = await saving;
    assert.match(download.suggestedFilename(), /\.har$/);
    const har = JSON.parse(await text(await download.createReadStream())) as {
      log: { entries: object[] };
    };
    assert.equal(har.log.entries.length, 2);
    assert.deepEqual(complaints, []);
  });
});
