import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { EraClient } from "../fixtures/era-client.ts";
import { eventually } from "../scenarios/approving.ts";
import { textsOf } from "../scenarios/support.ts";
import { type ApprovingWorld, openApprovingWorld, waitingCard } from "./approving-world.ts";
import { accessibilityProblems, noBrowser } from "./browser.ts";

const phone = { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true };

suite("approving in the browser", { skip: noBrowser }, () => {
  let world: ApprovingWorld;
  before(async () => {
    world = await openApprovingWorld();
  });
  after(() => world[Symbol.asyncDispose]());

  test("a call appears in the open page, is changed and approved, and runs with what was approved", async () => {
    const { page, complaints } = await world.visit("/approvals");
    await page.getByText("No approvals waiting").waitFor();
    await page.getByRole("link", { name: "Ask before a tool runs" }).waitFor();
    const calling = world.call("echo.put_note", { key: "a\u202elive", text: "before" });
    const waiting = waitingCard(page, "echo.put_note");
    await waiting.getByText("before").waitFor();
    await waiting.getByText("aU+202Elive").waitFor();
    assert.match(await page.title(), /^\(1\)/);
    assert.match((await waiting.textContent()) ?? "", /it is not known to only read/);
    await waiting.getByRole("button", { name: "Change" }).click();
    await waiting.getByLabel(/^text /).fill("between");
    await waiting.getByRole("tab", { name: "JSON" }).click();
    const editor = waiting.getByLabel("Edited arguments");
    assert.match(await editor.inputValue(), /"a\\u202elive"/);
    await editor.fill("{");
    assert.equal(await waiting.getByRole("button", { name: /Approve/ }).isDisabled(), true);
    await editor.fill('{"key": "b", "text": "after"}');
    const difference = waiting.getByRole("list", { name: "Your changes" });
    assert.match((await difference.textContent()) ?? "", /before: before.*after: after/);
    assert.deepEqual(await accessibilityProblems(page), []);
    await waiting.getByRole("button", { name: "Approve with changes" }).click();
    const answered = await calling;
    assert.equal(textsOf(answered).at(-1), "stored b");
    await page.getByRole("article", { name: "echo.put_note is answered" }).waitFor();
    await eventually(
      "the title without a number",
      async () => (await page.title()) === "Approvals · Toolplane" || undefined,
    );
    await page.goto(`${world.url}/workbench/calls/${answered.call?.id}`);
    await page.getByRole("definition").getByText("echo (MCP)", { exact: true }).waitFor();
    await page.getByText(/^allow: .+ approved it\. The approval$/).waitFor();
    await page.getByRole("link", { name: "The approval" }).click();
    await page.getByText("echo.put_note no longer waits").waitFor();
    assert.deepEqual(complaints, []);
  });

  test("the card of a caller who has left says so, and a yes runs what no caller waits for", async () => {
    const { page, complaints } = await world.visit("/approvals");
    const client = await EraClient.open(`${world.url}/mcp`, "modern");
    const leaving = new AbortController();
    const params = { name: "echo__put_note", arguments: { key: "gone", text: "words" } };
    const calling = client.exchange("tools/call", params, leaving.signal).catch(() => "left");
    const waiting = waitingCard(page, "echo.put_note");
    await waiting.getByRole("button", { name: "Approve", exact: true }).waitFor();
    leaving.abort();
    assert.equal(await calling, "left");
    await waiting.getByText(/The caller has left.*No caller waits for the result/).waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    await waiting.getByRole("button", { name: "Run it now, no caller waits" }).click();
    await page.getByRole("article", { name: "echo.put_note is answered" }).waitFor();
    await page.getByText("stored gone").first().waitFor();
    assert.deepEqual(complaints, []);
  });

  test("a rejection is shown with its reason, also from a phone", async () => {
    const { page, context } = await world.open("/approvals", phone);
    const calling = world.call("echo.put_note", { key: "c", text: "words" });
    const waiting = waitingCard(page, "echo.put_note");
    await waiting.getByLabel("Reason").fill("not on a Friday");
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
    await waiting.getByRole("button", { name: "Reject" }).click();
    const { ok, error } = await calling;
    assert.equal(ok, false);
    assert.match(error?.message ?? "", /not on a Friday/);
    await page.getByRole("tab", { name: "Answered" }).click();
    await page.getByRole("row", { name: /echo\.put_note rejected/ }).waitFor();
    await context.close();
  });
});
