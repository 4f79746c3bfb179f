import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type Page, type World } from "./browser.ts";

const point = { title: "Point", type: "object", required: ["x"], properties: { x: { type: "number" } } };
const node = { type: "object", properties: { name: { type: "string" }, parent: { $ref: "#/$defs/node" } } };
const parameters = {
  type: "object",
  $defs: { point, node },
  required: ["sure"],
  properties: {
    sure: { type: "boolean" },
    loud: { type: "boolean", default: true },
    size: { type: "string", enum: ["s", "m"], default: "m" },
    at: { $ref: "#/$defs/point" },
    shape: {
      oneOf: [
        {
          title: "Circle",
          type: "object",
          properties: { kind: { const: "circle" }, radius: { type: "number" } },
        },
        {
          title: "Square",
          type: "object",
          properties: { kind: { const: "square" }, side: { type: "number" } },
        },
      ],
    },
    either: { anyOf: [{ type: "string" }, { type: "integer" }] },
    free: {},
    gone: { $ref: "#/$defs/missing" },
    tree: { $ref: "#/$defs/node" },
    weights: { type: "object", additionalProperties: { type: "number" } },
    id: { type: "integer" },
    status: {
      anyOf: [
        { type: "string", const: "open" },
        { type: "string", const: "closed" },
      ],
    },
    note: { anyOf: [{ type: "string" }, { type: "null" }], default: null },
    token: { type: "string", format: "password" },
    ["a_name_that_is_far_longer_than_the_form_is_wide_".repeat(4)]: { type: "string" },
  },
};

suite("forms in the browser", { skip: noBrowser }, () => {
  let world: World;
  before(async () => {
    const providers = [{ name: "mcp", config: { server: "echo", tool: "echo_all" } }];
    const tool = { description: "Takes everything.", side_effects: "none", parameters, providers };
    world = await openWorld({ echo: fixture("echo") }, { tools: { everything: tool } });
  });
  after(() => world[Symbol.asyncDispose]());

  const argumentsIn = async (page: Page) =>
    JSON.parse(await page.getByLabel("Arguments as JSON").inputValue()) as object;

  test("a choice of constants is one list, X or null is one field, a password is hidden, long names wrap", async () => {
    const { page, complaints } = await world.visit("/try?tool=everything", {
      viewport: { width: 390, height: 800 },
    });
    await page.getByLabel(/^status/).selectOption({ label: "closed" });
    await page.getByLabel("note string").fill("שלום");
    assert.equal(await page.getByLabel(/which kind of note/i).count(), 0);
    assert.equal(await page.getByLabel("note string").getAttribute("dir"), "auto");
    await page.getByLabel("token string").fill("hush");
    assert.equal(await page.getByLabel("token string").getAttribute("type"), "password");
    assert.deepEqual(await argumentsIn(page), { status: "closed", note: "שלום", token: "hush" });
    assert.equal(await page.evaluate("document.getElementById('content').scrollWidth <= innerWidth"), true);
    assert.deepEqual(complaints, []);
  });

  test("each argument is called by its name, and everything that a schema allows can be said", async () => {
    const { page, complaints } = await world.visit("/try?tool=everything");
    await page.getByLabel("sure * boolean").selectOption("false");
    assert.ok(await page.getByLabel("loud").isChecked());
    await page.getByLabel("size string").locator("option", { hasText: "default: m" }).waitFor({ state: "attached" });
    await page.getByRole("group", { name: "at Point" }).getByLabel("x * number").fill("1");
    await page.getByLabel("Which kind of shape").selectOption("Square");
    await page.getByLabel("kind").and(page.locator("select:not([aria-label])")).selectOption("square");
    await page.getByLabel("side number").fill("2");
    await page.getByLabel("Which kind of either").selectOption("integer");
    await page.getByRole("textbox", { name: "free anything" }).fill('["a", {"b": 1}]');
    await page.getByRole("textbox", { name: "gone anything" }).fill("plain words");
    await page.getByRole("button", { name: "Expand parent" }).click();
    await page.getByLabel("name string").nth(1).fill("Ann");
    const weights = page.getByRole("group", { name: "weights" });
    await weights.getByRole("button", { name: "Add" }).click();
    await weights.getByLabel("Name of newKey").fill("apple");
    await weights.getByLabel("Name of newKey").blur();
    await weights.getByLabel("apple number").fill("3");
    assert.deepEqual(await argumentsIn(page), {
      sure: false,
      at: { x: 1 },
      shape: { kind: "square", side: 2 },
      free: ["a", { b: 1 }],
      gone: "plain words",
      tree: { parent: { name: "Ann" } },
      weights: { apple: 3 },
    });
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });

  test("a number with many digits is sent as it was written, also when the form is used afterwards", async () => {
    const { page } = await world.visit("/try?tool=everything");
    const json = page.getByLabel("Arguments as JSON");
    await json.fill('{"sure": true, "id": 9007199254740993}');
    await page.getByLabel("size string").selectOption("s");
    assert.match(await json.inputValue(), /"id": 9007199254740993/);
    const asking = page.waitForRequest((request) => request.method() === "POST");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    assert.match((await asking).postData() ?? "", /"id":9007199254740993\b/);
    await page.getByLabel("id integer").fill("9007199254740993");
    await page.getByText("is too large to edit exactly here").waitFor();
  });
});
