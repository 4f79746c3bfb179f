import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { accessibilityProblems, noBrowser, openWorld, type World } from "./browser.ts";

const greeter = `export default {
  name: "greeter",
  setup({ addOperation, addPanel }) {
    const add = (name, more) => addOperation({ name, summary: "Does " + name, scope: "read", ...more });
    let said = 0;
    addPanel({ title: "Greetings", facts: () => [{ label: "said", value: said, about: "since the start" }] });
    addPanel({ title: "Broken panel", facts: () => { throw new Error("no facts today"); } });
    add("greetings.list", { columns: { name: "Who" }, run: () => ({ rows: [{ name: "Ann" }, { name: "Bob" }] }) });
    add("greetings.fail", { run: () => { throw new Error("no voice"); } });
    add("greetings.manage", { scope: "admin", run: () => undefined });
    add("greetings.say", { changes: true,
      input: { type: "object", required: ["name"], additionalProperties: false,
        properties: { name: { type: "string" }, times: { type: "integer" } } },
      run: ({ name, times = 1 }) => { said += times; return { text: ("Hello, " + name + "! ").repeat(times).trim() }; } });
  },
};`;
const broken = `export default { name: "broken", setup() { throw new Error("no licence"); } };`;

suite("extensions in the browser", { skip: noBrowser }, () => {
  let directory: TemporaryDirectory;
  let world: World;
  before(async () => {
    directory = await temporaryDirectory();
    await writeFile(directory.file("greeter.mjs"), greeter);
    await writeFile(directory.file("broken.mjs"), broken);
    world = await openWorld(
      {},
      { extensions: [directory.file("greeter.mjs"), directory.file("broken.mjs")] },
    );
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  test("one that failed comes first, with the reason", async () => {
    const { page } = await world.visit("/extensions");
    await page.getByText("Not in use: its 'setup' failed: no licence").waitFor();
    assert.deepEqual(await page.locator("main h2").allTextContents(), [
      "brokenfailed",
      "greeterstarted",
      "Built in",
    ]);
    await page.getByText("Broken panel: no facts today").waitFor();
  });

  test("an operation is a form: what is missing is marked, the answer is shown, and the facts are new", async () => {
    const { page, complaints } = await world.visit("/extensions");
    const facts = page.getByRole("table", { name: "Greetings" });
    await facts.getByRole("cell", { name: "0 since the start" }).waitFor();
    await page.getByRole("button", { name: "greetings.say" }).click();
    const run = page.getByRole("button", { name: "Run", exact: true });
    await run.click();
    await page.getByRole("alert").getByText("name").waitFor();
    await page.getByLabel("name").fill("Ann");
    await page.getByLabel("times").fill("2");
    await run.click();
    const result = page.getByRole("region", { name: "Result of greetings.say" });
    await result.getByText("Hello, Ann! Hello, Ann!").waitFor();
    await facts.getByRole("cell", { name: "2 since the start" }).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    // The answer to the request without a name is on the console of every browser.
    assert.deepEqual(
      complaints.filter((text) => !text.includes("400")),
      [],
    );
  });

  test("a list is a table, nothing is 'Done', and a failure is said", async () => {
    const { page } = await world.visit("/extensions");
    const open = async (name: string) => {
      await page.getByRole("button", { name }).click();
      await page.getByRole("button", { name: "Run", exact: true }).click();
    };
    await open("greetings.list");
    await page.getByRole("columnheader", { name: "Who" }).waitFor();
    assert.deepEqual(
      await page
        .locator("main section td")
        .filter({ hasText: /Ann|Bob/ })
        .allTextContents(),
      ["Ann", "Bob"],
    );
    await page.getByRole("button", { name: "greetings.list" }).click();
    await open("greetings.manage");
    await page.getByText("Done.").waitFor();
    await page.getByRole("button", { name: "greetings.manage" }).click();
    await open("greetings.fail");
    await page.getByRole("alert").getByText("no voice").waitFor();
  });

  test("who may only read sees operations and facts, and runs what the scope allows", async () => {
    const key = await world.createKey("reader", "read");
    const { page, context } = await world.open("/extensions#");
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 2, name: "greeter" }).waitFor();
    assert.equal(await page.getByText("no licence").count(), 0);
    await page.getByRole("button", { name: "greetings.manage" }).click();
    await page.getByText("It needs the scope admin.").waitFor();
    await context.close();
  });
});

suite("a plane without extensions", { skip: noBrowser }, () => {
  test("says what one is and how to add it", async () => {
    await using world = await openWorld({});
    const { page } = await world.visit("/extensions");
    await page.getByText("An extension is a module that adds to this plane").waitFor();
    await page.getByText('"extensions": ["./ours.mjs"]').waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
  });
});
