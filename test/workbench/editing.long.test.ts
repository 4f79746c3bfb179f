import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { eventually } from "../scenarios/approving.ts";
import { fixture, namedServer } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type World } from "./browser.ts";

const many = Array.from({ length: 120 }, (_, at) => `tool_${String(at).padStart(3, "0")}`);

suite("edits, large results and places in the browser", { skip: noBrowser }, () => {
  let world: World;
  before(async () => {
    world = await openWorld({ echo: fixture("echo"), many: namedServer("many", many) });
  });
  after(() => world[Symbol.asyncDispose]());

  test("edits of a tool and a typed server are not lost without a question", async () => {
    const { page, complaints } = await world.visit("/tools/echo.put_note/edit");
    await page.getByLabel("Instead of the server's").fill("Keeps a note");
    await page.getByRole("link", { name: "Calls" }).click();
    const asking = page.getByRole("dialog", { name: "Leave without saving?" });
    await asking.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await page.getByLabel("Instead of the server's").inputValue(), "Keeps a note");
    await page.getByRole("link", { name: "Servers", exact: true }).click();
    await asking.getByRole("button", { name: "Discard changes" }).click();
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("tab", { name: "Form" }).click();
    await page.getByLabel("Name").fill("half");
    await page.mouse.click(5, 5);
    await page.getByRole("alert").getByText("Discard what you typed?").waitFor();
    await page.getByRole("button", { name: "Keep editing" }).click();
    assert.equal(await page.getByLabel("Name").inputValue(), "half");
    assert.deepEqual(complaints, []);
  });

  test("a large result has its size, is searched and saved, and is laid out in pieces", async () => {
    const { page, complaints } = await world.visit("/try?tool=echo.echo");
    const text = Array.from({ length: 20_000 }, (_, at) => `line ${at}`).join("\n");
    await page.getByLabel("Arguments as JSON").fill(JSON.stringify({ message: text }));
    await page.keyboard.press("Control+Enter");
    const find = page.getByRole("searchbox", { name: "Find in text" });
    await find.fill("LINE 19999");
    await page.getByText("1 of 1").waitFor();
    await page
      .getByText(/^\d+ kB$/)
      .first()
      .waitFor();
    assert.ok((await page.locator("[aria-label=text] [data-from]").count()) > 5);
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save text" }).click();
    assert.equal((await saving).suggestedFilename(), "text.txt");
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });

  test("arguments are in the link and survive a reload, with all their digits", async () => {
    const { page } = await world.visit("/try?tool=echo.add");
    await page.getByLabel("Arguments as JSON").fill('{"a": 12345678901234567890, "b": 1}');
    await page.waitForURL(/args=/);
    await page.reload();
    await page.getByLabel(/^b /).waitFor();
    assert.match(await page.getByLabel("Arguments as JSON").inputValue(), /12345678901234567890/);
  });

  test("back from a tool the list stands where it was", async () => {
    const { page } = await world.visit("/tools?server=many");
    const table = page.getByRole("table", { name: "Tools" });
    await table.getByRole("link", { name: "many.tool_000" }).waitFor();
    await table.evaluate((element) => void element.scrollTo(0, 600));
    const link = table.getByRole("link", { name: "many.tool_016" });
    await link.click();
    await page.getByRole("heading", { name: /many\.tool_016/ }).waitFor();
    await page.goBack();
    await link.waitFor();
    const top = () => table.evaluate((element) => element.scrollTop);
    await eventually("the place", async () => (await top()) > 500 || undefined);
  });

  test("B10, B14: the palette acts and says that it searches, tabs have no stray scroll bar, ? shows the keys", async () => {
    const { page, complaints } = await world.visit("/approvals");
    await page.getByRole("tablist").first().waitFor();
    const isStray =
      "[...document.querySelectorAll('[role=tablist]')].some((e) => getComputedStyle(e).overflowY !== 'hidden' && e.scrollHeight > e.clientHeight)";
    assert.equal(await page.evaluate(isStray), false);
    await page.keyboard.press("?");
    await page
      .getByRole("dialog", { name: "Keyboard shortcuts" })
      .getByText("Approve, once")
      .waitFor();
    await page.keyboard.press("Escape");
    await page.route("**/search?*", () => undefined);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find" }).fill("zzqx");
    await page.getByText("Searching …").waitFor();
    await page.getByRole("combobox", { name: "Find" }).fill("never called");
    await page.keyboard.press("Enter");
    await page.waitForURL(/unused=/);
    assert.deepEqual(complaints, []);
  });

  test("tools are sorted, selected and disabled together, and that is undone", async () => {
    const { page, complaints } = await world.visit("/tools?server=many");
    await page.getByRole("button", { name: "Tool", exact: true }).click();
    await page.getByRole("button", { name: "Tool ↑" }).click();
    await page.getByRole("link", { name: "many.tool_119" }).waitFor();
    for (const name of ["many.tool_119", "many.tool_118"])
      await page.getByRole("checkbox", { name: `Select ${name}` }).check();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("toolbar").getByRole("button", { name: "Disable" }).click();
    await page.getByText("2 tools disabled.").waitFor();
    await page.getByRole("row", { name: /tool_119.*disabled/ }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("2 tools enabled.").waitFor();
    assert.deepEqual(complaints, []);
  });
});
