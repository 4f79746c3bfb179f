import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { createPlane, type EventOf, type EventType, type Plane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture } from "../scenarios/support.ts";

function next<T extends EventType>(plane: Plane, type: T): Promise<EventOf<T>> {
  const { promise, resolve } = Promise.withResolvers<EventOf<T>>();
  const stop = plane.on(type, (event) => {
    stop();
    resolve(event);
  });
  return promise;
}

const saying = (...names: string[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, fixture("echo")])) });

for (const [what, spoil] of [
  ["is gone", (file: string) => rm(file)],
  ["is no longer readable", (file: string) => writeFile(file, '{"mcpServers": {')],
] as const) {
  test(`a configuration file that ${what} keeps what was loaded, also when another is edited`, async () => {
    await using directory = await temporaryDirectory();
    const [first, second] = [directory.file("first.json"), directory.file("second.json")];
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
