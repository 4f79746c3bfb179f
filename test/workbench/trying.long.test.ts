import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Locator } from "playwright-core";
import { fixture, namedServer } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type World } from "./browser.ts";

const hostile = '<img src=x onerror="document.title=1">';
const fixedValue = "only-for-the-server";

const colourOf = (what: Locator) =>
  what.evaluate((element) => {
    const { getComputedStyle } = globalThis as unknown as {
      getComputedStyle(of: unknown): { backgroundColor: string };
    };
    return getComputedStyle(element).backgroundColor;
  });

suite("tools in the browser", { skip: noBrowser }, () => {
  let world: World;
  before(async () => {
    const servers = {
      echo: fixture("echo"),
      image: fixture("image"),
      changing: fixture("changing"),
      asking: fixture("elicit"),
      sampling: fixture("sample"),
      nasty: namedServer("nasty", [hostile, "harmless"]),
    };
    world = await openWorld(servers, {
      overlays: { "nasty.harmless": { description: hostile } },
      observability: { keepPayloads: true },
    });
  });
  after(() => world[Symbol.asyncDispose]());

  const callTool = (tool: string, args: object) =>
    fetch(`${world.url}/tools/${tool}/call`, {
      method: "POST",
      body: JSON.stringify({ arguments: args }),
    });

  test("a tool is found while a person types, filtered, and opened", async () => {
    const { page, complaints } = await world.visit("/tools");
    const search = page.getByRole("searchbox", { name: "Search tools" });
    await search.pressSequentially("add two numbers");
    const first = page.getByRole("row").nth(1);
    await first.getByText("echo.add").waitFor();
    await page.waitForURL("**/tools?q=add+two+numbers");
    await search.fill("");
    await page.getByLabel("Server").selectOption("image");
    await page.getByText("9 match").waitFor();
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByLabel("Version").fill("nonsense");
    await page
      .getByRole("alert")
      .getByText(/version/)
      .waitFor();
    await page.getByLabel("Version").fill("^1.0");
    await page.getByRole("link", { name: "image.mixed" }).waitFor();
    await page.getByRole("button", { name: "reads only" }).click();
    await page.getByText("No tools match").waitFor();
    await page.getByRole("button", { name: "reads only" }).click();
    await page.waitForURL((address) => address.search === "?server=image&version=%5E1.0");
    await page.reload();
    assert.equal(await page.getByLabel("Version").inputValue(), "^1.0");
    await page.getByRole("link", { name: "image.mixed" }).click();
    await page.getByRole("heading", { name: /image\.mixed/ }).waitFor();
    assert.deepEqual(
      complaints.filter((text) => !text.includes("400")),
      [],
    );
  });

  test("a form becomes JSON and JSON a form; what does not fit is said; a dry run calls nothing", async () => {
    await callTool("echo.whoami_server", {});
    const { page, complaints } = await world.visit("/try");
    const lately = page.getByRole("navigation", { name: "Called lately" });
    await lately.getByRole("link", { name: "echo.whoami_server" }).waitFor();
    // A click offers tools before anything is typed.
    await page.getByRole("combobox", { name: "Tool" }).click();
    await page.getByRole("option").nth(5).waitFor();
    await page.getByRole("combobox", { name: "Tool" }).fill("echo.add");
    await page.getByRole("option", { name: /echo\.add/ }).click();
    await page.getByRole("button", { name: "Dry run" }).click();
    assert.equal(
      await page.getByText("is required").count(),
      2,
      "untouched fields are marked, too",
    );
    await page.getByLabel(/^a /).fill("2");
    const json = page.getByLabel("Arguments as JSON");
    assert.deepEqual(JSON.parse(await json.inputValue()), { a: 2 });
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByRole("alert").getByText("INVALID_ARGUMENTS").waitFor();
    await json.fill('{"a": 2, "b": 40}');
    await page.getByLabel(/^b /).and(page.locator("[value='40']")).waitFor();
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText("It would run").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByLabel("Structured").getByText("sum").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await json.fill("{}");
    await page.getByRole("button", { name: "Reuse arguments" }).first().click();
    assert.deepEqual(JSON.parse(await json.inputValue()), { a: 2, b: 40 });
    await page.getByRole("button", { name: "Copy as" }).click();
    await page.getByText(`toolplane call echo.add --args '{"a":2,"b":40}'`).waitFor();
    assert.deepEqual(
      complaints.filter((text) => !text.includes("status of 4")),
      [],
    );
  });

  test("arguments of calls on record are examples", async () => {
    await callTool("echo.add", { a: 20, b: 22 });
    const { page } = await world.visit("/try?tool=echo.add");
    await page.getByRole("button", { name: "Show recorded calls" }).click();
    const example = page.getByRole("listitem").filter({ hasText: '{"a":20,"b":22}' });
    await example.getByRole("button", { name: "Reuse arguments" }).click();
    assert.deepEqual(JSON.parse(await page.getByLabel("Arguments as JSON").inputValue()), {
      a: 20,
      b: 22,
    });
    assert.deepEqual(await accessibilityProblems(page), []);
  });

  test("a server that asks in the middle of a call is answered in a form", async () => {
    const { page, complaints } = await world.visit("/try?tool=asking.ask_colour");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const card = page.getByRole("article", { name: "asking asks something" });
    await card.getByLabel(/^colour/).selectOption({ label: "green" });
    await card.getByRole("button", { name: "Answer" }).click();
    await page.getByLabel("Structured").getByText("green").waitFor();
    await card.waitFor({ state: "detached" });
    assert.deepEqual(complaints, []);
  });

  test("a server that asks for a model's words is answered by hand where no model is configured", async () => {
    const args = encodeURIComponent(JSON.stringify({ prompt: "2 + 2?", system: "Be brief." }));
    const { page, complaints } = await world.visit(`/try?tool=sampling.sample&args=${args}`);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const card = page.getByRole("article", { name: "sampling asks something" });
    await card.getByText("no model is configured").waitFor();
    await card.getByText("Be brief.").waitFor();
    await card.getByText("2 + 2?").waitFor();
    assert.equal(await card.getByRole("button", { name: "Answer" }).isDisabled(), true);
    await card.getByLabel("Your answer").fill("Four, says a person.");
    assert.deepEqual(await accessibilityProblems(page), []);
    await card.getByRole("button", { name: "Answer" }).click();
    await page
      .locator("main")
      .getByText(/Four, says a person\./)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await card.getByRole("button", { name: "Decline" }).click();
    await page
      .getByText(/a person declined/)
      .first()
      .waitFor();
    assert.deepEqual(complaints, []);
  });

  test("every kind of content is shown, and nothing that is shown runs", async () => {
    const { page, complaints } = await world.visit("/try?tool=image.mixed");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("img", { name: "Tool result" }).first().waitFor();
    await page.locator("audio").waitFor();
    await page.getByText("embedded text").waitFor();
    await page.getByText("fx://report").waitFor();
    await page.goto(`${world.url}/workbench/try?tool=echo.echo`);
    await page.getByLabel(/^message /).fill(hostile);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByLabel("text", { exact: true }).getByText(hostile).waitFor();
    await page.goto(`${world.url}/workbench/tools?server=nasty`);
    await page.getByText(hostile).first().waitFor();
    assert.equal(await page.getByText(hostile).filter({ visible: true }).count(), 3);
    assert.equal(await page.locator("img[src='x']").count(), 0);
    assert.equal(await page.title(), "Tools · Toolplane");
    assert.deepEqual(complaints, []);
  });

  test("arguments are described, fixed, hidden and added; a model sees it at once, and never the fixed value", async () => {
    const { page, complaints } = await world.visit("/tools/echo.put_note/edit");
    const tokens = page.getByLabel("Tokens");
    const before = Number.parseInt((await tokens.textContent()) ?? "", 10);
    const key = page.getByRole("listitem", { name: "key" });
    await key.getByLabel("Who sets it").selectOption("fixed");
    await key.getByLabel("Value").fill(fixedValue);
    await page
      .getByRole("listitem", { name: "text" })
      .getByLabel("Description")
      .fill("What to keep");
    await page.getByRole("button", { name: "Add an argument" }).click();
    const added = page.getByRole("listitem", { name: "A new argument" });
    await added.getByLabel("Name").fill("colour");
    await page.getByRole("listitem", { name: "colour" }).getByLabel("Choices").fill("red, green");
    const preview = page.locator("section").filter({ hasText: "What a model sees" });
    await preview.getByText("one of red, green").waitFor();
    assert.notEqual(Number.parseInt((await tokens.textContent()) ?? "", 10), before);
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByLabel("Reason").fill("notes have a colour");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: /echo\.put_note/ }).waitFor();
    const shown = (await (await fetch(`${world.url}/tools/echo.put_note`)).json()) as {
      parameters: { properties: object };
    };
    assert.deepEqual(Object.keys(shown.parameters.properties), ["text", "colour"]);
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByPlaceholder("A value is stored; type to replace it").waitFor();
    await page
      .getByRole("listitem", { name: "colour" })
      .getByRole("button", { name: /Delete/ })
      .click();
    assert.ok(!(await page.content()).includes(fixedValue));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "Edit" }).waitFor();
    const stored = await (await callTool("echo.put_note", { text: "words" })).text();
    assert.match(stored, new RegExp(`stored ${fixedValue}`));
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Reset to server's" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Reset to server's" }).click();
    await page.getByRole("link", { name: "Try", exact: true }).last().waitFor();
    assert.deepEqual(complaints, []);
  });

  test("a tool whose definition changed shows the difference and is accepted", async () => {
    await callTool("changing.add_tool", { name: "late", description: "Adds nothing." });
    await (await fetch(`${world.url}/tools/changing.late`)).text();
    await callTool("changing.edit_tool", { name: "late", description: "Adds something else." });
    const { page, complaints } = await world.visit("/tools/changing.late");
    const difference = page.getByLabel("What is different");
    await difference.getByText("Adds nothing.").waitFor();
    await difference.getByText("Adds something else.").waitFor();
    const trust = page.getByRole("button", { name: "Trust this definition" });
    const [colour, other] = await Promise.all([
      colourOf(trust),
      colourOf(page.getByRole("button", { name: "Quarantine" })),
    ]);
    assert.equal(colour, other, "it is no more inviting than the other choice");
    await trust.click();
    await page.getByRole("dialog").getByRole("button", { name: "Trust" }).click();
    await difference.waitFor({ state: "detached" });
    assert.equal((await callTool("changing.late", {})).status, 200);
    assert.deepEqual(complaints, []);
  });
});
