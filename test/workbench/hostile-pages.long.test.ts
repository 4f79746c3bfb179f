import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { StagedPage } from "../fixtures/servers/staged-pages.ts";
import { until } from "../fixtures/until.ts";
import { type AppWorld, openAppWorld, type Stranger, startStranger } from "./app-pages.ts";
import { noBrowser, type Page } from "./browser.ts";
import { type HostilePage, hostilePages } from "./hostile-pages.ts";

/** What a page must never have got hold of. */
const secrets =
  /toolplane\.session|"?page"?:\s*"[\w-]{20,}|<div id="root"|The board of other|other data/;

/** Attempts that are harmless where they succeed. */
const harmless = [
  /^\w+: (?:null|undefined)$/,
  /^beacon: (?:true|false)$/,
  /^worker: no$/,
  /^open: null$/,
];

suite("hostile pages in the workbench", { skip: noBrowser }, () => {
  let stranger: Stranger;
  let apps: AppWorld;
  let pages: Record<string, HostilePage>;
  /** All that would be outside of a page's frame. */
  const outside: string[] = [];
  before(async () => {
    stranger = await startStranger();
    const made = (plane: string) => hostilePages(stranger.url, stranger.stunPort, plane);
    apps = await openAppWorld((plane) => {
      pages = made(plane);
      return pages as Record<string, StagedPage>;
    });
    const { page, context } = await apps.world.visit("/try");
    context.on("page", (opened) => outside.push(`a window ${opened.url()}`));
    page.on("download", (file) => outside.push(`a file ${file.suggestedFilename()}`));
    page.on("dialog", (box) => {
      outside.push(`a box ${box.message()}`);
      void box.dismiss();
    });
    page.on("response", (response) => {
      const { pathname, protocol } = new URL(response.url());
      if (protocol !== "http:") return;
      const isFrame = response.request().frame() !== page.mainFrame();
      const { cookie, "x-toolplane-session": session } = response.request().headers();
      if (isFrame && (cookie !== undefined || session !== undefined))
        outside.push(`a credential for ${pathname}`);
      if (isFrame && pathname !== "/workbench/app-frame" && response.ok())
        outside.push(`an answer of ${pathname}`);
    });
  });
  after(async () => {
    await apps[Symbol.asyncDispose]();
    await stranger[Symbol.asyncDispose]();
  });

  /** What a person sees and has, apart from the page. */
  const stateOf = (page: Page) =>
    page.evaluate(`({
      storage: JSON.stringify(Object.entries(localStorage).sort()),
      session: JSON.stringify(Object.entries(sessionStorage).filter(([key]) => !key.startsWith("tsr-"))),
      cookies: document.cookie,
      // Without the number of calls that wait for approval.
      title: document.title.replace(/^\\(\\d+\\) /, ""),
      name: window.name,
      hash: location.hash,
      path: location.pathname,
    })`);

  const names = Object.keys(hostilePages("", 0, ""));
  test("there are enough of them", () => assert.ok(names.length >= 40, `${names.length}`));

  for (const name of names)
    test(`the page '${name}' reaches nothing`, async () => {
      const { ends, asks } = pages[name] as HostilePage;
      outside.length = 0;
      stranger.arrived.length = 0;
      const { page } = await apps.world.visit("/try");
      await page.getByRole("heading", { name: "Try" }).waitFor();
      const id = await apps.run(page, name);
      const before = await stateOf(page);
      for (let asked = 1; asks && asked <= (name === "asks_again_and_again" ? 2 : 1); asked++) {
        await until("the question is on record", async () => {
          const did = await apps.didOf(id);
          return (
            did.filter(({ tool }) => /ui\/(?:open-link|download-file)$/.test(tool)).length === asked
          );
        });
        await page.getByRole("dialog").getByText(asks).waitFor();
        await page.getByRole("dialog").getByRole("button", { name: "No", exact: true }).click();
      }
      if (ends === "closed") await page.getByText(/was closed\.$/).waitFor();
      else {
        const said = await apps.reportOf(id);
        assert.doesNotMatch(said.join("\n"), secrets);
        await checkReport(name, said, page);
      }
      assert.deepEqual(stranger.arrived, []);
      assert.deepEqual(outside, []);
      assert.deepEqual(await stateOf(page), before);
      assert.equal(await page.getByRole("button", { name: "Run", exact: true }).isVisible(), true);
      const isOpen = (await page.locator("iframe").count()) > 0;
      const frame = isOpen ? await page.locator("iframe").boundingBox() : null;
      if (frame) assert.ok(frame.height <= 722 && frame.width <= 1_300, JSON.stringify(frame));
      // Nothing ran but what was asked for, and nothing of another server.
      const calls = await apps.didOf(id);
      assert.deepEqual(
        calls.filter(({ tool, status }) => tool === "staged.change" && status === "succeeded"),
        [],
      );
      assert.deepEqual(
        calls.filter(({ server, status }) => server === "other" && status === "succeeded"),
        [],
      );
      assert.ok(calls.length < 60, `${calls.length} records`);
    });

  /** What single pages say of what became of their attempts. */
  async function checkReport(name: string, said: readonly string[], page: Page): Promise<void> {
    const all = said.join("\n");
    const isRefused = (line: string) =>
      / threw |true$|error$/.test(line) || harmless.some((one) => one.test(line));
    if (name === "call_without_a_yes" || name === "floods_calls") {
      await page
        .getByRole("article", { name: "staged.change waits for approval" })
        .first()
        .waitFor();
      return;
    }
    if (name === "methods_of_others" || name === "links_of_other_kinds")
      return assert.deepEqual(
        said.filter((line) => !/error$|"isError":true/.test(line)),
        [],
      );
    if (name === "asks_again_and_again") return assert.equal(all, "true,true,true,true,true,true");
    if (name === "full_screen") return assert.equal(all, '{"mode":"inline"}');
    if (name === "reads_of_others") {
      assert.deepEqual(
        said.slice(0, -1).filter((line) => line !== "error"),
        [],
      );
      return assert.doesNotMatch(all, /board/);
    }
    if (
      [
        "storage",
        "other_documents",
        "calls_the_plane",
        "fetches",
        "device",
        "service_worker",
        "calls_of_others",
        "claims_another_page",
      ].includes(name)
    )
      assert.deepEqual(
        said.filter((line) => !isRefused(line)),
        [],
      );
    if (name.endsWith("_without_a_yes")) assert.match(all, /"isError":true/);
  }
});
