import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { startCatcher } from "../fixtures/catcher.ts";
import { startHttpFixture, temporaryDirectory } from "../fixtures/start-server.ts";
import { errorOf } from "./support.ts";

test("a token that was given for one origin does not go to another under the same name", async () => {
  await using directory = await temporaryDirectory();
  await using first = await startCatcher();
  await using second = await startCatcher();
  const open = (url: string) =>
    createPlane({
      config: { mcpServers: { docs: { url: `${url}/mcp`, auth: { type: "bearer" }, lazy: true } } },
      dataDirectory: directory.path,
    });
  {
    await using plane = await open(first.url);
    await plane.tokens.set("docs", { token: "given-to-the-first" });
    await plane.servers.refresh("docs").catch(() => undefined);
  }
  assert.ok(first.text().includes("given-to-the-first"), "the first one gets it");
  await using plane = await open(second.url);
  const refused = await plane.call("docs.anything").catch((thrown: Error) => thrown);
  await plane.servers.refresh("docs").catch(() => undefined);
  assert.equal(second.text().includes("given-to-the-first"), false);
  const said = refused instanceof Error ? refused.message : errorOf(refused).message;
  const [status] = await plane.servers.list();
  assert.match(
    `${said} ${status?.error}`,
    /its token is for http:\/\/127\.0\.0\.1:\d+, and it is at/,
  );
});

test("a yes that is remembered for a server or a tool is about its origin", async () => {
  await using directory = await temporaryDirectory();
  await using first = await startHttpFixture("http");
  await using second = await startHttpFixture("http");
  const open = (url: string) =>
    createPlane({
      config: { mcpServers: { docs: { url } }, policy: { profile: "strict" } },
      dataDirectory: directory.path,
    });
  const call = { tool: "docs.echo", args: { message: "x" } };
  for (const kind of ["server", "tool"] as const) {
    {
      await using plane = await open(first.url);
      const { approval } = await plane.call(call.tool, call.args);
      await plane.approvals.answer(approval?.id ?? "", {
        decision: "approve",
        remember: { for: kind },
      });
      assert.equal(
        (await plane.call(call.tool, call.args)).approval,
        undefined,
        `${kind}: it is remembered`,
      );
    }
    await using moved = await open(second.url);
    const { approval } = await moved.call(call.tool, call.args);
    assert.ok(approval, `${kind}: another origin is asked about again`);
    await moved.approvals.answer(approval.id, { decision: "reject" });
    for (const { id } of await moved.approvals.remembered()) await moved.approvals.forget(id);
  }
});
