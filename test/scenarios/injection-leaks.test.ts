import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { createPlane, type PlaneEvent, principalOf } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { callsAt, fixture, runCli, startServe, writeConfig } from "./support.ts";

const secret = "zebra-crossing-42";
const user = "marguerite.dupont@example.org";
const inject = [
  "_mcp_data",
  { parameter: "username", from: "persona" },
  { parameter: "_user", from: "constant", value: secret },
];
const hidden = [secret, "Xanthippe", "available_servers", "token=tk-99", "only-for-the-server"];
const overlays = { "insider.open": { arguments: [{ name: "q", fixed: "only-for-the-server" }] } };
const persona = "Xanthippe";

/** The whole database as text: every row of every table, whatever it is called. */
function everyRow(file: string): string {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const rows = tables.map(({ name }) => database.prepare(`SELECT * FROM "${name}"`).all());
  database.close();
  return JSON.stringify(rows);
}

/** Personas know who they are: only what servers get besides is looked for. */
function assertHidden(where: string, output: string, except: readonly string[] = []): void {
  for (const value of hidden.filter((one) => !except.includes(one))) {
    const at = output.indexOf(value);
    assert.equal(at, -1, `${value} in ${where}: ${output.slice(Math.max(0, at - 120), at + 80)}`);
  }
}

suite("injected values are in nothing that people or models read", () => {
  test("in no event, record, approval, dead letter, activity, error or row of the store", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const mcpServers = { insider: fixture("insider", ["--log", log], { inject, trusted: true }) };
    const data = directory.file("data");
    const plane = await createPlane({
      config: {
        mcpServers,
        overlays,
        policy: { rules: [{ tool: "insider.closed", verdict: "ask", reason: "looked at first" }] },
      },
      dataDirectory: data,
    });
    const events: PlaneEvent[] = [];
    for (const type of ["tool.call", "tool.result", "tool.progress", "tool.retry"] as const)
      plane.on(type, (event) => void events.push(event));
    const caller = principalOf({ user, persona });
    const views: unknown[] = [];
    const outcomes = [];
    for (const tool of ["complain", "fail", "report"]) {
      outcomes.push(await plane.call(`insider.${tool}`, { q: "x" }, { principal: caller }));
    }
    const held = await plane.call("insider.closed", { q: "x" }, { principal: caller });
    outcomes.push(held);
    const edited = await plane.call(
      "insider.closed",
      { q: "x" },
      {
        principal: caller,
        askHere: async (view) => {
          views.push(view);
          return { decision: "reject", reason: "no" };
        },
      },
    );
    outcomes.push(edited, await plane.call("insider.open", {}, { principal: caller }));
    views.push(
      await plane.approvals.list(),
      await plane.calls.activity(),
      await plane.calls.list(),
      await plane.deadLetters.page(),
    );
    views.push(
      await plane.events.list(0, 1_000),
      await plane.tools.list(),
      await plane.registry.changes(),
    );
    const opened = outcomes.pop();
    await plane.stop();

    assert.ok(callsAt(log).length >= 4, "what is not sent cannot leak");
    assert.ok(JSON.stringify(callsAt(log)).includes(secret));
    assert.match(JSON.stringify(opened?.result), /only-for-the-server/);
    const byName = [persona];
    assertHidden("the outcomes", JSON.stringify(outcomes));
    assertHidden("the events", JSON.stringify(events));
    assertHidden("what can be looked at", JSON.stringify(views), byName);
    assertHidden("the store", everyRow(`${data}/toolplane.db`), byName);
    assert.match(JSON.stringify(views), /"_user":"«set by the system»"/);
  });

  test("what hooks read before a call holds the caller's arguments alone", async () => {
    await using directory = await temporaryDirectory();
    const heard = directory.file("hook.txt");
    const save = `const fs = require("fs"); fs.appendFileSync(${JSON.stringify(heard)}, fs.readFileSync(0))`;
    const hook = [{ name: "ears", command: [process.execPath, "-e", save], timeout_ms: 20_000 }];
    const mcpServers = { insider: fixture("insider", [], { inject, trusted: true }) };
    await using plane = await createPlane({
      config: { mcpServers, overlays, hooks: { PermissionRequest: hook, PreToolUse: hook } },
    });
    const outcome = await plane.call(
      "insider.open",
      { more: 1 },
      { principal: principalOf({ user }) },
    );
    assert.equal(outcome.ok, true, JSON.stringify(outcome.error));
    assertHidden("the hooks", readFileSync(heard, "utf8"));
    assert.match(readFileSync(heard, "utf8"), /"more":1/);
  });

  test("over HTTP and on the command line neither", async () => {
    await using directory = await temporaryDirectory();
    const mcpServers = { insider: fixture("insider", [], { inject, trusted: true }) };
    const config = await writeConfig(directory, mcpServers, { overlays });
    const data = directory.file("data");
    const place = ["--config", config, "--data-dir", data, "--persona", persona];
    const serving = await startServe(config, data);
    const answers: string[] = [];
    for (const tool of ["complain", "fail"]) {
      const answer = await fetch(`${serving.url}/tools/insider.${tool}/call`, {
        method: "POST",
        body: "{}",
      });
      answers.push(await answer.text());
    }
    for (const path of [
      "/tools",
      "/tools/insider.open",
      "/calls",
      "/dead-letters",
      "/approvals?status=all",
      "/tools/changes",
    ])
      answers.push(await (await fetch(serving.url + path)).text());
    await serving.stop();
    assertHidden("the HTTP answers", answers.join("\n"));

    for (const words of [
      ["call", "insider.complain", "q=x"],
      ["call", "insider.fail", "q=x", "--json"],
      ["tools", "show", "insider.open"],
      ["tools", "list", "--json"],
      ["tools", "export", "--format", "mcp"],
      ["config", "show", "--json"],
      ["dead-letters", "list", "--json"],
    ]) {
      const said = await runCli([...words, ...place]);
      assertHidden(words.join(" "), said.stdout + said.stderr, [persona]);
    }
  });
});
