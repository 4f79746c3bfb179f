import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { fixture } from "../scenarios/support.ts";
import { noBrowser, openWorld, type World } from "./browser.ts";

const isPart = (url: string) => /\/assets\/.*-page-.*\.js$/.test(url);

suite("a plane that goes away", { skip: noBrowser }, () => {
  let world: World;
  before(async () => {
    world = await openWorld({ echo: fixture("echo") });
  });
  after(() => world[Symbol.asyncDispose]());

  test("every page can still be gone to, and what is half written is there when the plane is back", async () => {
    const { page } = await world.visit("/try?tool=echo.echo");
    await page.getByLabel("message * string").fill("half a sentence");
    // The last of the pages is loaded when there is nothing else to do.
    await page.waitForResponse((response) => response.url().includes("settings-page"));
    const startAgain = await world.stopPlane();
    await page.getByText("The plane does not answer; what you see may be old.").waitFor();
    assert.equal(await page.getByLabel("message * string").inputValue(), "half a sentence");
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.getByRole("heading", { name: "Jobs", level: 1 }).waitFor();
    await startAgain();
    await page.getByText("No jobs", { exact: true }).waitFor();
  });

  test("without a network a banner says so, and it goes when the network is back", async () => {
    const { page, context } = await world.open("/tools");
    await page.getByRole("link", { name: "echo.echo", exact: true }).waitFor();
    const banner = page.getByText("The plane does not answer; what you see may be old.");
    assert.equal(await banner.count(), 0);
    await context.setOffline(true);
    await banner.waitFor();
    await context.setOffline(false);
    await banner.waitFor({ state: "detached" });
    await context.close();
  });

  test("on a phone the overview is in reach, boxes are large enough, and no keyboard covers the list", async () => {
    const phone = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };
    const { page, context } = await world.open("/tools", phone);
    const box = page.getByRole("checkbox", { name: "Select echo.echo", exact: true });
    await box.waitFor();
    const { width = 0, height = 0 } = (await box.boundingBox()) ?? {};
    assert.ok(width >= 24 && height >= 24, `${width} by ${height}`);
    assert.notEqual(await page.evaluate("document.activeElement.type"), "search");
    assert.ok(
      await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
      "nothing scrolls sideways",
    );
    await page.getByRole("link", { name: "Overview", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await context.close();
  });

  test("a page that was not loaded in time says so and leaves the rest alone", async () => {
    const context = await world.browser.newContext();
    const page = await context.newPage();
    await page.route(
      (url) => isPart(url.pathname) && url.pathname.includes("jobs-page"),
      (route) => route.abort(),
    );
    await page.goto(`${world.url}/workbench/servers`);
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.getByRole("heading", { name: "This page cannot be shown" }).waitFor();
    await page.getByText("The plane was restarted or updated while this page was open.").waitFor();
    await page.getByRole("link", { name: "Servers", exact: true }).click();
    await page.getByRole("link", { name: "echo", exact: true }).waitFor();
    assert.equal(await page.title(), "Servers · Toolplane");
    await context.close();
  });
});
