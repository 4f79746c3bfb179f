import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { describeTrouble } from "../../src/faces/cli/terminal/server-trouble.ts";
import { createPlane, type Plane } from "../../src/index.ts";
import { trusted } from "../../src/model/principal.ts";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { EraClient } from "../fixtures/era-client.ts";
import type { JsonObject } from "../fixtures/servers/support/messages.ts";
import {
  startHttpFixture,
  type TemporaryDirectory,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { countIn, startsIn } from "./connections/parts.ts";
import { getJson } from "./requests.ts";
import { assertFailed, errorOf, processFixture as fixture, planeOf, textsOf } from "./support.ts";

const schema = (text: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { text: { type: "string", description: "What to send.", ...text } },
  additionalProperties: true,
  ...more,
});
const send = (more: JsonObject = {}): JsonObject => ({
  name: "send",
  title: "Send",
  description: "Sends a text.",
  inputSchema: schema({ enum: ["a", "b"], default: "a" }),
  outputSchema: { type: "object", properties: { sent: { type: "boolean" } } },
  annotations: { readOnlyHint: false },
  ...more,
});

/** What a server may say of its tool after it was started again. */
const pulled: Record<string, JsonObject> = {
  title: send({ title: "PULLED" }),
  description: send({ description: "PULLED" }),
  "the text of a parameter": send({
    inputSchema: schema({ enum: ["a", "b"], default: "a", description: "PULLED" }),
  }),
  "a default": send({ inputSchema: schema({ enum: ["a", "b"], default: "b" }) }),
  "an enumeration": send({ inputSchema: schema({ enum: ["a", "PULLED"], default: "a" }) }),
  annotations: send({ annotations: { readOnlyHint: true } }),
  "the output schema": send({ outputSchema: { type: "object", description: "PULLED" } }),
  "a key of its own": send({ "x-note": "PULLED" }),
};

/** A plane with one server whose tools are in a file; `restart` makes its next process list others. */
async function world(
  directory: TemporaryDirectory,
  more: { security?: object; policy?: object } = {},
  entry: Record<string, unknown> = {},
) {
  const file = directory.file("lists.json");
  const log = directory.file("log");
  const says = (tools: JsonObject[], fail: string[] = []) =>
    writeFile(file, JSON.stringify({ tools, fail }));
  await says([send()]);
  const mcpServers = { s: fixture("offering", ["--lists", file, "--log", log], entry) };
  const options = {
    config: { mcpServers, ...more },
    dataDirectory: directory.file("data"),
    principal: trusted({ user: "ada" }),
  };
  return {
    says,
    options,
    asked: (method: string) => countIn(log, method),
    starts: () => startsIn(log).length,
    open: () => createPlane(options),
    async restart(plane: Plane, tools: JsonObject[], fail: string[] = []) {
      const { pid } = await plane.servers.get("s");
      assert.ok(pid !== null);
      process.kill(pid, "SIGKILL");
      await until("its end", async () => (await plane.servers.get("s")).pid === null);
      await says(tools, fail);
    },
  };
}

suite("a server whose process is new is listed before its tools are called", {
  concurrency: 3,
}, () => {
  test("whatever changed in a definition, nothing is called under the one that was pinned", async () => {
    await using directory = await temporaryDirectory();
    const { open, says, restart, asked } = await world(directory);
    const named = (definitions: JsonObject[]) =>
      definitions.map((definition, at) => ({ ...definition, name: `send_${at}` }));
    const honest = named(Object.keys(pulled).map(() => send()));
    await says(honest);
    await using plane = await open();
    assert.equal(textsOf(await plane.call("s.send_0")).length, 1);
    await restart(plane, named(Object.values(pulled)));
    // All of them wait for the process that the first of them starts.
    const outcomes = await Promise.all(honest.map(({ name }) => plane.call(`s.${name}`)));
    for (const [at, what] of Object.keys(pulled).entries())
      assert.equal(outcomes[at]?.error?.code, "TOOL_QUARANTINED", what);
    assert.equal(asked("tools/call"), 1, "none of them was sent");
    await restart(plane, honest);
    await plane.servers.refresh("s");
    assert.equal(textsOf(await plane.call("s.send_0")).length, 1, "what is as it was is called");
  });

  test("the same holds for the next plane, however young the list is that the last one kept", async () => {
    await using directory = await temporaryDirectory();
    const { open, says, asked } = await world(directory);
    {
      await using plane = await open();
      assert.equal((await plane.call("s.send")).ok, true);
    }
    await says([send({ title: "PULLED" })]);
    await using plane = await open();
    assertFailed(await plane.call("s.send"), "TOOL_QUARANTINED", "refused");
    assert.deepEqual([asked("tools/call"), asked("tools/list")], [1, 2]);
  });

  test("a wrapper and a session of its own are no way around", async () => {
    await using directory = await temporaryDirectory();
    const { open, restart, says, asked } = await world(directory, {}, { session: "conversation" });
    await using plane = await open();
    plane.tools.register({
      name: "wrapped",
      description: "Sends it, too.",
      side_effects: "none",
      providers: [{ name: "mcp", config: { server: "s", tool: "send" } }],
    });
    assert.equal((await plane.call("wrapped")).ok, true);
    const before = asked("tools/call");
    await says([send({ title: "PULLED" })]);
    const inOwn = await plane.call("s.send", {}, { conversation: "new" });
    assertFailed(inOwn, "TOOL_QUARANTINED", "refused");
    await restart(plane, [send({ title: "PULLED" })]);
    assertFailed(await plane.call("wrapped"), "NO_PROVIDER", "failed");
    assert.equal(asked("tools/call"), before);
  });

  test("where a change is let through, the arguments are checked against the new definition", async () => {
    await using directory = await temporaryDirectory();
    const { open, restart, asked } = await world(directory, { security: { pinning: "warn" } });
    await using plane = await open();
    assert.equal((await plane.call("s.send", { text: "a" })).ok, true);
    await restart(plane, [
      send({ inputSchema: schema({ type: "integer" }, { required: ["text"] }) }),
    ]);
    const outcome = await plane.call("s.send", { text: "a" });
    assertFailed(outcome, "INVALID_ARGUMENTS", "refused");
    assert.match(errorOf(outcome).message, /text/);
    assert.equal(asked("tools/call"), 1);
    assert.equal((await plane.call("s.send", { text: 7 })).ok, true);
    assert.equal(asked("tools/list"), 2, "one process, one list");
  });

  test("a tool that the new process does not have is not called", async () => {
    await using directory = await temporaryDirectory();
    const { open, restart, asked } = await world(directory);
    await using plane = await open();
    await plane.call("s.send");
    await restart(plane, []);
    assertFailed(await plane.call("s.send"), "TOOL_NOT_FOUND", "refused");
    assert.equal(asked("tools/call"), 1);
  });

  test("a yes to the definition of before runs nothing of the new one", async () => {
    await using directory = await temporaryDirectory();
    const { open, restart, asked } = await world(
      directory,
      {
        security: { pinning: "warn" },
        policy: { rules: [{ server: "*", verdict: "ask", reason: "it is asked about" }] },
      },
      { backoffMs: 1, maxBackoffMs: 1 },
    );
    await using plane = await open();
    await plane.servers.refresh("s");
    for (const what of ["title", "the output schema", "a key of its own"]) {
      const waiting = await plane.call("s.send");
      assertFailed(waiting, "APPROVAL_REQUIRED", "waiting");
      await restart(plane, [pulled[what] ?? {}]);
      const { outcome } = await plane.approvals.answer(waiting.approval?.id ?? "", {
        decision: "approve",
      });
      assert.equal(outcome?.error?.code, "APPROVAL_DENIED", what);
      await restart(plane, [send()]);
      await plane.servers.refresh("s");
    }
    assert.equal(asked("tools/call"), 0);
  });

  test("a new process that cannot list is connected and not called, until it can", async () => {
    await using directory = await temporaryDirectory();
    const { open, restart, says, asked } = await world(directory);
    await using plane = await open();
    await plane.call("s.send");
    await restart(plane, [send()], ["tools/list"]);
    const outcome = await plane.call("s.send");
    assertFailed(outcome, "SERVER_UNAVAILABLE", "failed");
    assert.match(
      errorOf(outcome).message,
      /'s' was started again and has not listed its tools: no list today/,
    );
    assert.equal(asked("tools/call"), 1);
    const { state, stale, error } = await plane.servers.get("s");
    assert.deepEqual([state, stale], ["connected", true]);
    assert.match(error ?? "", /listing its tools failed: no list today/);
    await says([send()]);
    assert.equal((await plane.call("s.send")).ok, true);
  });

  test("a new session counts as new; a server without sessions is asked again when its list is too old", async () => {
    await using directory = await temporaryDirectory();
    const legacy = directory.file("legacy");
    const modern = directory.file("modern");
    await using withSessions = await startHttpFixture("http", ["--log", legacy]);
    await using without = await startHttpFixture("modern", ["--http", "--only", "--log", modern]);
    const servers = { old: { url: withSessions.url }, new: { url: without.url } };
    const dataDirectory = directory.file("data");
    const listings = () => [countIn(legacy, "tools/list"), countIn(modern, "tools/list")];
    for (const expected of [
      [1, 1],
      [2, 1],
    ]) {
      await using plane = await planeOf(servers, { dataDirectory });
      assert.equal((await plane.call("old.echo", { message: "x" })).ok, true);
      assert.equal(
        (await plane.call("new.region", { region: "eu" })).call.status !== "refused",
        true,
      );
      assert.deepEqual(listings(), expected);
    }
    await using plane = await planeOf(servers, { dataDirectory });
    await plane.servers.connect("new");
    assert.deepEqual(listings(), [2, 2], "a client connected it");
  });
});

test("tools of a list that could not be refreshed are marked as stale on every face, with the time of the list", async () => {
  await using directory = await temporaryDirectory();
  const { options, says } = await world(directory);
  await using running = await startGateway({}, { plane: options });
  const { plane } = running;
  const api = running.url.replace(/\/mcp$/, "");
  const marks = async () => {
    const [listed] = await plane.tools.list({ server: "s" });
    const { tools } = (await getJson(`${api}/tools?view=row`)).body as { tools: JsonObject[] };
    const { stale } = (await getJson(`${api}/tools/s.send`)).body as JsonObject;
    return [listed?.stale, tools.find(({ name }) => name === "s.send")?.stale, stale];
  };
  assert.deepEqual(await marks(), [undefined, undefined, undefined]);
  await says([send()], ["tools/list"]);
  await plane.servers.refresh("s");
  assert.deepEqual(await marks(), [true, true, true]);
  const client = await EraClient.open(running.url, "legacy");
  const tools = (await client.request("tools/list")).tools as JsonObject[];
  const { _meta } = tools.find(({ name }) => name === "s__send") ?? {};
  assert.deepEqual(_meta, { "toolplane/stale": true });
  const status = await plane.servers.get("s");
  assert.match(
    describeTrouble(status) ?? "",
    /^Server 's': its list is from \d\d:\d\d; listing its tools failed: no list today\.$/,
  );
  assert.match(
    describeTrouble({ ...status, state: "error", listedAt: "2026-01-02T03:04:05.000Z" }) ?? "",
    /^Server 's' is not available: .*no list today\. Its list is from 2026-01-0\d \d\d:\d\d\.$/,
  );
  await says([send()]);
  await plane.servers.refresh("s");
  assert.deepEqual(await marks(), [undefined, undefined, undefined]);
});
