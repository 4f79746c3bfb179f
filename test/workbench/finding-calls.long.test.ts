import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { firstIdOf } from "../../src/lib/ids-and-time.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { callEntry } from "../contracts/records.ts";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type World } from "./browser.ts";

suite("finding calls in the browser", { skip: noBrowser }, () => {
  let world: World;
  let slowest = "";
  before(async () => {
    world = await openWorld({ echo: fixture("echo"), progress: fixture("progress") });
    const begin = await world.stopPlane();
    const store = await openSqliteStore(join(world.dataDirectory, "toolplane.db"));
    const noonYesterday = new Date().setHours(-12, 0, 0, 0);
    await store.append(
      Array.from({ length: 40 }, (_, index) => {
        const at = noonYesterday + index * 60_000;
        const isSlow = index % 8 === 0;
        const id = `${firstIdOf(at)}-past${index}`;
        if (index === 16) slowest = id;
        return callEntry(id, {
          at: new Date(at).toISOString(),
          tool: isSlow ? "crm.export_all" : "crm.find",
          server: "crm",
          durationMs: index === 16 ? 9_000 : isSlow ? 2_000 : 20,
        });
      }),
    );
    await store.close();
    await begin();
  });
  after(() => world[Symbol.asyncDispose]());

  const post = (tool: string, args: object) =>
    fetch(`${world.url}/tools/${tool}/call`, {
      method: "POST",
      body: JSON.stringify({ arguments: args }),
    });

  test("why yesterday was slow is seen with three choices", async () => {
    await post("echo.add", { a: 1, b: 2 });
    const { page, complaints } = await world.visit("/");
    await page.getByRole("link", { name: "Calls", exact: true }).first().click();
    await page.getByLabel("Time", { exact: true }).selectOption("yesterday");
    const standsOut = page.getByRole("region", { name: "What stands out" });
    await standsOut.getByText("40 calls").waitFor();
    await standsOut.getByRole("button", { name: "crm.export_all" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await standsOut.getByRole("link", { name: "crm.export_all" }).first().click();
    await page.waitForURL(`**/calls/${slowest}`);
    assert.deepEqual(complaints, []);
  });

  test("a bar of the overview leads to its calls, and bars that are dragged over to theirs", async () => {
    await post("echo.add", { a: 1, b: 2 });
    const { page } = await world.visit("/?range=week");
    const chart = page.getByRole("img", { name: /calls in the last week/ }).locator(".u-over");
    const { x, y, width, height } = (await chart.boundingBox()) ?? {
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    };
    await page.mouse.click(x + width - 3, y + height / 2);
    await page.getByRole("link", { name: "echo.add" }).first().waitFor();
    assert.match(page.url(), /since=.*until=/);
    await page.goBack();
    await chart.waitFor();
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 3, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page
      .getByRole("region", { name: "What stands out" })
      .getByText("crm.find")
      .first()
      .waitFor();
  });

  test("the filters and the export stand on one line where a screen is 1280 wide", async () => {
    const { page } = await world.visit("/calls", { viewport: { width: 1280, height: 800 } });
    const top = async (label: string) =>
      (await page.getByLabel(label, { exact: true }).boundingBox())?.y;
    await page.getByLabel("Caller", { exact: true }).waitFor();
    assert.equal(await top("Export these calls"), await top("Time"));
  });

  test("calls are found by a part of the tool's name, by server and by duration, and the address says so", async () => {
    const { page } = await world.visit("/calls");
    const rows = page.getByRole("table", { name: "Calls" }).getByRole("link", { name: /^crm\./ });
    await page.getByLabel("Duration").selectOption("1000");
    await page.getByLabel("Part of a tool's name").fill("EXPORT");
    await page.waitForURL(/match=EXPORT/);
    await rows.nth(4).waitFor();
    assert.equal(await rows.count(), 5);
    assert.match(page.url(), /minMs=/);
    await page.getByRole("button", { name: "Save this view" }).click();
    await page.getByLabel("Name of the view").fill("Slow exports");
    await page.keyboard.press("Enter");
    await page.goto(`${world.url}/workbench/calls`);
    await page.getByRole("link", { name: "Slow exports" }).click();
    await page.waitForURL(/match=EXPORT/);
    await page.getByLabel("Server").selectOption("echo");
    await page.getByText("No calls match").waitFor();
    await page.getByRole("button", { name: "Forget the view Slow exports" }).click();
    await page.getByRole("link", { name: "Slow exports" }).waitFor({ state: "detached" });
  });

  test("a call that runs stands first until it has ended", async () => {
    const { page } = await world.visit("/calls");
    const running = page.getByRole("region", { name: "Running now" });
    const leaving = new AbortController();
    const asked = fetch(`${world.url}/tools/progress.keep_alive/call`, {
      method: "POST",
      body: JSON.stringify({ arguments: { ms: 600_000 } }),
      signal: leaving.signal,
    });
    await running.getByText("progress.keep_alive").waitFor();
    leaving.abort();
    await assert.rejects(asked);
    await running.waitFor({ state: "detached" });
    await page.getByRole("link", { name: "progress.keep_alive" }).waitFor();
  });
});
