import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type World } from "./browser.ts";

const description = `Books a **room**.

- asks nobody
- see [the rules](https://example.org/rules)

<img src=x onerror=alert(1)> [a trap](javascript:alert(1))`;
const guest = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", maxLength: 80 },
    meal: { type: "string", enum: ["fish", "none"], default: "none" },
    brings: { type: "array", items: { $ref: "#/$defs/guest" } },
  },
};
const parameters = {
  type: "object",
  $defs: { guest },
  properties: {
    tables: { type: "array", items: { type: "array", items: { $ref: "#/$defs/guest" } } },
  },
};

suite("the page of a tool in the browser", { skip: noBrowser }, () => {
  let world: World;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  before(async () => {
    directory = await temporaryDirectory();
    const tool = { name: "book", title: "Book a room", description, inputSchema: parameters };
    writeFileSync(directory.file("tools.json"), JSON.stringify([[tool]]));
    world = await openWorld({
      hotel: fixture("scripted-list", ["--tools", directory.file("tools.json")]),
    });
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  test("its title is seen, and Markdown is formatted without what it should not do", async () => {
    const { page, complaints } = await world.visit("/tools/hotel.book");
    await page.getByRole("heading", { level: 1, name: "hotel.book" }).waitFor();
    await page.locator("header").getByText("Book a room", { exact: true }).waitFor();
    await page.locator("strong", { hasText: "room" }).waitFor();
    assert.equal(
      await page.getByRole("link", { name: "the rules" }).getAttribute("href"),
      "https://example.org/rules",
    );
    assert.equal(await page.getByRole("link", { name: "a trap" }).count(), 0);
    assert.equal(await page.locator("img[src=x]").count(), 0);
    await page.getByRole("button", { name: "Text", exact: true }).click();
    await page.getByText("Books a **room**.").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });

  test("what lists of lists hold is opened, with choices and bounds, and a schema within itself level by level", async () => {
    const { page, complaints } = await world.visit("/tools/hotel.book");
    await page.getByText("list of list of guest (object)").waitFor();
    await page.getByText("one of fish, none").first().waitFor();
    await page.getByText("default none").first().waitFor();
    await page.getByText("length at most 80").first().waitFor();
    const brings = page.getByRole("button", { name: /fields of brings$/ });
    await brings.first().waitFor();
    const before = await brings.count();
    for (let more = 1; more <= 3; more += 1) {
      await brings.nth(before + more - 2).click();
      await brings.nth(before + more - 1).waitFor();
    }
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("tab", { name: "JSON Schema" }).click();
    await page.getByText('"$ref": "#/$defs/guest"').first().waitFor();
    assert.deepEqual(complaints, []);
  });
});
