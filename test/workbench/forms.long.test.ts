import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { until } from "../fixtures/until.ts";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type Page, type World } from "./browser.ts";
import { allKinds, choicesEverywhere, hostileKinds } from "./form-schemas.ts";

const point = {
  title: "Point",
  type: "object",
  required: ["x"],
  properties: { x: { type: "number" } },
};
const node = {
  type: "object",
  properties: { name: { type: "string" }, parent: { $ref: "#/$defs/node" } },
};
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
    const tool = (schema: object) => ({
      description: "Takes everything.",
      side_effects: "none",
      parameters: schema,
      providers,
    });
    const hostile = Object.entries(hostileKinds).map(([name, schema]) => [name, tool(schema)]);
    const tools = {
      everything: tool(parameters),
      kinds: tool(allKinds),
      choices: tool(choicesEverywhere),
      ...Object.fromEntries(hostile),
    };
    world = await openWorld({ echo: fixture("echo") }, { tools });
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
    assert.equal(
      await page.evaluate("document.getElementById('content').scrollWidth <= innerWidth"),
      true,
    );
    assert.deepEqual(complaints, []);
  });

  test("each argument is called by its name, and everything that a schema allows can be said", async () => {
    const { page, complaints } = await world.visit("/try?tool=everything");
    await page.getByLabel("sure * boolean").selectOption("false");
    assert.ok(await page.getByLabel("loud").isChecked());
    await page
      .getByLabel("size string")
      .locator("option", { hasText: "default: m" })
      .waitFor({ state: "attached" });
    await page.getByRole("group", { name: "at Point" }).getByLabel("x * number").fill("1");
    await page.getByLabel("Which kind of shape").selectOption("Square");
    await page.getByLabel("side number").fill("2");
    await page.getByLabel("Which kind of either").selectOption("whole number");
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
    await json.fill('{"sure": true, "tree": {"name": "a", "id": 9007199254740993}}');
    await page.getByLabel("name string").first().fill("b");
    assert.match(await json.inputValue(), /"id": 9007199254740993/);
    await page.getByLabel("id integer").fill("9007199254740993");
    await page.getByText("is too large to edit exactly here").waitFor();
  });

  /** What the server itself got: it answers with its arguments. */
  const receivedBy = async (page: Page) => {
    const answering = page.waitForResponse((response) => response.request().method() === "POST");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const text = await (await answering).text();
    const [, data = ""] = /^data: (\{.*"call".*)$/m.exec(text) ?? [];
    const outcome = JSON.parse(data) as {
      result?: { structuredContent?: unknown };
      error?: object;
    };
    return outcome.result?.structuredContent ?? outcome;
  };

  test("the server gets what every kind of field says", async () => {
    const { page, complaints } = await world.visit("/try?tool=kinds");
    await page.getByLabel("sure * boolean").selectOption("true");
    const kind = page.getByLabel("Which kind of payment");
    const kinds = await kind.locator("option").allTextContents();
    assert.deepEqual(kinds, ["Choose …", "card", "cash", "Bank transfer"]);
    await kind.selectOption("card");
    assert.deepEqual(await argumentsIn(page), {
      version: 2,
      sure: true,
      payment: { by: "card", currency: "EUR" },
    });
    await page.getByLabel("number * string").fill("4111");
    await kind.selectOption("Bank transfer");
    await page.getByLabel("Which kind of account").selectOption("iban");
    await page.getByLabel("iban * string").fill("DE02");
    const amount = page.getByLabel("Which kind of amount");
    assert.deepEqual(await amount.locator("option").allTextContents(), [
      ...["Not given", "text", "list of numbers", "whole number"],
    ]);
    await amount.selectOption("list of numbers");
    await page.getByRole("group", { name: "amount" }).getByRole("button", { name: "Add" }).click();
    await page.getByLabel("amount 1 number").fill("1.5");
    await page.getByLabel("Which kind of mixed").selectOption("whole number");
    await page.getByLabel("mixed integer").fill("7");
    await page.getByLabel("note is null").check();
    await page.getByLabel("place is null").check();
    await page.getByLabel("place is null").uncheck();
    await page.getByLabel("city string").fill("Bern");
    await page.getByLabel("colour string").selectOption("Green");
    await page.getByLabel("day string").fill("2026-02-03");
    await page.getByLabel("at string").fill("2026-11-18T10:20:00.123456789+05:30");
    await page.getByLabel("clock string").fill("10:20:00Z");
    await page.getByLabel("mail string").fill("ann@example.org");
    await page.getByLabel("site string").fill("https://example.org/%C3%A4?a=b#c");
    const scan = page.getByLabel("scan file");
    await scan.setInputFiles({
      name: "big.bin",
      mimeType: "text/plain",
      buffer: Buffer.alloc(3_000_001),
    });
    await page.getByRole("alert").getByText("at most 3.0 MB").waitFor();
    await scan.setInputFiles({
      name: "a.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("bytes"),
    });
    await page.getByText("a.txt").waitFor();
    const weights = page.getByRole("group", { name: "weights" });
    await weights.getByRole("button", { name: "Add" }).click();
    await weights.getByLabel("Name of newKey").fill("apple");
    await weights.getByLabel("Name of newKey").blur();
    await weights.getByLabel("apple number").fill("3");
    const labels = page.getByRole("group", { name: "labels" });
    await labels.getByRole("button", { name: "Add" }).click();
    await labels.getByLabel("Name of newKey").fill("x-one");
    await labels.getByLabel("Name of newKey").blur();
    await labels.getByLabel("x-one string").fill("first");
    const people = page.getByRole("group", { name: "people", exact: true });
    await people.getByRole("button", { name: "Add" }).click();
    await people.getByLabel("name * string").fill("Ann");
    await people.getByRole("button", { name: "Add", exact: true }).click();
    await people.getByLabel("name * string").nth(1).fill("Bob");
    await people.getByRole("button", { name: "Move 2 up" }).click();
    await page.getByRole("group", { name: "people 1 Person Bob" }).waitFor();
    const far = page.getByLabel("point 1 How far number");
    await far.fill("1");
    await far.fill("");
    assert.equal("point" in (await argumentsIn(page)), false);
    await far.fill("1");
    await page.getByLabel("point 2 string").fill("x");
    const tags = page.getByRole("group", { name: "tags *" });
    await tags.getByRole("button", { name: "Add" }).click();
    await tags.getByLabel("tags 1 string").fill("a");
    await page.getByLabel("days array").selectOption(["tue"]);
    await page.getByLabel("a * string").fill("left");
    await page.getByLabel("b integer").fill("2");
    await page.getByLabel("ship").check();
    await page.getByLabel("parcel * string").fill("q");
    await page.getByLabel("ship").uncheck();
    assert.equal("parcel" in (await argumentsIn(page)), false);
    await page.getByLabel("ship").check();
    await page.getByLabel("parcel * string").fill("p");
    assert.deepEqual(await accessibilityProblems(page), []);
    const got = await receivedBy(page);
    const expected = {
      version: 2,
      sure: true,
      payment: { by: "transfer", account: { kind: "iban", iban: "DE02" } },
      amount: [1.5],
      mixed: 7,
      note: null,
      place: { city: "Bern" },
      colour: "#0f0",
      day: "2026-02-03",
      at: "2026-11-18T10:20:00.123456789+05:30",
      clock: "10:20:00Z",
      mail: "ann@example.org",
      site: "https://example.org/%C3%A4?a=b#c",
      scan: Buffer.from("bytes").toString("base64"),
      weights: { apple: 3 },
      labels: { "x-one": "first" },
      people: [{ name: "Bob" }, { name: "Ann" }],
      point: [1, "x"],
      tags: ["a"],
      days: ["tue"],
      merged: { a: "left", b: 2 },
      ship: true,
      parcel: "p",
    };
    assert.deepEqual(got, expected);
    await page.getByLabel("Arguments as JSON").fill("{}");
    await page.getByRole("button", { name: "Reuse arguments" }).first().click();
    assert.deepEqual(await argumentsIn(page), expected);
    assert.equal(await kind.locator("option:checked").textContent(), "Bank transfer");
    assert.equal(
      await page.getByLabel("Which kind of account").locator("option:checked").textContent(),
      "iban",
    );
    assert.deepEqual(complaints, []);
  });

  test("there may be choices at the root, within themselves, in lists and in maps", async () => {
    const { page, complaints } = await world.visit("/try?tool=choices");
    const choose = (name: string, one: string) =>
      page.getByLabel(`Which kind of ${name}`).last().selectOption(one);
    await page.getByLabel("id * string").fill("i");
    await choose("arguments", "object with a");
    await page.getByLabel("a * string").fill("x");
    await choose("arguments", "object with b");
    await page.getByLabel("b * integer").fill("3");
    await choose("expr", "add");
    await choose("left", "num");
    await page.getByLabel("value * integer").fill("1");
    await choose("right", "add");
    await choose("left", "num");
    await page.getByLabel("value * integer").last().fill("9007199254740991");
    const list = page.getByRole("group", { name: "list", exact: true });
    await list.getByRole("button", { name: "Add" }).click();
    await list.getByRole("button", { name: "Add" }).click();
    await list.getByLabel("1 is null").last().uncheck();
    assert.equal(await list.getByLabel("Which kind of list 2").inputValue(), "1");
    await list.getByLabel("v string").fill("x");
    const map = page.getByRole("group", { name: "map", exact: true });
    await map.getByRole("button", { name: "Add" }).click();
    await choose("newKey", "text");
    await map.getByLabel("newKey string").fill("v");
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(await receivedBy(page), {
      id: "i",
      b: 3,
      expr: {
        op: "add",
        left: { op: "num", value: 1 },
        right: { op: "add", left: { op: "num", value: 9007199254740991 } },
      },
      list: [null, { k: 1, v: "x" }],
      map: { newKey: "v" },
    });
    assert.deepEqual(complaints, []);
  });

  test("the choice of given arguments is known by what tells them apart, and left without what was its own", async () => {
    const given = {
      payment: { by: "cash", number: "4111" },
      amount: [1, 2],
      tags: ["a"],
      sure: false,
    };
    const { page } = await world.visit(
      `/try?tool=kinds&args=${encodeURIComponent(JSON.stringify(given))}`,
    );
    const chosen = (name: string) =>
      page.getByLabel(`Which kind of ${name}`).locator("option:checked").textContent();
    await page.getByLabel("Which kind of payment").waitFor();
    assert.deepEqual(
      [await chosen("payment"), await chosen("amount")],
      ["cash", "list of numbers"],
    );
    await page
      .getByLabel("Arguments as JSON")
      .fill(JSON.stringify({ ...given, payment: { by: "card" }, amount: "x" }));
    await page.getByLabel("currency * string").waitFor();
    assert.deepEqual([await chosen("payment"), await chosen("amount")], ["card", "text"]);
    await page.getByLabel("Which kind of amount").selectOption("Not given");
    await page.getByLabel("Which kind of payment").selectOption("cash");
    assert.deepEqual(await argumentsIn(page), {
      version: 2,
      payment: { by: "cash" },
      tags: ["a"],
      sure: false,
    });
  });

  test("nothing is called missing before it is asked for, and the JSON stays beside a long form", async () => {
    const { page } = await world.visit("/try?tool=kinds", {
      viewport: { width: 1300, height: 800 },
    });
    await page.getByLabel("mail string").fill("nobody");
    await page.getByText("mail must be written like ann@example.org").waitFor();
    assert.equal(await page.getByText("is required").count(), 0);
    const inSight = `document.querySelector("textarea[rows='9']").getBoundingClientRect()`;
    await until("it to be in sight", () =>
      page.evaluate<boolean>(`${inSight}.top > 0 && ${inSight}.bottom < innerHeight`),
    );
    assert.deepEqual(await argumentsIn(page), { version: 2, mail: "nobody" });
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText("tags is required").waitFor();
    await page.getByText("payment is required").waitFor();
  });

  test("an error names its field and is gone to, also one that only the plane finds", async () => {
    const people = [{ name: "Ann" }, {}];
    const given = { version: 2, sure: true, payment: { by: "cash" }, tags: ["a"], people };
    const { page } = await world.visit(
      `/try?tool=kinds&args=${encodeURIComponent(JSON.stringify(given))}`,
    );
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText("people 2 › name is required").waitFor();
    const isAt = (id: string) =>
      until(`${id} to have the focus`, () =>
        page.evaluate<boolean>(
          `document.activeElement.id === "${id}" && document.activeElement.getBoundingClientRect().top >= 0 &&
          document.activeElement.getBoundingClientRect().bottom <= innerHeight`,
        ),
      );
    await isAt("argument_people_1_name");
    const found = {
      ...given,
      people: [],
      payment: { by: "card", number: "4", currency: "EUR", expiry: "soon" },
    };
    await page.getByLabel("Arguments as JSON").fill(JSON.stringify(found));
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText(/payment › expiry must match pattern/).waitFor();
    await isAt("argument_payment_expiry");
    await page.getByLabel("expiry string").fill("2027-01");
    await page.getByText(/payment › expiry must match pattern/).waitFor({ state: "detached" });
  });

  test("a stranger's schema never stops the page; where there is no form, it says why", async () => {
    for (const name of Object.keys(hostileKinds)) {
      const { page, complaints } = await world.visit(`/try?tool=${name}`);
      const json = page.getByLabel("Arguments as JSON");
      await json.waitFor();
      await json.fill('{"first": "a"}');
      assert.deepEqual(await argumentsIn(page), { first: "a" }, name);
      const first = page.getByLabel(/^first\b.* string$/);
      const why = page.getByText("This schema has no form.");
      await first.or(why).first().waitFor();
      if ((await first.count()) > 0) {
        await first.fill("typed");
        assert.deepEqual(await argumentsIn(page), { first: "typed" }, name);
      }
      assert.equal(await page.locator("img[src='x']").count(), 0);
      assert.equal(
        await page.evaluate("document.getElementById('content').scrollWidth <= innerWidth"),
        true,
        name,
      );
      assert.deepEqual(complaints, [], name);
    }
  });
});
