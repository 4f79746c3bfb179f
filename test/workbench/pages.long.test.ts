import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { until } from "../fixtures/until.ts";
import { accessibilityProblems, noBrowser, type OpenPage } from "./browser.ts";
import { openShowcase, type Showcase, showcasePages, shown } from "./showcase.ts";

/** Adds up in a page how far what it shows was shifted. */
const countShifts = `globalThis.shifted = 0; new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shifted += value;
}).observe({ type: "layout-shift", buffered: true })`;
const none = { call: "", run: "", plan: "" };
/** As gzip makes it; browsers get Brotli, which is smaller. */
type Scroller = { scrollHeight: number; clientHeight: number };

const javaScriptLimit = 160_000;
/** The sum of layout shifts that a person does not notice. */
const shiftLimit = 0.05;

suite("the pages of the workbench in every theme", { skip: noBrowser }, () => {
  let showcase: Showcase;
  let tab: OpenPage;
  before(async () => {
    showcase = await openShowcase();
    tab = await showcase.world.visit("/");
    await tab.page.addInitScript(countShifts);
  });
  after(() => showcase[Symbol.asyncDispose]());

  for (const [at, [name, , heading]] of showcasePages(none).entries())
    test(`${name}: opens at its address, does not jump, can be used by all people in both themes and breaks no rule of its policy`, async () => {
      const path = showcasePages(showcase)[at]?.[1] ?? "";
      const { page, complaints } = tab;
      await page.emulateMedia({ colorScheme: "light" });
      await page.goto(`${showcase.world.url}/workbench${path}`);
      await shown(page, heading);
      assert.deepEqual(await accessibilityProblems(page), []);
      // Nothing but colours is different.
      await page.emulateMedia({ colorScheme: "dark" });
      assert.deepEqual(await accessibilityProblems(page, "color-contrast"), []);
      const shifted = await page.evaluate<number>("shifted");
      // The overview has a test of its own: it waits for what needs attention only so long.
      if (name !== "overview") assert.ok(shifted <= shiftLimit, `${shifted}`);
      assert.deepEqual(complaints, []);
    });

  test("a card says its risk once, and offers more of a description only where there is more", async () => {
    const { page } = await showcase.world.visit("/approvals");
    const card = page.getByRole("article", { name: /^files\.write_file/ });
    await card.getByText("destroys", { exact: true }).waitFor();
    await card.getByText("idempotent (declared)").waitFor();
    assert.equal(await card.getByText("destructive (declared)").count(), 0);
    assert.equal(await card.getByText("Show the whole description").count(), 0);
    await page.setViewportSize({ width: 390, height: 800 });
    await card.getByRole("button", { name: "Show the whole description" }).click();
    await card.getByRole("button", { name: "Show less" }).waitFor();
  });

  test("a first visit loads little, and nothing from elsewhere", async () => {
    const context = await showcase.world.browser.newContext();
    const page = await context.newPage();
    // In the page itself: what comes behind its title may be there before the title is seen from outside.
    await page.addInitScript(`globalThis.firstScripts = new Promise((resolve) => new MutationObserver((_, observer) => {
      if (document.querySelector("main h1") === null) return;
      observer.disconnect();
      resolve(performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.endsWith(".js")));
    }).observe(document, { subtree: true, childList: true }))`);
    const strangers: string[] = [];
    page.on("response", async (response) => {
      if (!response.url().startsWith(showcase.world.url)) strangers.push(response.url());
      if (!response.url().endsWith(".js")) return;
      assert.match(response.headers()["content-encoding"] ?? "br", /br|gzip/);
    });
    await page.goto(`${showcase.world.url}/`);
    const scripts = await page.evaluate<string[]>("firstScripts");
    assert.deepEqual(strangers, []);
    assert.ok(scripts.length > 1);
    const headers = { "accept-encoding": "gzip" };
    const answers = await Promise.all(
      scripts.map((script) => fetch(script, { headers, method: "HEAD" })),
    );
    const total = answers.reduce(
      (sum, { headers: said }) => sum + Number(said.get("content-length")),
      0,
    );
    assert.ok(total < javaScriptLimit, `${total} bytes`);
    await context.close();
  });

  test("the first page does not jump while it loads", async () => {
    const context = await showcase.world.browser.newContext();
    const page = await context.newPage();
    await page.addInitScript(countShifts);
    await page.goto(`${showcase.world.url}/workbench/`);
    await page.getByRole("img", { name: /^Latency in the/ }).waitFor();
    await shown(page, "Overview");
    const total = await page.evaluate<number>("shifted");
    assert.ok(total <= shiftLimit, `${total}`);
    await context.close();
  });

  test("on a low screen every page is in the menu's sight, and on a very low one the page that is open", async () => {
    const { page } = await showcase.world.visit("/settings", {
      viewport: { width: 1280, height: 800 },
    });
    const menu = page.getByRole("navigation", { name: "Pages" });
    const hidden = () =>
      menu.evaluate(
        (nav) =>
          (nav as unknown as Scroller).scrollHeight - (nav as unknown as Scroller).clientHeight,
      );
    await menu.getByRole("link", { name: "Settings" }).waitFor();
    for (const height of [800, 768, 720]) {
      await page.setViewportSize({ width: 1280, height });
      assert.equal(await hidden(), 0, `${height}`);
    }
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.reload();
    await menu.getByRole("link", { name: "Settings" }).waitFor();
    assert.ok((await hidden()) > 0);
    const isInSight = `(() => {
      const nav = document.querySelector("aside nav").getBoundingClientRect();
      return nav.bottom >= document.querySelector("aside nav [aria-current]").getBoundingClientRect().bottom;
    })()`;
    await until("the page that is open to be in sight", () => page.evaluate<boolean>(isInSight));
  });

  test("the whole of it can be walked through with the keyboard", async () => {
    const { page } = await showcase.world.visit("/");
    await page.waitForSelector("main h1");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Skip to the content");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find" }).fill("polic");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Policy", level: 1 }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find" }).fill("read a text file");
    await page.getByRole("option", { name: /files\.read_text_file/ }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Find" }).waitFor({ state: "detached" });
  });

  test("the theme is the system's until a person chooses, and the choice stays", async () => {
    const { page, context } = await showcase.world.open("/", { colorScheme: "dark" });
    const background = () =>
      page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
    await page.waitForSelector("main h1");
    const dark = await background();
    await page.getByRole("button", { name: /Theme: system/ }).click();
    const light = await background();
    assert.notEqual(light, dark);
    await page.reload();
    await page.waitForSelector("main h1");
    assert.equal(await background(), light);
    await context.close();
  });
});
