import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { temporaryDirectory } from "../../../../test/fixtures/start-server.ts";
import { createPlane } from "../../../index.ts";
import { trusted } from "../../../model/principal.ts";
import { printServerChanges } from "./serving.ts";

test("why a server is unreachable is reported once and in one line, however often it is tried", async () => {
  await using directory = await temporaryDirectory();
  const script =
    "console.error('starting\\nError: no licence\\n    at main (x.js:1:1)'); process.exit(1)";
  await using plane = await createPlane({
    config: { mcpServers: { e2: { command: process.execPath, args: ["-e", script] } } },
    dataDirectory: directory.file("data"),
    principal: trusted({ user: "ada" }),
  });
  const lines: string[] = [];
  const write = mock.method(process.stderr, "write", (text: string) => lines.push(text) > 0);
  try {
    printServerChanges(plane);
    for (const _ of [1, 2, 3]) await plane.servers.connect("e2").catch(() => undefined);
    await plane.servers.get("e2");
  } finally {
    write.mock.restore();
  }
  assert.equal(lines.length, 1, lines.join());
  assert.match(lines[0] ?? "", /e2: it exited with code 1; it last wrote: Error: no licence\n$/);
});

test("what happens to servers before the address is said comes behind it", async () => {
  await using directory = await temporaryDirectory();
  await using plane = await createPlane({
    config: {
      mcpServers: { gone: { command: process.execPath, args: ["-e", "process.exit(1)"] } },
    },
    dataDirectory: directory.file("data"),
    principal: trusted({ user: "ada" }),
  });
  const lines: string[] = [];
  const write = mock.method(process.stderr, "write", (text: string) => lines.push(text) > 0);
  try {
    const told = printServerChanges(plane, { isHeldBack: true });
    await plane.servers.connect("gone").catch(() => undefined);
    await plane.servers.get("gone");
    assert.deepEqual(lines, []);
    told.release();
  } finally {
    write.mock.restore();
  }
  assert.equal(lines.length, 1, lines.join());
  assert.match(lines[0] ?? "", /gone: it exited with code 1/);
});
