import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, startServe, writeConfig } from "./support.ts";

type Row = {
  name: string;
  impact: { impact: string; known: boolean };
  overlaid?: true;
  review?: { heldFor: string };
};
type Listed = { total: number; nextCursor: string | null; tools: Row[] };
type Call = {
  id: string;
  tool: string;
  status: string;
  answer?: { status: string; outcome: { callId: string } | null };
};

suite("what the workbench shows", () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let serving: Awaited<ReturnType<typeof startServe>>;
  before(async () => {
    directory = await temporaryDirectory();
    const rules = [{ tool: "echo.put_note", verdict: "ask", reason: "notes are for people" }];
    const config = await writeConfig(directory, { echo: fixture("echo") }, { policy: { rules } });
    serving = await startServe(config, directory.file("data"));
  });
  after(async () => {
    await serving.stop();
    await directory[Symbol.asyncDispose]();
  });

  const ask = async <T>(path: string, method = "GET", body?: object): Promise<T> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(serving.url + path, { method, headers: serving.proof, ...sent });
    return (await response.json()) as T;
  };
  const hold = async (key: string) => {
    const held = await ask<{ call: { id: string }; approval: { id: string } }>(
      "/tools/echo.put_note/call",
      "POST",
      {
        arguments: { key, text: "words" },
      },
    );
    return { call: held.call.id, approval: held.approval.id };
  };

  test("a call that waited tells what became of it, and is no longer among those that wait", async () => {
    const approved = await hold("a");
    const rejected = await hold("b");
    const waiting = await hold("c");
    await ask(`/approvals/${approved.approval}`, "POST", { decision: "approve" });
    await ask(`/approvals/${rejected.approval}`, "POST", { decision: "reject" });
    assert.equal((await ask<Call>(`/calls/${approved.call}`)).status, "succeeded");
    assert.equal((await ask<Call>(`/calls/${rejected.call}`)).status, "refused");
    const { calls } = await ask<{ calls: Call[] }>("/calls?status=waiting");
    assert.deepEqual(
      calls.map(({ id }) => id),
      [waiting.call],
    );
  });

  test("tools tell what a call may do and how that is known, and are found and sorted by it", async () => {
    const { tools } = await ask<Listed>("/tools?view=row");
    const impactOf = (name: string) => tools.find((tool) => tool.name === name)?.impact;
    assert.deepEqual(impactOf("echo.put_note")?.impact, "writes");
    assert.equal(impactOf("echo.put_note")?.known, false);
    assert.equal(impactOf("echo.do_it_now")?.impact, "unknown");
    const writing = await ask<Listed>("/tools?view=row&impact=writes,destroys");
    assert.ok(writing.total > 0 && writing.total < tools.length);
    assert.ok(writing.tools.every(({ impact }) => ["writes", "destroys"].includes(impact.impact)));
    const order = (list: Listed) => list.tools.map(({ name }) => name);
    const first = await ask<Listed>("/tools?view=row&sort=-name&limit=3");
    const next = await ask<Listed>(`/tools?view=row&sort=-name&limit=3&cursor=${first.nextCursor}`);
    assert.deepEqual(
      [...order(first), ...order(next)],
      tools
        .map(({ name }) => name)
        .toSorted()
        .toReversed()
        .slice(0, 6),
    );
    assert.equal((await fetch(`${serving.url}/tools?sort=colour`)).status, 400);
  });

  test("a disabled tool stays in the list of people, is called by none, and is enabled again", async () => {
    await ask("/tools/echo.add?reason=not%20now", "PUT", { enabled: false });
    const held = await ask<Listed>("/tools?view=row&quarantined=true");
    assert.deepEqual(
      held.tools.map(({ name, review, overlaid }) => [name, review?.heldFor, overlaid]),
      [["echo.add", "disabled", true]],
    );
    const refused = await ask<{ code: string }>("/tools/echo.add/call", "POST", {
      arguments: { a: 1, b: 2 },
    });
    assert.equal(refused.code, "TOOL_QUARANTINED");
    await ask("/tools/echo.add", "DELETE");
    const called = await ask<{ ok: boolean }>("/tools/echo.add/call", "POST", {
      arguments: { a: 1, b: 2 },
    });
    assert.equal(called.ok, true);
    const unused = await ask<Listed>("/tools?view=row&unused=true");
    assert.ok(!unused.tools.some(({ name }) => name === "echo.add"));
  });

  test("a server that is disconnected and connected again lists its tools", async () => {
    const { total } = await ask<Listed>("/tools?server=echo");
    await ask("/servers/echo/disconnect", "POST");
    await ask("/servers/echo/connect", "POST");
    assert.equal((await ask<Listed>("/tools?server=echo")).total, total);
  });
});
