import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { CallRecord } from "../../src/model/calls/call-schema.ts";
import type { KeptHeldCall } from "../../src/model/calls/held-call.ts";
import type { HeldView } from "../../src/model/calls/held-schema.ts";
import { openStore } from "../../src/store/store.ts";
import { type Era, EraClient, type EraOptions } from "../fixtures/era-client.ts";
import type { JsonObject } from "../fixtures/servers/support/messages.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { approvalsIn, eventually, serveEcho } from "./approving.ts";
import { callsAt } from "./support.ts";

const rules = [{ tool: "echo.put_*", verdict: "ask", reason: "puts are looked at" }];
const eras: readonly Era[] = ["legacy", "modern"];
const note = { key: "k", text: "words" };
const tool = "echo__put_note";
/** A caller is answered at once that its call waits. */
const impatient = { holdMs: 1 };

type Serving = Awaited<ReturnType<typeof serveEcho>>;

async function serve(directory: TemporaryDirectory, approvals: object, more: object = {}) {
  const plane = await serveEcho(directory, { policy: { rules }, approvals, ...more });
  return {
    ...plane,
    client: (era: Era, options: EraOptions = {}) =>
      EraClient.open(`${plane.url}/mcp`, era, options),
    held: async () => approvalsIn(await plane.ask("GET /approvals?status=all")),
    records: async () => (await plane.ask("GET /calls")).body.calls as CallRecord[],
    [Symbol.asyncDispose]: plane[Symbol.asyncDispose],
  };
}

const answer = (plane: Serving, id: string, body: object = { decision: "approve" }) =>
  plane.ask(`POST /approvals/${id}`, body);

function textOf(result: JsonObject): string {
  return (result.content as { text: string }[]).map(({ text }) => text).join("\n");
}

function pendingOf(plane: { held(): Promise<HeldView[]> }, count = 1): Promise<HeldView[]> {
  return eventually(`${count} questions`, async () => {
    const waiting = (await plane.held()).filter(({ status }) => status === "pending");
    return waiting.length === count ? waiting : undefined;
  });
}

const callOf = (held: HeldView | undefined) => String(held?.callId);

suite("the outcome of a call that waited for a person", { concurrency: 3 }, () => {
  for (const era of eras) {
    test(`is collected by one equal call of a ${era} client, and the next is a call of its own`, async () => {
      await using directory = await temporaryDirectory();
      await using plane = await serve(directory, impatient);
      const client = await plane.client(era);
      const told = await client.call(tool, note);
      const [held] = await plane.held();
      assert.match(
        textOf(told),
        new RegExp(
          `approval '${held?.id}'. Call it again with the same arguments to get the result`,
        ),
      );
      assert.equal(held?.caller?.state, "told");
      await answer(plane, String(held?.id));
      const collected = await client.call(tool, note);
      assert.match(textOf(collected), new RegExp(`outcome of your earlier call '${callOf(held)}'`));
      assert.match(textOf(collected), /ended at 20\d\d-.*\nstored k$/);
      assert.equal(callsAt(plane.log).length, 1);
      const again = await client.call(tool, note);
      assert.match(textOf(again), /APPROVAL_REQUIRED/);
      const second = (await plane.held()).find(({ status }) => status === "pending");
      await answer(plane, String(second?.id));
      assert.equal(callsAt(plane.log).length, 2, "two equal payments are two payments");
      assert.match(textOf(await client.call(tool, note)), new RegExp(callOf(second)));
      const other = await client.call(tool, { ...note, key: "other" });
      assert.match(textOf(other), /APPROVAL_REQUIRED/);
    });

    test(`goes to two ${era} callers who wait at once: two questions and two writes`, async () => {
      await using directory = await temporaryDirectory();
      await using plane = await serve(directory, {});
      const client = await plane.client(era);
      const calls = [client.call(tool, note), client.call(tool, note)];
      for (const { id, caller } of await pendingOf(plane, 2)) {
        assert.equal(caller?.state, "waits");
        await answer(plane, id);
      }
      const texts = (await Promise.all(calls)).map(textOf);
      assert.deepEqual(texts, ["stored k", "stored k"]);
      assert.equal(callsAt(plane.log).length, 2);
      // What was delivered is not delivered again.
      const third = client.call(tool, note);
      const [waiting] = await pendingOf(plane);
      await answer(plane, String(waiting?.id), { decision: "reject" });
      assert.match(textOf(await third), /APPROVAL_DENIED/);
      assert.equal(callsAt(plane.log).length, 2);
    });

    test(`reaches the ${era} call that takes the place of a caller who waits no longer, without a second question`, async () => {
      await using directory = await temporaryDirectory();
      await using plane = await serve(directory, { holdMs: 3_000 });
      const client = await plane.client(era);
      await client.call(tool, note);
      const [first] = await plane.held();
      const second = client.call(tool, note);
      const [taken] = await eventually("the place", async () => {
        const all = await plane.held();
        return all[0]?.caller?.state === "waits" ? all : undefined;
      });
      assert.equal(taken?.id, first?.id);
      await answer(plane, String(first?.id));
      assert.match(textOf(await second), new RegExp(`'${callOf(first)}'.*\nstored k$`, "s"));
      assert.equal((await plane.held()).length, 1);
      assert.equal(callsAt(plane.log).length, 1);
    });

    test(`of a no is reported to a ${era} client once`, async () => {
      await using directory = await temporaryDirectory();
      await using plane = await serve(directory, { holdMs: 1, expireMs: 60_000 });
      const client = await plane.client(era);
      await client.call(tool, note);
      const [held] = await plane.held();
      await answer(plane, String(held?.id), { decision: "reject", reason: "not on a Friday" });
      const refused = await client.call(tool, note);
      assert.equal(refused.isError, true);
      assert.match(textOf(refused), /rejected it: not on a Friday.*APPROVAL_DENIED/s);
      assert.match(textOf(await client.call(tool, note)), /APPROVAL_REQUIRED/);
      assert.deepEqual(callsAt(plane.log), []);
    });
  }

  test("makes one record from waiting to done, and a no a refused one", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serve(directory, impatient);
    const client = await plane.client("legacy");
    for (const key of ["a", "b", "c"]) await client.call(tool, { ...note, key });
    const waiting = await plane.records();
    assert.deepEqual(
      waiting.map(({ status }) => status),
      ["waiting", "waiting", "waiting"],
    );
    const [first, second, third] = await plane.held();
    await answer(plane, String(first?.id));
    await answer(plane, String(second?.id), { decision: "reject", reason: "no" });
    const listed = await plane.records();
    const states = new Map(listed.map(({ id, status }) => [id, status]));
    assert.equal(listed.length, 3, "a call is listed once");
    assert.deepEqual(
      [first, second, third].map((held) => states.get(callOf(held))),
      ["succeeded", "refused", "waiting"],
    );
    const { activity } = (await plane.ask("GET /activity")).body as { activity: CallRecord[] };
    assert.deepEqual(
      [first, second, third].map((held) =>
        activity.filter(({ id }) => id === callOf(held)).map(({ status }) => status),
      ),
      [["succeeded"], ["refused"], ["waiting"]],
    );
    const done = (await plane.ask(`GET /calls/${callOf(first)}`)).body as CallRecord;
    assert.deepEqual(
      [done.id, done.status, done.approval?.approvalId, done.waitedSince],
      [callOf(first), "succeeded", first?.id, first?.calledAt],
    );
    const refused = (await plane.ask(`GET /calls/${callOf(second)}`)).body as CallRecord;
    assert.deepEqual([refused.status, refused.error?.code], ["refused", "APPROVAL_DENIED"]);
    const stillWaits = (await plane.ask("GET /calls?status=waiting")).body.calls as CallRecord[];
    assert.deepEqual(
      stillWaits.map(({ id }) => id),
      [callOf(third)],
    );
    const chain = await plane.cli("calls", "verify", "--json");
    assert.equal(chain.code, 0, chain.stderr);
  });

  test("says so when no answer came in time, and the record does, too", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serve(directory, { holdMs: 1, expireMs: 100 });
    const client = await plane.client("modern");
    await client.call(tool, note);
    await eventually("the end", async () => {
      const [held] = await plane.held();
      return held?.status === "expired" ? held : undefined;
    });
    assert.match(textOf(await client.call(tool, note)), /no answer came in time/);
    const expired = (await plane.records()).find(({ waitedSince }) => waitedSince !== undefined);
    assert.deepEqual([expired?.status, expired?.error?.code], ["refused", "APPROVAL_DENIED"]);
  });

  test("is of the same conversation, client and arguments", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serve(directory, impatient);
    const [mine, other] = [await plane.client("legacy"), await plane.client("legacy")];
    await mine.call(tool, note);
    const [held] = await plane.held();
    await answer(plane, String(held?.id));
    assert.match(textOf(await other.call(tool, note)), /APPROVAL_REQUIRED/);
    const stranger = await plane.client("modern");
    assert.match(textOf(await stranger.call(tool, note)), /APPROVAL_REQUIRED/);
    assert.match(textOf(await mine.call(tool, { ...note, text: "others" })), /APPROVAL_REQUIRED/);
    const byHttp = await plane.ask("POST /tools/echo.put_note/call", { arguments: note });
    assert.equal(byHttp.status, 202, "HTTP keeps what it does");
    assert.match(textOf(await mine.call(tool, note)), new RegExp(callOf(held)));
    assert.equal(callsAt(plane.log).length, 1);
  });

  test("is found by the next session of a client whose session has ended", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serve(directory, impatient);
    const before = await plane.client("legacy");
    await before.call(tool, note);
    const [held] = await plane.held();
    const headers = before.headersFor();
    assert.equal((await fetch(`${plane.url}/mcp`, { method: "DELETE", headers })).status, 204);
    const gone = await eventually("the caller has left", async () => {
      const [shown] = await plane.held();
      return shown?.caller?.state === "left" ? shown : undefined;
    });
    assert.equal(gone.status, "pending");
    await answer(plane, String(held?.id));
    const after = await plane.client("legacy");
    assert.match(textOf(await after.call(tool, note)), new RegExp(callOf(held)));
  });

  test("outlives the plane: one that starts later answers the client", async () => {
    await using directory = await temporaryDirectory();
    const first = await serve(directory, impatient);
    await (await first.client("modern")).call(tool, note);
    await first.stop();
    await using second = await serve(directory, impatient);
    const [held] = await second.held();
    await answer(second, String(held?.id));
    assert.equal((await second.records()).length, 1);
    const collected = await (await second.client("modern")).call(tool, note);
    assert.match(textOf(collected), new RegExp(`${callOf(held)}.*\nstored k$`, "s"));
    assert.equal(callsAt(second.log).length, 1);
  });

  test("is kept where a caller without forms leaves, and its card says that it has left", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serve(directory, {});
    const client = await plane.client("modern");
    const leaving = new AbortController();
    const params = { name: tool, arguments: note };
    const gone = client.exchange("tools/call", params, leaving.signal).catch(() => "gone");
    const [held] = await pendingOf(plane);
    leaving.abort();
    assert.equal(await gone, "gone");
    await eventually("the caller has left", async () => {
      const [shown] = await plane.held();
      return shown?.caller?.state === "left" ? shown : undefined;
    });
    await answer(plane, String(held?.id));
    assert.match(textOf(await client.call(tool, note)), new RegExp(callOf(held)));
    assert.equal(callsAt(plane.log).length, 1);
    assert.deepEqual(
      (await plane.records()).map(({ status }) => status),
      ["succeeded", "succeeded"],
    );
  });

  test("is not kept where the configuration says so", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serve(directory, { onCallerGone: "cancel" });
    const client = await plane.client("modern");
    const leaving = new AbortController();
    const params = { name: tool, arguments: note };
    const gone = client.exchange("tools/call", params, leaving.signal).catch(() => "gone");
    await pendingOf(plane);
    leaving.abort();
    assert.equal(await gone, "gone");
    await eventually("its end", async () => {
      const [shown] = await plane.held();
      return shown?.status === "cancelled" ? shown : undefined;
    });
  });

  test("is waited for with progress where the call has a token", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serve(directory, {});
    const client = await plane.client("legacy");
    const message = {
      jsonrpc: "2.0",
      id: 77,
      method: "tools/call",
      params: { name: tool, arguments: note, _meta: { progressToken: "mine" } },
    } as const;
    const response = await client.post(message);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let read = "";
    while (!read.includes("notifications/progress")) read += (await reader?.read())?.value ?? "";
    const [held] = await pendingOf(plane);
    assert.match(read, new RegExp(`waits for a person.*${held?.id}`));
    await answer(plane, String(held?.id));
    while (!read.includes("stored k")) read += (await reader?.read())?.value ?? "";
  });

  test("is collected where no connection was open when the answer was written, and not read again from the stream", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serve(directory, {});
    const client = await plane.client("legacy");
    const leaving = new AbortController();
    const message = {
      jsonrpc: "2.0",
      id: 77,
      method: "tools/call",
      params: { name: tool, arguments: note, _meta: { progressToken: "mine" } },
    } as const;
    // Progress makes the answer a stream, which could be resumed.
    const response = await client.post(message, leaving.signal);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let read = "";
    while (!read.includes("notifications/progress")) read += (await reader?.read())?.value ?? "";
    const [, lastEvent = ""] = [...read.matchAll(/^id: (.*)$/gm)].at(-1) ?? [];
    const [held] = await pendingOf(plane);
    leaving.abort();
    await reader?.cancel().catch(() => undefined);
    await answer(plane, String(held?.id));
    await eventually("its run", async () => callsAt(plane.log)[0]);
    const collected = await eventually("the outcome", async () => {
      const [shown] = await plane.held();
      return shown?.caller?.state === "left" ? await client.call(tool, note) : undefined;
    });
    assert.match(textOf(collected), new RegExp(`${callOf(held)}.*\nstored k$`, "s"));
    const resumed = await fetch(`${plane.url}/mcp`, {
      headers: { ...client.headersFor(), accept: "text/event-stream", "last-event-id": lastEvent },
    });
    assert.equal(resumed.status, 200);
    assert.doesNotMatch(await resumed.text(), /stored k/);
    assert.equal(callsAt(plane.log).length, 1);
  });

  test("is authorised as any other call: who may not call it now does not get it", async () => {
    await using directory = await temporaryDirectory();
    const first = await serve(directory, impatient);
    await (await first.client("modern")).call(tool, note);
    const [held] = await first.held();
    await answer(first, String(held?.id));
    await first.stop();
    const denies = [{ tool: "echo.put_*", verdict: "deny", reason: "not any more" }];
    await using second = await serve(directory, impatient, { policy: { rules: denies } });
    const refused = await (await second.client("modern")).call(tool, note);
    assert.match(textOf(refused), /not any more.*APPROVAL_DENIED/);
  });

  test("of a call that is held open is answered by a plane that stops, with its id", async () => {
    await using directory = await temporaryDirectory();
    const first = await serve(directory, {});
    const waiting = (await first.client("modern")).call(tool, note);
    const [held] = await pendingOf(first);
    await first.stop();
    assert.match(textOf(await waiting), new RegExp(`approval '${held?.id}'. Call it again`));
    await using second = await serve(directory, {});
    assert.equal((await second.held())[0]?.caller?.state, "told");
  });
});

test("a record that version 0.3 left waiting says how its call ended", async () => {
  await using directory = await temporaryDirectory();
  const first = await serve(directory, impatient);
  const client = await first.client("modern");
  for (const key of ["rejected", "ran"]) await client.call(tool, { ...note, key });
  const [rejected, ran] = await first.held();
  await first.stop();
  // As that version left them: decided, and no second line in the record of the call.
  const { store } = await openStore({ address: { kind: "sqlite" }, directory: first.data });
  const at = "2026-01-01T00:00:00.000Z";
  const leave = async (id: string, change: Partial<KeptHeldCall>) => {
    const held = await store.heldCall(id);
    assert.ok(held);
    const { onRecord: _, delivery: __, caller: ___, calledAt: ____, ...old } = held;
    await store.replaceHeldCall({ ...old, ...change });
  };
  const answered = { by: "ann", at, reason: "no", arguments: null };
  await leave(String(rejected?.id), {
    status: "rejected",
    answer: { ...answered, decision: "reject" },
  });
  await leave(String(ran?.id), {
    status: "done",
    answer: { ...answered, decision: "approve" },
    outcome: { callId: "another-record", ok: true, code: null },
  });
  await store.close();
  await using second = await serve(directory, impatient);
  const records = await eventually("closed records", async () => {
    const found = await second.records();
    return found.every(({ status }) => status !== "waiting") ? found : undefined;
  });
  const recordOf = (held: HeldView | undefined) => records.find(({ id }) => id === held?.callId);
  assert.deepEqual(
    [recordOf(rejected)?.status, recordOf(rejected)?.at, recordOf(rejected)?.error?.code],
    ["refused", at, "APPROVAL_DENIED"],
  );
  assert.deepEqual(
    [recordOf(ran)?.status, recordOf(ran)?.collected?.call],
    ["succeeded", "another-record"],
  );
  assert.equal((await second.cli("calls", "verify")).code, 0);
});
