import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import { createApp } from "../../src/faces/http/app.ts";
import { createLocalPass } from "../../src/faces/http/local-pass.ts";
import { createPlane } from "../../src/index.ts";
import { openSetup } from "../../src/local-setup.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";

/** A plane on a file of its own whose servers can be changed over HTTP. */
async function appOn(directory: TemporaryDirectory, text: string) {
  const file = directory.file("toolplane.json");
  writeFileSync(file, text);
  const plane = await createPlane({ config: file });
  const setup = await openSetup({ files: [file], directory: directory.path });
  const pass = createLocalPass();
  const app = createApp(plane, { host: "127.0.0.1", closing: new AbortController().signal, setup, pass });
  const put = async (name: string, entry: object) => {
    const headers = { host: "127.0.0.1", authorization: `Bearer ${pass.word}` };
    const request = { method: "PUT", headers, body: JSON.stringify(entry) };
    const response = await app.request(`http://127.0.0.1/servers/${name}`, request);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { file, put, [Symbol.asyncDispose]: () => plane.stop() };
}

const old = { command: "old-command", autoConnect: false };
const text = `{
  // mine
  "mcpServers": { "git": ${JSON.stringify(old)}, "other": ${JSON.stringify(old)} }
}`;

suite("replacing a server over HTTP", () => {
  test("an entry that is not valid is refused with the reason, and the old one stays", async () => {
    await using directory = await temporaryDirectory();
    await using world = await appOn(directory, text);
    for (const [entry, says] of [
      [{ command: 5 }, /'command' .*string/],
      [{ command: "x", timeoutMs: "soon" }, /'timeoutMs' /],
    ] as const) {
      const { status, body } = await world.put("git", entry);
      assert.deepEqual([status, body.code], [400, "USAGE"], JSON.stringify(body));
      assert.match(String(body.detail), says);
      assert.doesNotMatch(JSON.stringify(body), /toolplane\.json/);
      assert.equal(readFileSync(world.file, "utf8"), text);
    }
  });

  test("the new entry stands where the old one stood, and the rest of the file stays", async () => {
    await using directory = await temporaryDirectory();
    await using world = await appOn(directory, text);
    const { status, body } = await world.put("git", { command: "new-command", env: { A: "${NOT_SET_YET}" } });
    assert.equal(status, 200, JSON.stringify(body));
    const written = readFileSync(world.file, "utf8");
    assert.match(written, /\/\/ mine/);
    const { mcpServers } = JSON.parse(written.replace("// mine", "")) as { mcpServers: object };
    assert.deepEqual(Object.keys(mcpServers), ["git", "other"]);
    assert.match(written, /new-command/);
  });
});
