import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type Page, type World } from "./browser.ts";

suite("reading results in the browser", { skip: noBrowser }, () => {
  let world: World;
  before(async () => {
    world = await openWorld({ results: fixture("results") }, { results: { maxInlineBytes: 0 } });
  });
  after(() => world[Symbol.asyncDispose]());

  const run = async (tool: string): Promise<{ page: Page; complaints: string[] }> => {
    const opened = await world.visit(`/try?tool=results.${tool}`);
    await opened.page.getByRole("button", { name: "Run", exact: true }).click();
    await opened.page.getByRole("button", { name: "Raw" }).waitFor();
    return opened;
  };
  const copied = async (page: Page, button: string) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: button }).click();
    return page.evaluate<string>("navigator.clipboard.readText()");
  };

  test("rows are a table, once: sorted, filtered, copied, opened; V shows them as they came", async () => {
    const { page, complaints } = await run("rows");
    const table = page.getByRole("table", { name: "Rows" });
    await table.getByText("customer 1", { exact: true }).waitFor();
    assert.equal(
      await page.getByText('"customer 1"').count(),
      0,
      "the text says the same and is not shown again",
    );
    await table.getByRole("button", { name: "spent" }).click();
    const first = table.getByRole("row").nth(1);
    await first.getByText("975").waitFor();
    await page.getByRole("searchbox", { name: "Filter the rows" }).fill("lisbon");
    await page.getByText("13 of 40").waitFor();
    assert.match(
      await copied(page, "Copy as CSV"),
      /^id,name,city,spent\r\n\d+,customer \d+,Lisbon,\d+/,
    );
    assert.match(
      await copied(page, "Copy as Markdown"),
      /^\| id \| name \| city \| spent \|\n\| --- /,
    );
    assert.deepEqual(await accessibilityProblems(page), []);
    await first.click();
    await page.getByRole("dialog", { name: "Row" }).getByText('"Lisbon"').waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("v");
    await page
      .getByLabel("the result as it came", { exact: true })
      .getByText("structuredContent")
      .waitFor();
    await page.keyboard.press("v");
    await table.waitFor();
    assert.deepEqual(complaints, []);
  });

  test("a large tree is opened where a name or a value is found", async () => {
    const { page, complaints } = await run("large_tree");
    await page.getByRole("searchbox", { name: "Find in text" }).fill("value 119999");
    await page.getByText("1 of 1").waitFor();
    await page.getByText('"value 119999 of the tree"').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });

  test("many rows are there to the last", async () => {
    const { page, complaints } = await run("many_rows");
    await page.getByText("60,000 rows").waitFor();
    await page.getByRole("searchbox", { name: "Filter the rows" }).fill("customer 59999");
    await page.getByRole("table", { name: "Rows" }).getByText("customer 59999").waitFor();
    assert.deepEqual(complaints, []);
  });

  test("Markdown is formatted and stays text where it is none: no script, no trap", async () => {
    const { page, complaints } = await run("markdown");
    await page.getByRole("heading", { name: "Release 2.4" }).waitFor();
    await page.getByText("<script>alert(1)</script>").waitFor();
    assert.equal(await page.getByRole("link", { name: "a trap" }).count(), 0);
    assert.equal(
      await page.getByRole("link", { name: "the plan" }).getAttribute("href"),
      "https://example.org/plan",
    );
    await page.getByRole("button", { name: "Text", exact: true }).click();
    await page.getByText("# Release 2.4").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });

  test("a difference has its colours, and a link to a resource opens it", async () => {
    const { page } = await run("difference");
    await page.getByRole("group", { name: "Difference" }).getByText("+new line").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    const opened = await run("links");
    await opened.page.getByRole("button", { name: "Read it" }).click();
    await opened.page.getByRole("listitem").getByText("water the plants").waitFor();
    await opened.page.getByRole("img", { name: "Tool result" }).waitFor();
    assert.deepEqual(await accessibilityProblems(opened.page), []);
    assert.deepEqual(opened.complaints, []);
  });
});
