import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { accessibilityProblems, noBrowser, type OpenPage } from "./browser.ts";
import { openShowcase, type Showcase, showcasePages, shown } from "./showcase.ts";

const none = { call: "", run: "", plan: "" };
/** As gzip makes it; browsers get Brotli, which is smaller. */
const javaScriptLimit = 180_000;

suite("the pages of the workbench in every theme", { skip: noBrowser }, () => {
  let showcase: Showcase;
  let tab: OpenPage;
  before(async () => {
    showcase = await openShowcase();
    tab = await showcase.world.visit("/");
  });
  after(() => showcase[Symbol.asyncDispose]());

  for (const [at, [name, , heading]] of showcasePages(none).entries())
    test(`${name}: opens at its address, can be used by all people in both themes and breaks no rule of its policy`, async () => {
      const path = showcasePages(showcase)[at]?.[1] ?? "";
      const { page, complaints } = tab;
      await page.emulateMedia({ colorScheme: "light" });
      await page.goto(`${showcase.world.url}/workbench${path}`);
      await shown(page, heading);
      assert.deepEqual(await accessibilityProblems(page), []);
      // Nothing but colours is different.
      await page.emulateMedia({ colorScheme: "dark" });
      assert.deepEqual(await accessibilityProblems(page, "color-contrast"), []);
      assert.deepEqual(complaints, []);
    });

  test("a first visit loads little, and nothing from elsewhere", async () => {
    const context = await showcase.world.browser.newContext();
    const page = await context.newPage();
    const scripts: string[] = [];
    const strangers: string[] = [];
    page.on("response", async (response) => {
      if (!response.url().startsWith(showcase.world.url)) strangers.push(response.url());
      if (!response.url().endsWith(".js")) return;
      assert.match(response.headers()["content-encoding"] ?? "br", /br|gzip/);
      scripts.push(response.url());
    });
    await page.goto(`${showcase.world.url}/`);
    await page.waitForSelector("main h1");
    assert.deepEqual(strangers, []);
    assert.ok(scripts.length > 1);
    const headers = { "accept-encoding": "gzip" };
    const answers = await Promise.all(scripts.map((script) => fetch(script, { headers, method: "HEAD" })));
    const total = answers.reduce((sum, { headers: said }) => sum + Number(said.get("content-length")), 0);
    assert.ok(total < javaScriptLimit, `${total} bytes`);
    await context.close();
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
    const background = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
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
