import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { createPlane, type EventOf, type EventType, type Plane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { processFixture as fixture, writeConfig } from "./support.ts";

function next<T extends EventType>(plane: Plane, type: T): Promise<EventOf<T>> {
  const { promise, resolve } = Promise.withResolvers<EventOf<T>>();
  const stop = plane.on(type, (event) => {
    stop();
    resolve(event);
  });
  return promise;
}

async function pids(plane: Plane): Promise<Record<string, number | null>> {
  const servers = await plane.servers.list({ connect: true });
  return Object.fromEntries(servers.map(({ name, pid }) => [name, pid]));
}

function isAlive(pid: number | null | undefined): boolean {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
}

test("an edit restarts what changed, stops what is gone, starts what is new and leaves the rest alone", async () => {
  await using directory = await temporaryDirectory();
  const before = { kept: fixture("echo"), edited: fixture("echo"), gone: fixture("echo") };
  const file = await writeConfig(directory, before);
  await using plane = await createPlane({ config: file, watch: true });
  const old = await pids(plane);

  const changed = next(plane, "config.changed");
  await writeConfig(directory, {
    kept: fixture("echo"),
    edited: fixture("echo", ["--name", "other"]),
    fresh: fixture("echo"),
  });
  const { added, removed, changed: edited, unchanged } = await changed;
  assert.deepEqual(
    { added, removed, edited, unchanged },
    {
      added: ["fresh"],
      removed: ["gone"],
      edited: ["edited"],
      unchanged: ["kept"],
    },
  );
  const now = await pids(plane);
  assert.equal(now.kept, old.kept);
  assert.notEqual(now.edited, old.edited);
  assert.equal(isAlive(old.gone), false);
  assert.equal((await plane.call("fresh.echo", { message: "hi" })).ok, true);
  assert.equal((await plane.call("gone.echo", { message: "hi" })).error?.code, "TOOL_NOT_FOUND");
});

test("an edit that cannot be read changes nothing and is reported", async () => {
  await using directory = await temporaryDirectory();
  const file = await writeConfig(directory, { kept: fixture("echo") });
  await using plane = await createPlane({ config: file, watch: true });
  const old = await pids(plane);
  const rejected = next(plane, "config.rejected");
  await writeFile(file, "{ this is not JSON");
  assert.match((await rejected).reason, /toolplane\.json:1/);
  assert.deepEqual(await pids(plane), old);

  const applied = next(plane, "config.changed");
  await writeConfig(directory, { kept: fixture("echo") });
  assert.deepEqual((await applied).unchanged, ["kept"]);
});

test("a bad edit of one server keeps its last good version and is reported", async () => {
  await using directory = await temporaryDirectory();
  const file = await writeConfig(directory, { good: fixture("echo"), bad: fixture("echo") });
  await using plane = await createPlane({ config: file, watch: true });
  const old = await pids(plane);
  const applied = next(plane, "config.changed");
  await writeConfig(directory, { good: fixture("echo"), bad: { command: 7 } });
  const { unchanged, removed, problems } = await applied;
  assert.deepEqual([unchanged.toSorted(), removed, problems], [["bad", "good"], [], 1]);
  assert.deepEqual(await pids(plane), old);
  assert.match(plane.config().problems[0]?.path ?? "", /mcpServers\.bad\.command/);
});

const saying = (...names: string[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, fixture("echo")])) });

for (const [what, spoil] of [
  ["is gone", (file: string) => rm(file)],
  ["is no longer readable", (file: string) => writeFile(file, '{"mcpServers": {')],
] as const) {
  test(`a configuration file that ${what} keeps what was loaded, also when another is edited`, async () => {
    await using directory = await temporaryDirectory();
    const first = directory.file("first.json");
    const second = directory.file("second.json");
    await Promise.all([writeFile(first, saying("a")), writeFile(second, saying("e", "f"))]);
    await using plane = await createPlane({ config: [first, second], watch: true });
    const names = async () => (await plane.servers.list()).map(({ name }) => name).sort();

    const told = next(plane, "config.rejected");
    await spoil(second);
    assert.match((await told).reason, /second\.json[\s\S]*What was loaded stays/);
    assert.deepEqual(await names(), ["a", "e", "f"]);

    const again = next(plane, "config.rejected");
    await writeFile(first, saying("a", "b"));
    await again;
    assert.deepEqual(await names(), ["a", "e", "f"]);
    await assert.rejects(plane.reload(), { code: "CONFIG_INVALID" });

    const changed = next(plane, "config.changed");
    await writeFile(second, saying("e", "g"));
    const { added, removed } = await changed;
    assert.deepEqual([added, removed], [["b", "g"], ["f"]]);
  });
}
