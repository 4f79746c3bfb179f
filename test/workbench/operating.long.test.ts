import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { startOAuth } from "../contracts/signing-in.ts";
import { type Script, type ScriptedModel, startScriptedModel } from "../fixtures/llm-script.ts";
import { fixture } from "../scenarios/support.ts";
import { noBrowser, openWorld, type World } from "./browser.ts";

const hostile = '<img src=x onerror="globalThis.broken=1">';
const secret = "hunter2-hunter2-hunter2";
const rules = [
  { tool: "echo.add", arguments: { a: "7" }, verdict: "deny", reason: hostile },
  { tool: "echo.write_note", verdict: "ask", reason: "notes are looked at" },
];

/** A sum, a note that has to be asked about, and an answer with more to say than there is room for. */
const script: Script = [
  {
    kind: "tools",
    reasoning: "I add them.",
    calls: [
      { name: "echo__add", arguments: { a: 40, b: 2 } },
      { name: "echo__write_note", arguments: { text: "42" } },
    ],
  },
  { kind: "text", text: `It is 42. ${hostile}`, finish: "length" },
];

/** One plane and one browser for all of them: each looks at tools that no other calls, and the last stops the plane. */
suite("operating a plane from the browser", { skip: noBrowser }, () => {
  let world: World;
  let model: ScriptedModel;
  let oauth: Awaited<ReturnType<typeof startOAuth>>;
  before(async () => {
    [model, oauth] = await Promise.all([startScriptedModel({ responses: script }), startOAuth()]);
    world = await openWorld(
      {
        echo: { ...fixture("echo"), env: { API_TOKEN: secret } },
        fault: fixture("fault"),
        lost: { command: "no-such-program" },
        remote: { url: oauth.url, auth: { type: "oauth" } },
      },
      {
        models: { default: { baseURL: model.url, model: "scripted" } },
        toolsets: { sums: { providers: ["echo", "lost"], allow_tools: ["add", "write_note"] } },
        policy: { rules },
      },
    );
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await model.close();
    await oauth[Symbol.asyncDispose]();
  });

  const post = (path: string, body: unknown): Promise<Response> =>
    fetch(world.url + path, { method: "POST", headers: world.proof, body: JSON.stringify(body) });
  const countCalls = async () =>
    ((await (await fetch(`${world.url}/calls`)).json()) as { calls: unknown[] }).calls.length;

  test("a server is disconnected, connected and examined, and what is broken says how to mend it", async () => {
    const { page, complaints } = await world.visit("/servers");
    await page.getByRole("button", { name: "Disconnect echo" }).click();
    await page.getByRole("button", { name: "Connect echo", exact: true }).click();
    await page.getByRole("button", { name: "Disconnect echo" }).waitFor();
    await page.getByRole("link", { name: "lost", exact: true }).click();
    await page.getByRole("button", { name: "Run diagnostics" }).click();
    await page
      .getByText(/^Fix: /)
      .first()
      .waitFor();
    await page.getByRole("link", { name: "← All servers" }).click();
    await page.getByRole("link", { name: "echo", exact: true }).click();
    await page.getByText("17 in the catalogue").waitFor();
    assert.deepEqual(complaints, []);
  });

  test("on a phone the error of a server is read whole, and that nothing waits is said in the middle", async () => {
    const { page } = await world.visit("/servers", { viewport: { width: 390, height: 800 } });
    const error = page
      .getByRole("row", { name: /^lost/ })
      .getByText(/'no-such-program' was not found/);
    await error.filter({ visible: true }).waitFor();
    const [cut] = await error
      .filter({ visible: true })
      .evaluateAll((found) =>
        found.map(({ parentElement: cell }) => (cell?.scrollWidth ?? 0) > (cell?.clientWidth ?? 0)),
      );
    assert.equal(cut, false);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${world.url}/workbench/approvals`);
    const said = await page.getByText("No approvals waiting").boundingBox();
    const tabs = await page.getByRole("tablist").boundingBox();
    assert.ok(said && tabs);
    const offCentre = said.x + said.width / 2 - (tabs.x + tabs.width / 2);
    assert.ok(Math.abs(offCentre) < 2, `${offCentre} px off the centre`);
  });

  test("a server is added by who has the link of the terminal; others get a command to copy", async () => {
    const { page, complaints } = await world.visit("/servers#");
    await page.getByText("To approve calls and change things").waitFor();
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("tab", { name: "Paste JSON" }).click();
    const entry = { command: "npx", args: ["-y", "notes server"], env: { A: "1" } };
    await page.getByLabel("Configuration").fill(JSON.stringify({ mcpServers: { notes: entry } }));
    await page
      .getByText("toolplane servers add notes --env 'A=1' -- npx '-y' 'notes server'")
      .waitFor();
    const { status } = await fetch(`${world.url}/servers/notes`, {
      method: "PUT",
      headers: { "x-toolplane-face": "workbench", "sec-fetch-site": "same-origin" },
      body: JSON.stringify(entry),
    });
    assert.equal(status, 403);
    await page
      .getByLabel("Configuration")
      .fill(JSON.stringify({ mcpServers: { notes: fixture("state") } }));
    const link = page.getByLabel("The link from the terminal");
    await link.fill(`${world.url}/workbench/#pass=guessed`);
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByText("Not this plane's link.").waitFor();
    assert.doesNotMatch(readFileSync(world.config, "utf8"), /"notes"/);
    await link.fill(`${world.url}/workbench/${world.pass}`);
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.getByRole("button", { name: "Add notes" }).click();
    await page.getByRole("link", { name: "notes", exact: true }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("notes is removed.").waitFor();
    assert.doesNotMatch(readFileSync(world.config, "utf8"), /"notes"/);
    assert.ok(
      !(await page.evaluate<string>("JSON.stringify(localStorage)")).includes(world.pass.slice(6)),
    );
    assert.deepEqual(
      complaints.filter((text) => !/status of 40[14]/.test(text)),
      [],
    );
    // The link itself is enough, and the address forgets the word.
    await world.visit("/servers");
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("tab", { name: "Form" }).click();
    await page.getByLabel("Name").fill("files");
    await page.getByLabel("Command").fill("npx");
    await page.getByRole("button", { name: "Add files" }).waitFor();
    assert.equal(new URL(page.url()).hash, "");
  });

  test("a call that a client makes appears by itself, with where its time went", async () => {
    const { page } = await world.visit("/calls?tool=echo.echo_all");
    await page.getByText("No calls match").waitFor();
    await post("/tools/echo.echo_all/call", { arguments: { message: "hi" } });
    await page.getByRole("link", { name: "echo.echo_all" }).click();
    await page.getByRole("list", { name: "Stages of the call" }).getByText("execute").waitFor();
    await page.getByText("Arguments given: message.").waitFor();
    await page.getByRole("link", { name: "← All calls" }).click();
    await page.getByLabel("Status").selectOption("failed");
    await page.getByText("No calls match").waitFor();
    assert.match(page.url(), /status=failed/);
    await page.goto(`${world.url}/workbench/calls/no-such-call`);
    await page.getByText("It is not here").waitFor();
    await page.getByRole("link", { name: "← All calls" }).waitFor();
  });

  test("a call that was made before the page could hear of it appears as soon as it can", async () => {
    const context = await world.browser.newContext();
    const page = await context.newPage();
    const called = Promise.withResolvers<void>();
    await page.route("**/events", async (route) => {
      await called.promise;
      await route.continue();
    });
    await page.goto(`${world.url}/workbench/calls?tool=echo.whoami_server`);
    await page.getByText("No calls match").waitFor();
    await post("/tools/echo.whoami_server/call", { arguments: {} });
    called.resolve();
    await page.getByRole("link", { name: "echo.whoami_server" }).waitFor();
    await context.close();
  });

  test("a page that begins asks for each thing once, and after a call only for what it changes", async () => {
    const context = await world.browser.newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    page.on("request", (request) => {
      if (request.resourceType() === "fetch") asked.push(new URL(request.url()).pathname);
    });
    const opened = page.waitForResponse("**/events");
    await page.goto(`${world.url}/workbench/calls?tool=echo.env`);
    await page.getByText("No calls match").waitFor();
    await opened;
    await post("/tools/echo.env/call", { arguments: {} });
    await page.getByRole("link", { name: "echo.env" }).waitFor();
    const once = [
      "/approvals",
      "/dead-letters",
      "/events",
      "/plans",
      "/questions",
      "/runs/running",
      "/servers",
      "/session",
    ];
    // What runs is asked for when a call begins and when it ends, which may be at once.
    const others = asked.filter((path) => path !== "/calls/running");
    assert.deepEqual(others.toSorted(), ["/calls", "/calls", ...once].toSorted());
    await context.close();
  });

  test("an answer from before a call that comes after it does not hide the call", async () => {
    const path = "/calls?tool=echo.falsy";
    const { page: first, context } = await world.visit(path);
    await first.getByText("No calls match").waitFor();
    const second = await context.newPage();
    const answered = Promise.withResolvers<void>();
    const called = Promise.withResolvers<void>();
    await second.route(
      ({ pathname }) => pathname === "/calls",
      async (route) => {
        const response = await route.fetch();
        answered.resolve();
        await called.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await second.goto(`${world.url}/workbench${path}`, { waitUntil: "commit" });
    await answered.promise;
    await post("/tools/echo.falsy/call", { arguments: {} });
    // The first tab tells the second what it hears.
    await first.getByRole("link", { name: "echo.falsy" }).waitFor();
    called.resolve();
    await second.getByRole("link", { name: "echo.falsy" }).waitFor();
    await second.close();
  });

  test("many tabs hear of what happens through one connection, and the next goes on when it is closed", async () => {
    const path = "/calls?tool=echo.cwd";
    const { page: first, context } = await world.open(path);
    await first.getByText("No calls match").waitFor();
    const openTab = async () => {
      const tab = await context.newPage();
      await tab.goto(`${world.url}/workbench${path}`);
      await tab.getByText("No calls match").waitFor();
      return tab;
    };
    // One more than a browser opens connections to a host.
    const others = await Promise.all(Array.from({ length: 6 }, openTab));
    await first.close();
    await post("/tools/echo.cwd/call", { arguments: {} });
    await Promise.all(others.map((tab) => tab.getByRole("link", { name: "echo.cwd" }).waitFor()));
    await context.close();
  });

  test("what an agent did is read as a conversation, with each call beside its result and what is missing", async () => {
    await post("/agent", { question: "What is 40 and 2?", toolset: "sums", trace: "all_messages" });
    const { page, complaints } = await world.visit("/calls?view=runs");
    await page.getByLabel("Outcome").selectOption("failed");
    await page.getByText("No run ended like that").waitFor();
    await page.getByLabel("Outcome").selectOption("");
    await page.getByRole("link", { name: "What is 40 and 2?" }).click();
    await page.getByText("I add them.").waitFor();
    await page.getByText(hostile).waitFor();
    await page.getByRole("list", { name: "Turns and calls" }).getByText("echo.add").waitFor();
    const marks = page.getByRole("list", { name: "Notes on this run" });
    await marks.getByText("The answer is truncated").waitFor();
    await marks.getByText("The server lost was unavailable").waitFor();
    await page.getByText("output limit reached (length)").first().waitFor();
    await page.getByRole("link", { name: "Record" }).first().click();
    await page.getByRole("link", { name: "What it was asked" }).click();
    await marks.getByRole("link", { name: "Decide" }).click();
    await page
      .getByRole("article", { name: "echo.write_note waits for approval" })
      .getByRole("button", { name: "Reject" })
      .click();
    await page.getByRole("article", { name: "echo.write_note is answered" }).waitFor();
    assert.equal(await page.evaluate("globalThis.broken"), undefined);
    assert.deepEqual(complaints, []);
  });

  test("signing in to a server goes to another tab, and the server is there afterwards", async () => {
    const { page, context } = await world.visit("/servers/remote");
    const opening = context.waitForEvent("page");
    await page.getByRole("button", { name: "Sign in" }).click();
    const opened = await opening;
    await opened.getByText("Signed in to 'remote'. You can close this window.").waitFor();
    await opened.close();
    await page.getByRole("button", { name: /^(Connect|Disconnect)$/ }).waitFor();
    if (await page.getByRole("button", { name: "Connect", exact: true }).isVisible())
      await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByRole("button", { name: "Disconnect" }).waitFor();
  });

  test("a dead letter is looked at, noted and settled, and a risky retry asks first", async () => {
    await post("/tools/fault.drop_after_receipt/call", { arguments: { times: 9 } });
    const { page } = await world.visit("/dead-letters");
    const entry = page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: /^Dead letters/ });
    await entry.getByText("1 waiting").waitFor();
    await page.getByRole("button", { name: "fault.drop_after_receipt" }).click();
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByText("If it did, it runs twice.").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Note").fill("sent by hand");
    await page.getByRole("button", { name: "Mark resolved" }).click();
    await page.getByText("No dead letters are pending").waitFor();
    await entry.getByText("1 waiting").waitFor({ state: "detached" });
    const { deadLetters } = (await (await fetch(`${world.url}/dead-letters`)).json()) as {
      deadLetters: { status: string; history: { note: string | null }[] }[];
    };
    assert.equal(deadLetters[0]?.status, "resolved");
    assert.equal(deadLetters[0]?.history.at(-1)?.note, "sent by hand");
    await page.getByLabel("Status").selectOption("resolved");
    await page.getByRole("button", { name: "fault.drop_after_receipt" }).click();
    const address = page.url();
    await page.goto("about:blank");
    await page.goto(address);
    await page.getByRole("dialog").getByText("sent by hand").waitFor();
  });

  test("a verdict is tested without a call", async () => {
    const calls = await countCalls();
    const { page } = await world.visit("/policy?tool=echo.add");
    await page.getByText(hostile).waitFor();
    assert.equal(await page.getByLabel("Tool").inputValue(), "echo.add");
    await page.getByLabel("Arguments").fill('{"a": "7", "b": 1}');
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText("It would be refused.").waitFor();
    await page.getByRole("status").getByText("rule 1", { exact: true }).waitFor();
    await page.getByLabel("Arguments").fill('{"a": 8, "b": 1}');
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText("It would run.").waitFor();
    await page.getByLabel("Arguments").fill("{oops");
    await page.getByRole("button", { name: "Test" }).click();
    await page.getByText(/Arguments: invalid JSON/).waitFor();
    assert.equal(await page.evaluate("globalThis.broken"), undefined);
    assert.equal(await countCalls(), calls);
  });

  test("the configuration is shown with its lines, and no secret in it", async () => {
    const { page } = await world.visit("/settings");
    await page.getByText("servers.echo.command").waitFor();
    await page
      .getByText(/toolplane\.json:1/)
      .first()
      .waitFor();
    assert.ok(!(await page.content()).includes(secret));
    await page.getByRole("tab", { name: "You" }).click();
    await page.waitForURL(/view=you/);
  });

  test("when the plane is gone the page says so, and when it is back it goes on", async () => {
    const { page } = await world.visit("/calls?tool=echo.pid");
    await page.getByText("No calls match").waitFor();
    const startAgain = await world.stopPlane();
    await page.getByText("The plane does not answer; what you see may be old.").waitFor();
    await startAgain();
    await page.getByText("The plane does not answer").waitFor({ state: "detached" });
    await post("/tools/echo.pid/call", { arguments: {} });
    await page.getByRole("link", { name: "echo.pid" }).waitFor();
  });
});
