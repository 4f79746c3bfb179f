import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { fixtureCommand, temporaryDirectory } from "../fixtures/start-server.ts";

const key = "sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN";

test("arguments and results are kept only where it is configured, without secrets, and for their owner", async () => {
  await using directory = await temporaryDirectory();
  const servers = { echo: { ...fixtureCommand("echo") } };
  const dataDirectory = directory.file("data");
  const ann = {
    user: "ann",
    groups: [],
    persona: null,
    workspace: null,
    compliance: null,
    scopes: ["read", "call"],
  };
  const bob = { ...ann, user: "bob" };
  const open = (keepPayloads: boolean) =>
    createPlane({ config: { servers, observability: { keepPayloads } }, dataDirectory });

  const silent = await open(false);
  const first = await silent.call("echo.echo", { message: "hello" }, { principal: ann });
  assert.equal(await silent.calls.payloads([first.call.id], { principal: ann }), null);
  await silent.stop();

  const keeping = await open(true);
  const second = await keeping.call("echo.echo", { message: `token ${key}` }, { principal: ann });
  const refused = await keeping.call("echo.add", { a: "no number" }, { principal: ann });
  const ids = [first.call.id, second.call.id, refused.call.id];
  const kept = (await keeping.calls.payloads(ids, { principal: ann })) ?? [];
  assert.deepEqual(
    kept.map(({ id }) => id),
    [second.call.id, refused.call.id],
  );
  assert.match(JSON.stringify(kept[0]), /redacted/);
  assert.doesNotMatch(JSON.stringify(kept), new RegExp(key));
  assert.deepEqual(kept[1]?.arguments, { a: "no number" });
  assert.deepEqual(await keeping.calls.payloads(ids, { principal: bob }), []);
  await keeping.stop();

  const again = await open(true);
  assert.equal((await again.calls.payloads(ids, { principal: ann }))?.length, 2);
  await again.stop();
});
