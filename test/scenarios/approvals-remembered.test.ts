import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { approvalIn, put, putRoute, serveEcho } from "./approving.ts";

const guarded = { policy: { profile: "guarded" } };

suite("a yes for more than one call", { concurrency: 3 }, () => {
  test("a yes is remembered for the tool, for the server and for a conversation, and can be taken back", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, guarded);
    const say = async (body: object, remember: object) =>
      plane.ask(`POST /approvals/${approvalIn(await plane.ask(putRoute, body))}`, {
        decision: "approve",
        remember,
      });
    await say(put("a", { conversation: "one" }), { for: "tool", conversation: true });
    assert.equal((await plane.ask(putRoute, put("b", { conversation: "one" }))).status, 200);
    assert.equal((await plane.ask(putRoute, put("c", { conversation: "two" }))).status, 202);
    await say(put("d"), { for: "arguments" });
    assert.equal((await plane.ask(putRoute, put("d"))).status, 200);
    assert.equal((await plane.ask(putRoute, put("e"))).status, 202);
    await say(put("f"), { for: "server", forMs: 3_600_000 });
    const other = await plane.ask("POST /tools/echo.write_note/call", { arguments: { text: "t" } });
    assert.equal(other.status, 200);
    const { calls } = (await plane.ask("GET /calls?tool=echo.write_note")).body as {
      calls: { approval: { origin: string } }[];
    };
    assert.equal(calls[0]?.approval.origin, "user_auto");
    const { remembered } = (await plane.ask("GET /approvals/remembered")).body as {
      remembered: { id: string; server: string | null }[];
    };
    assert.equal(remembered.length, 3);
    const ofServer = remembered.find(({ server }) => server === "echo");
    const forgotten = await plane.ask(`DELETE /approvals/remembered/${ofServer?.id}`);
    assert.deepEqual(forgotten.body, { ok: true });
    assert.equal((await plane.ask(putRoute, put("g"))).status, 202);
  });

  test("what a rule of the operator asks about is asked every time, whatever is remembered", async () => {
    await using directory = await temporaryDirectory();
    const rules = [{ tool: "echo.put_note", verdict: "ask" }];
    await using plane = await serveEcho(directory, { policy: { profile: "guarded", rules } });
    const held = await plane.ask("POST /tools/echo.write_note/call", { arguments: { text: "t" } });
    const remember = { for: "server" };
    await plane.ask(`POST /approvals/${approvalIn(held)}`, { decision: "approve", remember });
    const forced = await plane.ask(putRoute, put("k"));
    assert.equal(forced.status, 202);
    await plane.ask(`POST /approvals/${approvalIn(forced)}`, {
      decision: "approve",
      remember: { for: "tool" },
    });
    assert.equal((await plane.ask(putRoute, put("k"))).status, 202);
  });

  test("consent is asked for once in a conversation", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, { server: { requires_consent: true } });
    const inTalk = (conversation: string) => plane.ask(putRoute, put("k", { conversation }));
    const id = approvalIn(await inTalk("one"));
    await plane.ask(`POST /approvals/${id}`, { decision: "approve" });
    assert.equal((await inTalk("one")).status, 200);
    assert.equal((await inTalk("two")).status, 202);
  });
});
