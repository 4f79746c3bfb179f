import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, beforeEach, suite, test } from "node:test";
import type { Locator } from "playwright-core";
import { fixture } from "../scenarios/support.ts";
import { accessibilityProblems, noBrowser, openWorld, type Page, type World } from "./browser.ts";

type Rules = { tool: string; verdict: string; reason?: string }[];

const rules: Rules = [
  { tool: "echo.put_note", verdict: "ask", reason: "notes are looked at" },
  { tool: "echo.add", verdict: "allow" },
  { tool: "echo.fail", verdict: "deny" },
];

async function isInWindow(page: Page, what: Locator): Promise<boolean> {
  const box = await what.boundingBox();
  const { height } = page.viewportSize() ?? { height: 0 };
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}

suite("the rules of the policy in the browser", { skip: noBrowser }, () => {
  let world: World;
  let written: string;
  before(async () => {
    world = await openWorld({ echo: fixture("echo") }, { policy: { rules } });
    const text = readFileSync(world.config, "utf8");
    written = text.includes("\n") ? text : JSON.stringify(JSON.parse(text), null, 2);
    written = written.replace(/\{\s*"tool": "echo\.add"/, '// sums\n      { "tool": "echo.add"');
    assert.match(written, /\/\/ sums/);
    for (const a of [1, 2]) await post("/tools/echo.add/call", { arguments: { a, b: 1 } });
  });
  after(() => world[Symbol.asyncDispose]());
  beforeEach(() => writeFileSync(world.config, written));

  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(world.url + path, { method: "POST", headers: world.proof, body: JSON.stringify(body) });
  const saved = () =>
    [...readFileSync(world.config, "utf8").matchAll(/"tool": "([\w.]+)"/g)].map(
      ([, tool]) => tool as string,
    );
  const rule = (page: Page, number: number) =>
    page.getByRole("group", { name: `Rule ${number}`, exact: true });
  const shown = (page: Page, number: number, text: string) =>
    rule(page, number).getByText(text).waitFor();

  test("rules are moved with the keyboard and the mouse, tried on the last calls, and saved with their comments", async () => {
    const { page, complaints } = await world.visit("/policy");
    await rule(page, 2).getByRole("button", { name: "Edit rule 2" }).focus();
    await page.keyboard.press("Alt+ArrowUp");
    await shown(page, 1, "tool echo.add");
    await page.keyboard.press("Alt+ArrowDown");
    await shown(page, 2, "tool echo.add");
    await page.keyboard.press("Alt+ArrowDown");
    await shown(page, 3, "tool echo.add");
    await page.getByText("No verdict of the last 2 calls would change.").waitFor();
    await rule(page, 3).getByRole("button", { name: "Move rule 3 up" }).click();
    await shown(page, 2, "tool echo.add");
    await rule(page, 2).locator("[draggable]").dragTo(rule(page, 1));
    await shown(page, 1, "tool echo.add");
    await rule(page, 1).getByRole("button", { name: "Edit rule 1" }).click();
    await rule(page, 1).getByLabel("Verdict").selectOption("deny");
    const effect = page.getByText("2 verdicts of the last 2 calls would change.");
    await effect.waitFor();
    assert.ok(
      await isInWindow(page, rule(page, 1).getByLabel("Verdict")),
      "what is edited is seen",
    );
    assert.ok(await isInWindow(page, effect), "and what it would change beside it");
    const changes = page.getByRole("group", { name: "Changed verdicts" });
    const name = await changes.locator("tbody tr").first().locator("p").nth(1).boundingBox();
    assert.ok((name?.height ?? 0) <= 20, "the name of a caller is not broken into letters");
    await changes
      .getByRole("row", { name: /echo\.add .*allow.*becomes.*deny/ })
      .first()
      .waitFor();
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.equal(readFileSync(world.config, "utf8"), written, "nothing is saved yet");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("has 3 rules now.").waitFor();
    assert.deepEqual(saved(), ["echo.add", "echo.put_note", "echo.fail"]);
    assert.match(
      readFileSync(world.config, "utf8"),
      /\/\/ sums\n\s*\{\s*"tool": "echo\.add",\s*"verdict": "deny"/,
    );
    const call = await post("/tools/echo.add/call", { arguments: { a: 1, b: 1 } });
    assert.equal(call.status, 403, "it is in force at once");
    assert.deepEqual(complaints, []);
  });

  test("a rule is added, removed and brought back; leaving asks, and a bad rule says where", async () => {
    const { page, complaints } = await world.visit("/policy");
    await rule(page, 1).getByRole("button", { name: "Remove rule 1" }).click();
    await rule(page, 3).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await shown(page, 1, "tool echo.put_note");
    await page.getByRole("button", { name: "Add rule" }).click();
    await rule(page, 1).getByRole("tab", { name: "JSON" }).click();
    await rule(page, 1)
      .getByLabel("Rule", { exact: true })
      .fill('{"tool": "x", "verdict": "perhaps"}');
    await rule(page, 1)
      .getByRole("alert")
      .getByText("verdict must be one of allow, ask, queue, deny")
      .waitFor();
    assert.ok(await page.getByRole("button", { name: "Save", exact: true }).isDisabled());
    await rule(page, 1).getByLabel("Rule", { exact: true }).fill("{oops");
    await rule(page, 1).getByRole("alert").getByText("Invalid JSON").waitFor();
    await page.getByRole("link", { name: "Calls" }).click();
    const asking = page.getByRole("dialog", { name: "Leave without saving?" });
    await asking.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Discard", exact: true }).click();
    await shown(page, 1, "tool echo.put_note");
    // The plane answers a rule that it cannot use with its place.
    assert.deepEqual(
      complaints.filter((text) => !text.includes("400")),
      [],
    );
  });

  test("rules that were changed in the file meanwhile are shown and not overwritten", async () => {
    const { page } = await world.visit("/policy");
    await rule(page, 1).getByRole("button", { name: "Move rule 1 down" }).click();
    await shown(page, 2, "tool echo.put_note");
    writeFileSync(world.config, written.replace("echo.fail", "echo.throw"));
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const conflict = page.getByRole("alert").filter({ hasText: "were changed meanwhile" });
    await conflict.getByText("echo.throw").waitFor();
    assert.deepEqual(saved(), ["echo.put_note", "echo.add", "echo.throw"]);
    await conflict.getByRole("button", { name: "Keep mine" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("has 3 rules now.").waitFor();
    assert.deepEqual(saved(), ["echo.add", "echo.put_note", "echo.fail"]);
  });

  test("an approval becomes the first rule of the draft, with what it would change", async () => {
    await post("/tools/echo.put_note/call", { arguments: { key: "list", text: "milk" } });
    const { page, complaints } = await world.visit("/approvals");
    await page.getByRole("button", { name: "Make a rule" }).first().click();
    await page.getByRole("dialog").getByLabel("Reason").fill("notes are harmless");
    await page.getByRole("button", { name: "Add to the policy" }).click();
    await shown(page, 1, "notes are harmless");
    assert.ok(!page.url().includes("rule="));
    await page.getByText("1 verdict of the last").waitFor();
    await page.getByRole("row", { name: /echo\.put_note .*ask.*becomes.*allow/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test("a tool that runs at once is asked about from then on: Try leads to a rule, and the rule back to Try", async () => {
    const { page, complaints } = await world.visit("/try?tool=echo.write_note");
    await page.getByRole("link", { name: "Ask before it runs" }).click();
    await shown(page, 1, "tool echo.write_note");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("button", { name: "Try echo.write_note" }).click();
    await page.getByLabel(/^text /).fill("before");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const waiting = page.getByRole("article", { name: "echo.write_note waits for approval" });
    await waiting.getByRole("button", { name: "Change" }).click();
    await waiting.getByLabel(/^text /).fill("after");
    await waiting.getByRole("button", { name: "Approve with changes" }).click();
    await page.getByText("by echo").waitFor();
    const history = page.locator("section", {
      has: page.getByRole("heading", { name: "History" }),
    });
    await history.getByText("succeeded").waitFor();
    assert.deepEqual(complaints, []);
  });

  test("without the link of the terminal rules are seen and not changed", async () => {
    const { page } = await world.visit("/policy#");
    await shown(page, 1, "tool echo.put_note");
    assert.ok(await page.getByRole("button", { name: "Add rule" }).isDisabled());
    await page.getByText("To unlock changes").waitFor();
    assert.equal(await rule(page, 1).getByRole("button").count(), 0);
  });
});
