import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { callsAt, fixture } from "./support.ts";

/** A plane whose only server is for the people of hr, where everything of it is put to a person. */
async function planeOf(
  directory: Awaited<ReturnType<typeof temporaryDirectory>>,
  verdict: "ask" | "queue",
) {
  const log = directory.file("log");
  const file = directory.file("toolplane.json");
  const write = (groups: string[]) =>
    writeFile(
      file,
      JSON.stringify({
        mcpServers: { hr: fixture("echo", ["--log", log], { groups: ["hr"] }) },
        users: { ann: { groups } },
        policy: { rules: [{ server: "hr", verdict }] },
      }),
    );
  await write(["hr"]);
  const plane = await createPlane({ config: file, dataDirectory: directory.file("data") });
  return { plane, log, write };
}

suite("rights that were taken away meanwhile", () => {
  test("a held call does not run with the groups its caller had when it was made", async () => {
    await using directory = await temporaryDirectory();
    const { plane, log, write } = await planeOf(directory, "ask");
    await using _ = plane;
    const { secret } = await plane.keys.create({ name: "k", user: "ann" });
    const principal = await plane.identity.identify(secret);
    const held = await plane.call("hr.echo", { message: "hi" }, { principal, face: "http" });
    await write(["other"]);
    await plane.reload();
    const id = String(held.approval?.id);
    const { approval, outcome } = await plane.approvals.answer(
      id,
      { decision: "approve" },
      { principal },
    );
    assert.deepEqual([approval.status, outcome?.error?.code], ["failed", "TOOL_NOT_FOUND"]);
    assert.deepEqual(callsAt(log), []);
  });

  test("nor does a queued change of a user whose key was revoked", async () => {
    await using directory = await temporaryDirectory();
    const { plane, log } = await planeOf(directory, "queue");
    await using _ = plane;
    const { key, secret } = await plane.keys.create({ name: "k", user: "ann" });
    const principal = await plane.identity.identify(secret);
    const held = await plane.call("hr.echo", { message: "hi" }, { principal, face: "http" });
    await plane.keys.revoke(key.id);
    const { outcomes } = await plane.plans.approve(String(held.plan?.id), {}, { principal });
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome?.error?.code),
      ["UNAUTHENTICATED"],
    );
    assert.deepEqual(callsAt(log), []);
  });

  test("rights that were given meanwhile count as well", async () => {
    await using directory = await temporaryDirectory();
    const { plane, log, write } = await planeOf(directory, "ask");
    await using _ = plane;
    const { secret } = await plane.keys.create({ name: "k", user: "ann" });
    const principal = await plane.identity.identify(secret);
    const held = await plane.call("hr.echo", { message: "hi" }, { principal, face: "http" });
    await write(["hr", "more"]);
    await plane.reload();
    const { outcome } = await plane.approvals.answer(
      String(held.approval?.id),
      { decision: "approve" },
      { principal },
    );
    assert.equal(outcome?.ok, true, JSON.stringify(outcome?.error));
    assert.equal(callsAt(log).length, 1);
  });
});

suite("a remembered yes", () => {
  const config = (log: string) => ({
    mcpServers: { echo: fixture("echo", ["--log", log]) },
    policy: {
      profile: "guarded" as const,
      rules: [{ tool: "echo.echo", arguments: { message: "rewritten*" }, verdict: "ask" as const }],
    },
  });

  for (const [title, answer] of [
    [
      "a hook that rewrites the arguments into what a rule asks about",
      { decision: "modify", payload: { arguments: { message: "rewritten" } } },
    ],
    ["a hook that requires approval", { decision: "require_approval", reason: "check" }],
  ] as const) {
    test(`does not answer ${title}`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      let isAsked = false;
      await using plane = await createPlane({
        config: config(log),
        hooks: { PreToolUse: [async () => (isAsked ? answer : { decision: "continue" as const })] },
      });
      const first = await plane.call("echo.echo", { message: "one" }, { face: "http" });
      await plane.approvals.answer(String(first.approval?.id), {
        decision: "approve",
        remember: { for: "tool" },
      });
      assert.equal((await plane.call("echo.echo", { message: "two" }, { face: "http" })).ok, true);
      isAsked = true;
      const held = await plane.call("echo.echo", { message: "three" }, { face: "http" });
      assert.equal(held.error?.code, "APPROVAL_REQUIRED");
      assert.equal(callsAt(log).length, 2);
    });
  }
});
