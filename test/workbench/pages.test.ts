import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { noBrowser, type OpenPage } from "./browser.ts";
import { openShowcase, type Showcase, showcasePages, shown } from "./showcase.ts";

const none = { call: "", run: "", plan: "" };
const router = new URL("../../workbench/src/app/router.tsx", import.meta.url);

test("each route of the workbench is among the pages that are tested", () => {
  const routes = [...readFileSync(router, "utf8").matchAll(/^ {4}path: "([^"]+)"/gm)].map(
    ([, path = ""]) => path,
  );
  const paths = showcasePages({ call: "1", run: "1", plan: "1" }).map(([, path]) =>
    path.replace(/\?.*/, ""),
  );
  const untested = routes.filter((route) => {
    const pattern = new RegExp(`^${route.replaceAll(/\$\w+/g, "[^/]+")}$`);
    return !paths.some((path) => pattern.test(path));
  });
  assert.ok(routes.length > 20, `only ${routes.length} routes are found`);
  assert.deepEqual(untested, []);
});

suite("the pages of the workbench", { skip: noBrowser }, () => {
  let showcase: Showcase;
  let tab: OpenPage;
  before(async () => {
    showcase = await openShowcase();
    tab = await showcase.world.visit("/");
  });
  after(() => showcase[Symbol.asyncDispose]());

  for (const [at, [name, , heading, shows]] of showcasePages(none).entries())
    test(`${name} is shown, and nothing fails`, async () => {
      const { page, complaints } = tab;
      const path = showcasePages(showcase)[at]?.[1] ?? "";
      // As a link does, so that the app stays. The long tests load each page at its address.
      await page.evaluate(`history.pushState({}, "", "/workbench${path}")`);
      if (shows !== undefined)
        await page.locator("main, [role=dialog]").getByText(shows).first().waitFor();
      await shown(page, heading);
      assert.deepEqual(await page.locator("main [role=alert]").allTextContents(), []);
      assert.deepEqual(complaints, []);
    });
});
