import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { startOAuth } from "../contracts/signing-in.ts";
import { startScriptedModel } from "../fixtures/llm-script.ts";
import { fixture } from "../scenarios/support.ts";
import { noBrowser, openWorld, type World } from "./browser.ts";

const hostile = '<img src=x onerror="globalThis.broken=1">';

function post(world: World, path: string, body: unknown): Promise<Response> {
  return fetch(world.url + path, { method: "POST", body: JSON.stringify(body) });
}

suite("operating a plane from the browser", { skip: noBrowser }, () => {
  test("a server is disconnected, connected and examined, and what is broken says how to mend it", async () => {
    await using world = await openWorld({ echo: fixture("echo"), lost: { command: "no-such-program" } });
    const { page, complaints } = await world.open("/servers");
    await page.getByRole("button", { name: "Disconnect echo" }).click();
    await page.getByRole("button", { name: "Connect echo" }).click();
    await page.getByRole("button", { name: "Disconnect echo" }).waitFor();
    await page.getByRole("link", { name: "lost", exact: true }).click();
    await page.getByRole("button", { name: "Examine" }).click();
    await page
      .getByText(/^Fix: /)
      .first()
      .waitFor();
    await page.getByRole("link", { name: "← All servers" }).click();
    await page.getByRole("link", { name: "echo", exact: true }).click();
    await page.getByText("17 in the catalogue").waitFor();
    assert.deepEqual(complaints, []);
  });

  test("where nobody has to prove anything, adding a server is a command to copy", async () => {
    await using world = await openWorld({ echo: fixture("echo") });
    const { page } = await world.open("/servers");
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("tab", { name: "Paste JSON" }).click();
    const pasted = {
      mcpServers: { notes: { command: "npx", args: ["-y", "notes server"], env: { A: "1" } } },
    };
    await page.getByLabel("Configuration").fill(JSON.stringify(pasted));
    await page.getByText("toolplane servers add notes --env 'A=1' -- npx '-y' 'notes server'").waitFor();
    assert.doesNotMatch(readFileSync(world.config, "utf8"), /notes/);
  });

  test("a call that somebody makes appears by itself, with where its time went", async () => {
    await using world = await openWorld({ echo: fixture("echo") });
    const { page } = await world.open("/calls");
    await page.getByText("Nobody has called a tool yet").waitFor();
    await post(world, "/tools/echo.add/call", { arguments: { a: 1, b: 2 } });
    await page.getByRole("link", { name: "echo.add" }).click();
    await page.getByRole("list", { name: "Stages of the call" }).getByText("execute").waitFor();
    await page.getByText("a, b (values are not kept)").waitFor();
    await page.getByRole("link", { name: "← All calls" }).click();
    await page.getByLabel("Status").selectOption("failed");
    await page.getByText("No call fits").waitFor();
    assert.match(page.url(), /status=failed/);
  });

  test("many tabs hear of what happens through one connection, and the next goes on when it is closed", async () => {
    await using world = await openWorld({ echo: fixture("echo") });
    const { page: first, context } = await world.open("/calls");
    await first.getByText("Nobody has called a tool yet").waitFor();
    const others = [];
    for (let at = 0; at < 7; at += 1) {
      const tab = await context.newPage();
      await tab.goto(`${world.url}/workbench/calls`);
      await tab.getByText("Nobody has called a tool yet").waitFor();
      others.push(tab);
    }
    await first.close();
    await post(world, "/tools/echo.add/call", { arguments: { a: 1, b: 2 } });
    for (const tab of others) await tab.getByRole("link", { name: "echo.add" }).waitFor();
  });

  test("when the plane is gone the page says so, and when it is back it goes on", async () => {
    await using world = await openWorld({ echo: fixture("echo") });
    const { page } = await world.open("/calls");
    await page.getByText("Nobody has called a tool yet").waitFor();
    const startAgain = await world.stopPlane();
    await page.getByText("The plane does not answer; what you see may be old.").waitFor();
    await startAgain();
    await page.getByText("The plane does not answer").waitFor({ state: "detached" });
    await post(world, "/tools/echo.add/call", { arguments: { a: 1, b: 2 } });
    await page.getByRole("link", { name: "echo.add" }).waitFor();
  });

  test("what an agent did is read as a conversation, with each call beside its result", async () => {
    await using model = await startScriptedModel({
      responses: [
        {
          kind: "tools",
          reasoning: "I add them.",
          calls: [{ name: "echo__add", arguments: { a: 40, b: 2 } }],
        },
        { kind: "text", text: `It is 42. ${hostile}` },
      ],
    });
    await using world = await openWorld(
      { echo: fixture("echo") },
      { models: { default: { baseURL: model.url, model: "scripted" } } },
    );
    await post(world, "/agent", { question: "What is 40 and 2?", trace: "all_messages" });
    const { page, complaints } = await world.open("/calls?view=runs");
    await page.getByRole("link", { name: "What is 40 and 2?" }).click();
    await page.getByText("I add them.").waitFor();
    await page.getByText(hostile).waitFor();
    await page.getByRole("list", { name: "Turns and calls" }).getByText("echo.add").waitFor();
    await page.getByRole("link", { name: "Record" }).click();
    await page.getByRole("link", { name: "The conversation it was made in" }).click();
    await page.getByText("I add them.").waitFor();
    assert.equal(await page.evaluate("globalThis.broken"), undefined);
    assert.deepEqual(complaints, []);
  });

  test("signing in to a server goes to another tab, and the server is there afterwards", async () => {
    await using oauth = await startOAuth();
    await using world = await openWorld({ remote: { url: oauth.url, auth: { type: "oauth" } } });
    const { page, context } = await world.open("/servers/remote");
    const opened = context.waitForEvent("page");
    await page.getByRole("button", { name: "Sign in" }).click();
    await (await opened).getByText("Signed in to 'remote'. You can close this window.").waitFor();
    await page.getByRole("button", { name: /^(Connect|Disconnect)$/ }).waitFor();
    if (await page.getByRole("button", { name: "Connect", exact: true }).isVisible())
      await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByRole("button", { name: "Disconnect" }).waitFor();
  });

  test("a dead letter is looked at, noted and settled, and a risky retry asks first", async () => {
    await using world = await openWorld({ fault: fixture("fault") });
    await post(world, "/tools/fault.drop_after_receipt/call", { arguments: { times: 9 } });
    const { page } = await world.open("/dead-letters");
    await page.getByRole("button", { name: "fault.drop_after_receipt" }).click();
    await page.getByRole("button", { name: "Call again" }).click();
    await page.getByText("If it has, it runs twice.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Note").fill("sent by hand");
    await page.getByRole("button", { name: "Taken care of" }).click();
    await page.getByText("None is pending").waitFor();
    const { deadLetters } = (await (await fetch(`${world.url}/dead-letters`)).json()) as {
      deadLetters: { status: string; history: { note: string | null }[] }[];
    };
    assert.equal(deadLetters[0]?.status, "resolved");
    assert.equal(deadLetters[0]?.history.at(-1)?.note, "sent by hand");
  });

  test("a verdict is tested without a call", async () => {
    const rules = [{ tool: "echo.add", arguments: { a: "7" }, verdict: "deny", reason: hostile }];
    await using world = await openWorld({ echo: fixture("echo") }, { policy: { rules } });
    const { page } = await world.open("/policy");
    await page.getByText(hostile).waitFor();
    await page.getByLabel("Tool").fill("echo.add");
    await page.getByLabel("Arguments").fill('{"a": "7", "b": 1}');
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText("It would be refused.").waitFor();
    await page.getByLabel("Arguments").fill('{"a": 8, "b": 1}');
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText("It would run.").waitFor();
    await page.getByLabel("Arguments").fill("{oops");
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText(/The arguments are no JSON/).waitFor();
    assert.equal(await page.evaluate("globalThis.broken"), undefined);
    const { calls } = (await (await fetch(`${world.url}/calls`)).json()) as { calls: unknown[] };
    assert.deepEqual(calls, []);
  });

  test("the configuration is shown with its lines, and no secret in it", async () => {
    const secret = "hunter2-hunter2-hunter2";
    await using world = await openWorld({ echo: { ...fixture("echo"), env: { API_TOKEN: secret } } });
    const { page } = await world.open("/settings");
    await page.getByRole("tab", { name: "Configuration" }).click();
    await page.getByText("servers.echo.command").waitFor();
    await page
      .getByText(/toolplane\.json:1/)
      .first()
      .waitFor();
    assert.ok(!(await page.content()).includes(secret));
  });
});
