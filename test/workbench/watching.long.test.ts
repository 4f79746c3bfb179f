import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { callEntry } from "../contracts/records.ts";
import { type ScriptedModel, startScriptedModel } from "../fixtures/llm-script.ts";
import { until } from "../fixtures/until.ts";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type World } from "./browser.ts";

const past = 1_500;

suite("watching a plane in the browser", { skip: noBrowser }, () => {
  let world: World;
  let model: ScriptedModel;
  before(async () => {
    model = await startScriptedModel({ responses: [{ kind: "text", text: "Good morning." }] });
    const models = { default: { baseURL: model.url, model: "scripted" } };
    const remote = { url: "http://127.0.0.1:9/mcp" };
    world = await openWorld(
      { echo: fixture("echo"), progress: fixture("progress"), remote },
      { models },
    );
    // More calls than any list tells at once.
    const begin = await world.stopPlane();
    const store = await openSqliteStore(join(world.dataDirectory, "toolplane.db"));
    const at = new Date(Date.now() - 10 * 60_000).toISOString();
    const status = (index: number) => (index % 10 === 0 ? "failed" : "succeeded");
    await store.append(
      Array.from({ length: past }, (_, index) =>
        callEntry(`past-${index}`, { at, status: status(index) }),
      ),
    );
    await store.close();
    await begin();
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await model.close();
  });

  const post = (tool: string, args: object) =>
    fetch(`${world.url}/tools/${tool}/call`, {
      method: "POST",
      body: JSON.stringify({ arguments: args }),
    });

  test("the overview counts every call of the last hour, and each that comes", async () => {
    const { page, complaints } = await world.visit("/");
    await page.getByText("1,500 in the last hour").waitFor();
    await page.getByText("10.0 %", { exact: true }).waitFor();
    await page
      .getByRole("img", {
        name: /^1,500 calls in the last hour, 150 failed, refused or tool errors/,
      })
      .waitFor();
    await page.getByRole("img", { name: /Latency in the last hour/ }).waitFor();
    await post("echo.add", { a: 1, b: 2 });
    await page.getByText("1,501 in the last hour").waitFor();
    await page.getByRole("link", { name: "echo.add" }).last().waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });

  test("the log of a server comes by itself, can be read in peace, and is narrowed to what is serious", async () => {
    const { page, complaints } = await world.visit("/servers/progress");
    await page.getByText("No output yet.").waitFor();
    await post("progress.log_lines", { text: "first of all" });
    const log = page.getByRole("log", { name: "Log of progress" });
    await log.getByText("first of all").first().waitFor();
    await page.getByText("live", { exact: true }).waitFor();
    for (let at = 0; at < 8; at += 1) await post("progress.log_lines", { text: `round ${at}` });
    // Each call writes eight lines; one that came later would count as new.
    await log.getByText("round 7").nth(7).waitFor();
    const isAtEnd = () =>
      log.evaluate((list) => list.scrollHeight - list.scrollTop - list.clientHeight < 24);
    await until("the end of the log", isAtEnd);

    await log.evaluate((list) => {
      list.scrollTop = 0;
    });
    const follow = page.getByRole("button", { name: /^Follow/ });
    await follow.waitFor();
    await post("progress.log_lines", { text: "while reading" });
    await page.getByRole("button", { name: "Follow (8 new lines)" }).waitFor();
    assert.equal(await log.evaluate((list) => list.scrollTop), 0);
    await follow.click();
    await follow.waitFor({ state: "detached" });
    await until("the end of the log", isAtEnd);

    const lines = log.getByText("first of all");
    assert.equal(await lines.count(), 8);
    await page.getByRole("combobox", { name: "Show" }).selectOption("Errors");
    await log.getByText("debug", { exact: true }).first().waitFor({ state: "detached" });
    assert.equal(await lines.count(), 4);
    await page.getByRole("combobox", { name: "Show" }).selectOption("Everything");
    const search = page.getByRole("searchbox", { name: "Search the log" });
    await search.fill("FIRST of");
    await page.getByText(/^8 of \d+$/).waitFor();
    await log.getByText("round 7").first().waitFor({ state: "detached" });
    await search.fill("no line has this");
    await page.getByText(/^None of \d+ lines is one of those/).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.deepEqual(complaints, []);
  });

  test("the messages of a server are recorded on demand, searched, opened and saved", async () => {
    const { page, complaints } = await world.visit("/servers/progress");
    await page.getByText("Records the JSON-RPC requests").waitFor();
    await page.getByRole("button", { name: "Record messages" }).click();
    await page.getByText("No messages yet.").waitFor();
    await post("progress.count", { steps: 1, message: "half way" });
    const table = page.getByRole("log", { name: "Messages of progress" });
    await table.getByRole("row", { name: /sent tools\/call request/ }).waitFor();
    await table.getByRole("row", { name: /received tools\/call result .*ms/ }).waitFor();
    const search = page.getByRole("searchbox", { name: "Search the messages" });
    await search.fill("half way");
    await page.getByText(/^2 of \d+$/).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as JSON lines" }).click();
    assert.equal((await saving).suggestedFilename(), "progress-messages.jsonl");
    await table.getByRole("button", { name: "notifications/progress" }).click();
    const dialog = page.getByRole("dialog", { name: "notifications/progress: notification" });
    await dialog.getByText('"half way"').waitFor();
    await dialog.getByText("received from the server").waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("button", { name: "Record messages" }).waitFor();
    await table.getByRole("button", { name: "notifications/progress" }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test("a server that is asked something is disconnected only by a person who means it", async () => {
    const asked = post("progress.keep_alive", { ms: 120_000 });
    const { page } = await world.visit("/servers/progress");
    // The page hears of the call by itself.
    const pending = (count: string) =>
      page
        .locator("dt", { hasText: "Pending requests" })
        .locator("+ dd", { hasText: count })
        .waitFor();
    await pending("1");
    const disconnect = page.getByRole("button", { name: "Disconnect" }).first();
    const dialog = page.getByRole("dialog", { name: "Disconnect progress?" });
    await disconnect.click();
    await dialog.getByText("1 pending request will fail.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await disconnect.click();
    await dialog.getByRole("button", { name: "Disconnect" }).click();
    assert.equal(((await (await asked).json()) as { ok?: boolean }).ok ?? false, false);
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("progress is connected.").waitFor();
    // While its lists are read, a restart asks first.
    await pending("0");
    await page.getByRole("button", { name: "Restart" }).click();
    await page.getByText("progress was restarted.").waitFor();
  });

  test("a token of your own goes in, is shown to no one, and is forgotten after a question", async () => {
    const { page } = await world.visit("/servers/remote");
    await page.getByText("No token stored.").waitFor();
    await page.getByLabel("Token", { exact: true }).fill("hunter2-hunter2");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Entered by you").waitFor();
    assert.equal(await page.getByLabel("Another token").inputValue(), "");
    assert.doesNotMatch(await (await fetch(`${world.url}/tokens`)).text(), /hunter2/);
    assert.deepEqual(await accessibilityProblems(page), []);
    await page.getByRole("button", { name: "Forget" }).click();
    const dialog = page.getByRole("dialog", { name: "Forget your token for remote?" });
    await dialog.getByRole("button", { name: "Forget" }).click();
    await page.getByText("No token stored.").waitFor();
  });

  test("a conversation is not lost by a slip", async () => {
    const { page } = await world.visit("/chat");
    const again = page.getByRole("button", { name: "New chat" }).first();
    assert.equal(await again.isDisabled(), true);
    await page.getByLabel("Your question").fill("Hello?");
    await page.keyboard.press("Enter");
    await page.getByText("Good morning.").waitFor();
    await again.click();
    await page.getByText("Good morning.").waitFor({ state: "detached" });
    await page.goBack();
    await page.getByText("Good morning.").waitFor();
  });
});
