import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Outcome } from "../../src/index.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import {
  approvalIn,
  approvalsIn,
  eventually,
  outcomeIn,
  put,
  putRoute,
  serveEcho,
} from "./approving.ts";
import { callsAt, errorOf, textsOf } from "./support.ts";

const guarded = { policy: { profile: "guarded" } };
const asking = {
  policy: { rules: [{ tool: "echo.put_*", verdict: "ask", reason: "puts are looked at" }] },
};

suite("approvals over HTTP", { concurrency: 3 }, () => {
  test("a call that waits says where to look, runs once it is approved, and is answered once", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, asking);
    const held = await plane.ask(putRoute, put("k"));
    const id = approvalIn(held);
    assert.deepEqual([held.status, held.headers.get("location")], [202, `/approvals/${id}`]);
    assert.deepEqual(callsAt(plane.log), []);
    const { body: shown } = await plane.ask(`GET /approvals/${id}`);
    assert.deepEqual(
      [shown.status, shown.tool, shown.shown, shown.adminRequired, shown.allowEdit],
      ["pending", "echo.put_note", { key: "k", text: "words" }, true, true],
    );
    const answered = await plane.ask(`POST /approvals/${id}`, { decision: "approve" });
    assert.deepEqual(textsOf(outcomeIn(answered)), ["stored k"]);
    const again = await plane.ask(`POST /approvals/${id}`, { decision: "reject" });
    assert.deepEqual([again.status, again.body.code], [409, "CONFLICT"]);
    const unknown = await plane.ask("POST /approvals/none", { decision: "approve" });
    assert.deepEqual([unknown.status, unknown.body.code], [404, "NOT_FOUND"]);
    assert.equal(callsAt(plane.log).length, 1);
    const ended = approvalsIn(await plane.ask("GET /approvals?status=done"));
    assert.deepEqual([ended.length, ended[0]?.outcome?.ok], [1, true]);
  });

  test("what waits can come first, and pages go on in the order that was asked for", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, asking);
    const ids: string[] = [];
    for (const key of ["a", "b", "c"]) ids.push(approvalIn(await plane.ask(putRoute, put(key))));
    const [oldest, middle, newest] = ids;
    await plane.ask(`POST /approvals/${newest}`, { decision: "reject" });
    const listed = async (query: string) => {
      const found: (string | undefined)[] = [];
      for (let cursor: unknown = ""; cursor !== null; ) {
        const page = await plane.ask(
          `GET /approvals?${query}&limit=1${cursor && `&cursor=${cursor}`}`,
        );
        found.push(...approvalsIn(page).map(({ id }) => id));
        cursor = page.body.nextCursor;
      }
      return found;
    };
    assert.deepEqual(await listed("status=all&order=pending"), [middle, oldest, newest]);
    assert.deepEqual(await listed("status=all&order=newest"), [newest, middle, oldest]);
    assert.deepEqual(await listed("status=all&order=oldest"), ids);
    assert.deepEqual(
      await listed("order=oldest"),
      [oldest, middle],
      "what waits is listed by default",
    );
    assert.deepEqual(await listed("status=rejected"), [newest]);
    const wrong = await plane.ask("GET /approvals?order=random");
    assert.equal(wrong.status, 400);
    assert.match(
      String(wrong.body.detail),
      /'order' cannot be 'random': give one of oldest, newest, pending/,
    );
  });

  test("what makes no sense is refused by name, and the question stays open", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, { ...asking, approvals: { allowEdit: false } });
    const id = approvalIn(await plane.ask(putRoute, put("k")));
    const yes = { decision: "approve" };
    const wrong: [body: object, parameter: string][] = [
      [{}, "decision"],
      [{ decision: "yes" }, "decision"],
      [{ ...yes, arguments: "text" }, "arguments"],
      [{ ...yes, arguments: { key: "other", text: "t" } }, "arguments"],
      [{ ...yes, approved: true }, "approved"],
      [{ ...yes, remember: { for: "ever" } }, "remember.for"],
      [{ ...yes, remember: { for: "tool", forMs: -1 } }, "remember.forMs"],
      [{ ...yes, remember: { for: "tool", conversation: true } }, "remember"],
      [{ ...yes, remember: { for: "arguments", arguments: {} } }, "remember"],
    ];
    for (const [body, parameter] of wrong) {
      const refused = await plane.ask(`POST /approvals/${id}`, body);
      const { data } = refused.body as { data?: { parameter?: string } };
      assert.deepEqual([refused.status, data?.parameter], [400, parameter], JSON.stringify(body));
    }
    assert.equal((await plane.ask(`GET /approvals/${id}`)).body.status, "pending");
    assert.deepEqual(callsAt(plane.log), []);
  });

  test("a caller who prefers to wait gets the result, and a confirmation that the wish was heard", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, asking);
    const waiting = plane.ask(putRoute, put("k"), { prefer: "wait=60" });
    const [held] = await eventually("the question", async () => {
      const found = approvalsIn(await plane.ask("GET /approvals?status=pending"));
      return found.length > 0 ? found : undefined;
    });
    const answered = await plane.ask(`POST /approvals/${held?.id}`, { decision: "approve" });
    assert.equal(answered.body.outcome, undefined, "it runs where its caller waits");
    const { status, headers, body } = await waiting;
    assert.deepEqual([status, headers.get("preference-applied")], [200, "wait=60"]);
    assert.deepEqual(textsOf(body as Partial<Outcome>), ["stored k"]);
    const late = await plane.ask(putRoute, put("later"), { prefer: "wait=0" });
    assert.deepEqual([late.status, late.headers.get("preference-applied")], [202, "wait=0"]);
  });

  test("a no is a failed result with the reason, and the server hears nothing", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, asking);
    const refuse = async (body: object) => {
      const waiting = plane.ask(putRoute, put("k"), { prefer: "wait=60" });
      const held = await eventually("the question", async () =>
        approvalsIn(await plane.ask("GET /approvals?status=pending")).at(0),
      );
      await plane.ask(`POST /approvals/${held.id}`, { decision: "reject", ...body });
      return waiting;
    };
    const told = await refuse({ reason: "not on a Friday" });
    assert.deepEqual([told.status, told.body.code], [403, "APPROVAL_DENIED"]);
    assert.match(errorOf(told.body as Partial<Outcome>).message, /rejected it: not on a Friday/);
    const untold = await refuse({});
    assert.match(
      errorOf(untold.body as Partial<Outcome>).message,
      /rejected it: no reason was given/,
    );
    assert.deepEqual(callsAt(plane.log), []);
  });

  test("what no one answers in time fails, and is over", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, { ...asking, approvals: { timeoutMs: 100 } });
    const { status, body } = await plane.ask(putRoute, put("k"), { prefer: "wait=60" });
    assert.equal(status, 403);
    assert.match(errorOf(body as Partial<Outcome>).message, /no answer came in time/);
    const [expired] = approvalsIn(await plane.ask("GET /approvals?status=all"));
    const late = await plane.ask(`POST /approvals/${expired?.id}`, { decision: "approve" });
    assert.deepEqual([expired?.status, late.status], ["expired", 409]);
    assert.deepEqual(callsAt(plane.log), []);
  });

  test("a caller who goes away takes the question along", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, asking);
    const leaving = new AbortController();
    const gone = fetch(`${plane.url}/tools/echo.put_note/call`, {
      method: "POST",
      headers: { prefer: "wait=60" },
      body: JSON.stringify(put("k")),
      signal: leaving.signal,
    }).catch(() => "gone");
    const pending = async () => approvalsIn(await plane.ask("GET /approvals?status=pending"));
    await eventually("the question", async () => (await pending()).at(0));
    leaving.abort();
    assert.equal(await gone, "gone");
    await eventually("its end", async () => ((await pending()).length === 0 ? true : undefined));
    const [over] = approvalsIn(await plane.ask("GET /approvals?status=all"));
    assert.equal(over?.status, "cancelled");
  });

  test("no one answers for another, and each try is recorded", async () => {
    await using directory = await temporaryDirectory();
    const plane = await serveEcho(directory, { ...guarded, approvals: { approvers: ["ops"] } });
    const ann = await plane.as("ann");
    const bob = await plane.as("bob");
    const operator = await plane.as("olga", "--group", "ops");
    const id = approvalIn(await ann(putRoute, put("k")));
    const tried = await bob(`POST /approvals/${id}`, { decision: "approve" });
    assert.deepEqual([tried.status, tried.body.code], [403, "FORBIDDEN"]);
    assert.equal((await bob(`GET /approvals/${id}`)).status, 404);
    assert.deepEqual(approvalsIn(await bob("GET /approvals?status=all")), []);
    assert.equal((await plane.ask(`POST /approvals/${id}`, { decision: "approve" })).status, 401);
    const done = await operator(`POST /approvals/${id}`, { decision: "approve" });
    assert.deepEqual([done.status, outcomeIn(done).ok], [200, true]);
    const { body: seen } = await ann(`GET /approvals/${id}`);
    assert.equal((seen.answer as { by: string }).by, "olga");
    await plane.stop();
    const store = await openSqliteStore(`${plane.data}/toolplane.db`);
    const events = (await store.events()).map(({ event }) => event);
    await store.close();
    assert.deepEqual(
      events.filter(({ type }) => type === "approval.forbidden"),
      [{ type: "approval.forbidden", approvalId: id, callId: seen.callId, user: "bob" }],
    );
  });
});
