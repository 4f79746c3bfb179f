import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { HeldView, RememberedApproval } from "../../src/model/calls/held-schema.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { approvalIn, serveEcho } from "./approving.ts";
import { callsAt, fixture, type Printed, runCli, writeConfig } from "./support.ts";

const rules = [{ tool: "echo.put_*", verdict: "ask", reason: "puts are looked at" }];
const put = ["call", "echo.put_note", "key=k", "text=words"];

suite("approvals on the command line", { concurrency: 2 }, () => {
  for (const serves of [true, false]) {
    test(`a call that no one can be asked about waits and can be answered, ${serves ? "beside a plane that serves" : "alone"}`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      const config = await writeConfig(
        directory,
        { echo: fixture("echo", ["--log", log]) },
        { policy: { rules } },
      );
      await using plane = serves ? await serveEcho(directory, { policy: { rules } }) : null;
      const place = plane?.place ?? ["--config", config, "--data-dir", directory.file("data")];
      const cli = (...words: string[]) => runCli([...words, ...place]);
      const asked = await cli(...put);
      assert.deepEqual([asked.code, asked.stdout], [3, ""]);
      const [, id = ""] = /toolplane approvals approve (\S+)/.exec(asked.stderr) ?? [];
      const list = await cli("approvals", "list");
      assert.match(
        list.stdout,
        new RegExp(`${id.slice(0, 8)} +pending +echo\\.put_note .*puts are looked at`),
      );
      const shown = await cli("approvals", "show", id.slice(0, 4));
      assert.match(
        shown.stdout,
        /Stores a note under a key.*Arguments\n {2}key: k\n {2}text: words\n/s,
      );
      assert.match(shown.stdout, /why +puts are looked at \(rule 1, policy\.rules\[0\]\)/);
      const run = await cli("approvals", "approve", id.slice(0, 6));
      assert.deepEqual([run.code, run.stdout], [0, "stored k\n"]);
      const again = await cli("approvals", "approve", id, "--json");
      assert.deepEqual([again.code, again.json().error?.code], [1, "CONFLICT"]);
      assert.equal(callsAt(log).length, 1);
      const { approvals } = (await cli("approvals", "list", "--all", "--json")).json() as {
        approvals: HeldView[];
      };
      assert.deepEqual(
        approvals.map(({ status }) => status),
        ["done"],
      );
    });
  }

  test("other arguments are run instead, and those that do not fit are refused", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, { policy: { rules } });
    const { approval } = (await plane.cli(...put, "--json")).json();
    const approve = (args: string) =>
      plane.cli("approvals", "approve", String(approval?.id), "--args", args);
    assert.equal((await approve('{"key": 7}')).code, 2);
    assert.equal((await approve("[]")).code, 2);
    assert.equal((await approve("{")).code, 2);
    const run = await approve('{"key": "other", "text": "t"}');
    assert.deepEqual([run.code, run.stdout.split("\n").at(-2)], [0, "stored other"]);
    assert.deepEqual(callsAt(plane.log), [
      { name: "put_note", arguments: { key: "other", text: "t" } },
    ]);
  });

  test("a no is no failure of the command, and the call does not run", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, { policy: { rules } });
    const id = approvalIn({ body: (await plane.cli(...put, "--json")).json() });
    const rejected = await plane.cli("approvals", "reject", id, "--reason", "not today", "--json");
    const { approval } = rejected.json() as unknown as { approval: HeldView };
    assert.deepEqual(
      [rejected.code, approval.status, approval.answer?.reason],
      [0, "rejected", "not today"],
    );
    assert.deepEqual(callsAt(plane.log), []);
  });

  test("a yes is remembered for as long as it is said, shown and forgotten", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, { policy: { profile: "guarded" } });
    const id = approvalIn({ body: (await plane.cli(...put, "--json")).json() });
    const approve = (...words: string[]) => plane.cli("approvals", "approve", id, ...words);
    assert.equal((await approve("--for", "1h")).code, 2);
    assert.equal((await approve("--remember", "everything")).code, 2);
    assert.equal((await approve("--remember", "tool", "--for", "soon")).code, 2);
    assert.equal((await approve("--remember", "tool", "--only-conversation")).code, 2);
    assert.equal((await approve("--remember", "tool", "--for", "1h")).code, 0);
    assert.equal((await plane.cli(...put)).code, 0);
    const { remembered } = (
      await plane.cli("approvals", "remembered", "--json")
    ).json() as unknown as {
      remembered: RememberedApproval[];
    };
    const lasts =
      Date.parse(String(remembered[0]?.expiresAt)) - Date.parse(String(remembered[0]?.createdAt));
    assert.ok(Math.abs(lasts - 3_600_000) < 1_000);
    const forgotten = await plane.cli("approvals", "forget", String(remembered[0]?.id).slice(0, 8));
    assert.equal(forgotten.code, 0);
    assert.equal((await plane.cli(...put)).code, 3);
  });

  test("an id that is none, short or wrong is distinguished", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, { policy: { rules } });
    const show = (id: string) => plane.cli("approvals", "show", id, "--json");
    const answers = await Promise.all([
      show("abc"),
      show("abcd"),
      plane.cli("approvals", "list", "--status", "x"),
    ]);
    assert.deepEqual(
      answers.map(({ code }) => code),
      [2, 1, 2],
    );
    assert.match(answers[2]?.stderr ?? "", /--status cannot be 'x': give one of all, pending/);
  });

  test("a call that is only tried says what the policy says", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await serveEcho(directory, { policy: { rules } });
    const tried = await plane.cli(...put, "--dry-run");
    assert.deepEqual(
      [tried.code, tried.stdout],
      [0, "'echo.put_note' would wait for a person's yes with these arguments.\n"],
    );
    const { verdict, call } = (await plane.cli(...put, "--dry-run", "--json")).json() as Printed;
    assert.deepEqual([verdict?.verdict, verdict?.rule, call?.status], ["ask", 0, "dry_run"]);
    assert.deepEqual(callsAt(plane.log), []);
  });
});
