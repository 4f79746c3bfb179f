import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Plane } from "../../src/index.ts";
import type { HeldView } from "../../src/model/calls/held-schema.ts";
import { principalOf, trusted } from "../../src/model/principal.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import {
  assertFailed,
  callsAt,
  errorOf,
  fixture,
  planeOf,
  runCli,
  writeConfig,
} from "./support.ts";

const asking = { policy: { rules: [{ tool: "echo.put_*", verdict: "ask" }] } };
const ann = principalOf({ user: "ann" });
const bob = principalOf({ user: "bob" });
const note = { key: "k", text: "t" };

async function heldBy(plane: Plane, args: object = note, principal = ann): Promise<HeldView> {
  const { approval } = await plane.call("echo.put_note", args, { principal });
  return plane.approvals.get(approval?.id ?? "", { principal });
}

async function echoPlane(
  directory: { file(name: string): string },
  more: object = asking,
  server: object = {},
) {
  const log = directory.file("log");
  const config = await writeConfig(
    directory,
    { echo: fixture("echo", ["--log", log], { ...server }) },
    more,
  );
  const plane = await planeOf({}, {
    config,
    dataDirectory: directory.file("data"),
    principal: ann,
  } as never);
  return { plane, log, config, [Symbol.asyncDispose]: () => plane.stop() };
}

suite("a yes that has expired, or that belongs to another", { concurrency: 2 }, () => {
  test("a definition that changes between question and answer takes another yes", async () => {
    await using directory = await temporaryDirectory();
    const { plane, config, log } = await echoPlane(directory);
    const held = await heldBy(plane);
    await plane.stop();
    const changed = { echo: fixture("echo", ["--log", log], { side_effects: "system" }) };
    await writeConfig(directory, changed, asking);
    await using again = await planeOf({}, {
      config,
      dataDirectory: directory.file("data"),
      principal: ann,
    } as never);
    const { approval, outcome } = await again.approvals.answer(held.id, { decision: "approve" });
    assertFailed(outcome ?? {}, "APPROVAL_DENIED", "refused");
    assert.match(errorOf(outcome ?? {}).message, /the tool has changed.*Make the call again/);
    assert.equal(approval.status, "void");
    assert.deepEqual(callsAt(log), []);
  });

  test("a yes that is remembered for one definition is none for another", async () => {
    await using directory = await temporaryDirectory();
    const guarded = { policy: { profile: "guarded" } };
    const { plane, config, log } = await echoPlane(directory, guarded);
    const held = await heldBy(plane);
    await plane.approvals.answer(held.id, { decision: "approve", remember: { for: "tool" } });
    assert.equal((await plane.call("echo.put_note", note)).ok, true);
    await plane.stop();
    await writeConfig(
      directory,
      { echo: fixture("echo", ["--log", log], { side_effects: "system" }) },
      guarded,
    );
    await using again = await planeOf({}, {
      config,
      dataDirectory: directory.file("data"),
      principal: ann,
    } as never);
    assertFailed(await again.call("echo.put_note", note), "APPROVAL_REQUIRED", "waiting");
    assert.equal(callsAt(log).length, 2);
  });

  test("a yes to changed arguments is remembered for those, not for what was asked first", async () => {
    await using directory = await temporaryDirectory();
    await using opened = await echoPlane(directory, { policy: { profile: "guarded" } });
    const { plane } = opened;
    const held = await heldBy(plane, { key: "rm -rf /", text: "t" });
    const edited = { key: "ls", text: "t" };
    await plane.approvals.answer(held.id, {
      decision: "approve",
      arguments: edited,
      remember: { for: "arguments" },
    });
    const first = await plane.call("echo.put_note", { key: "rm -rf /", text: "t" });
    assertFailed(first, "APPROVAL_REQUIRED", "waiting");
    assert.equal((await plane.call("echo.put_note", edited)).ok, true);
  });

  test("no one can have another's yes remembered, also while it is about to run", async () => {
    await using directory = await temporaryDirectory();
    await using opened = await echoPlane(directory, { policy: { profile: "guarded" } });
    const { plane } = opened;
    const held = await heldBy(plane);
    const forged = { decision: "approve", remember: { for: "server" } } as const;
    const own = plane.approvals.answer(held.id, { decision: "approve" }, { principal: ann });
    const tries = Array.from({ length: 20 }, () =>
      plane.approvals.answer(held.id, forged, { principal: bob }),
    );
    const settled = await Promise.allSettled([own, ...tries]);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ["fulfilled", ...tries.map(() => "rejected")],
    );
    assert.deepEqual(await plane.approvals.remembered({ principal: ann }), []);
    assert.equal(callsAt(opened.log).length, 1);
  });

  test("what is denied by now does not run, although a person said yes before", async () => {
    await using directory = await temporaryDirectory();
    const { plane, config, log } = await echoPlane(directory);
    const own = await heldBy(plane, note, trusted({ user: "ann" }));
    const weaker = await heldBy(plane);
    await plane.stop();
    const denied = { policy: { rules: [{ server: "echo", verdict: "deny" }] } };
    await writeConfig(directory, { echo: fixture("echo", ["--log", log]) }, denied);
    const place = ["--config", config, "--data-dir", directory.file("data"), "--user", "ann"];
    for (const [held, said] of [
      [own, /APPROVAL_DENIED/],
      // Of another credential: what is denied to the person who answers is not theirs to approve.
      [
        weaker,
        /You may not approve .*'echo.put_note' with these arguments is not yours to call.*FORBIDDEN/,
      ],
    ] as const) {
      const { code, stderr } = await runCli(["approvals", "approve", held.id, ...place]);
      assert.deepEqual([code, callsAt(log)], [3, []]);
      assert.match(stderr, said);
    }
  });
});
