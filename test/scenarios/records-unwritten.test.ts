import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import { createApp } from "../../src/faces/http/app.ts";
import { createPlane } from "../../src/index.ts";
import type { Plane } from "../../src/model/plane.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { fixture } from "./support.ts";

/** A small disk of its own; null where this user may not mount one. */
function smallDisk(path: string): Disposable | null {
  try {
    mkdirSync(path);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", path], { stdio: "ignore" });
    return { [Symbol.dispose]: () => execFileSync("umount", ["-l", path]) };
  } catch {
    return null;
  }
}

function fill(path: string): string {
  const file = `${path}/ballast`;
  for (const size of [65_536, 4_096, 256, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: "a" });
    } catch {
      // Full for pieces of this size.
    }
  }
  return file;
}

async function ask(plane: Plane, path: string): Promise<{ status: number; text: string }> {
  const app = createApp(plane, { host: "127.0.0.1", closing: new AbortController().signal });
  const response = await app.request(`http://127.0.0.1${path}`, { headers: { host: "127.0.0.1" } });
  return { status: response.status, text: await response.text() };
}

const config = { mcpServers: { echo: fixture("echo") } };
const call = (plane: Plane, message: string) => plane.call("echo.echo", { message });

suite("what cannot be recorded is reported", () => {
  test("on a full disk calls run, say that they are not recorded, and are written when there is room again", async (context) => {
    await using directory = await temporaryDirectory();
    const data = directory.file("data");
    using disk = smallDisk(data);
    if (disk === null) return context.skip("no disk can be mounted here");
    await using plane = await createPlane({ config, dataDirectory: data });
    assert.equal((await call(plane, "before")).call.recorded, undefined);
    await call(plane, "before again");
    const warnings: string[] = [];
    const onWarning = ({ message }: Error) => void warnings.push(message);
    process.on("warning", onWarning);
    context.after(() => process.off("warning", onWarning));
    const ballast = fill(data);
    const outcomes = [];
    for (let n = 0; n < 20; n += 1) outcomes.push(await call(plane, `full ${n}`));
    const lost = outcomes.filter((outcome) => outcome.call.recorded === false);
    assert.ok(outcomes.every(({ ok }) => ok));
    assert.ok(lost.length > 0, "some did not fit");
    const said = lost[0]?.call.warnings.join() ?? "";
    assert.match(said, /could not be recorded.*no room is left on the disk/);
    assert.ok(!said.includes(data), "no path");
    const ready = await ask(plane, "/readyz");
    assert.equal(ready.status, 503);
    assert.match(ready.text, /no room is left on the disk/);
    assert.match((await ask(plane, "/metrics")).text, /^toolplane_records_unwritten [1-9]/m);
    assert.match((await plane.doctor()).store?.detail ?? "", /no room is left/);
    assert.equal(
      warnings.filter((text) => text.includes("cannot be recorded")).length,
      1,
      warnings.join("\n"),
    );
    await assert.rejects(
      plane.keys.create({ name: "ci" }),
      (thrown: { code: string; message: string }) => {
        assert.equal(thrown.code, "STORE_FAILED");
        return thrown.message.includes(data) && /no room left/.test(thrown.message);
      },
    );

    rmSync(ballast);
    await until("the plane is ready", async () => (await plane.readiness()).ready);
    await until(
      "all are written",
      async () => (await plane.calls.list({ limit: 100 })).length === 22,
    );
    assert.equal((await plane.calls.verify()).ok, true);
  });

  test("a data directory that is removed under the plane is reported, and nothing counts as recorded", async () => {
    if (process.platform === "win32") return;
    await using directory = await temporaryDirectory();
    const data = directory.file("data");
    await using plane = await createPlane({ config, dataDirectory: data });
    await call(plane, "before");
    await call(plane, "before again");
    await plane.calls.list();
    rmSync(data, { recursive: true });
    const outcomes = [];
    for (let n = 0; n < 5; n += 1) outcomes.push(await call(plane, `gone ${n}`));
    await until("the plane is not ready", async () => !(await plane.readiness()).ready);
    const now = await plane.readiness();
    assert.match(now.ready ? "" : now.reason, /the data directory was removed/);
    assert.ok(outcomes.at(-1)?.call.recorded === false);
    // What waits is put beside the store as soon as there is a place, for the next plane.
    mkdirSync(data);
    await until("the plane is ready", async () => (await plane.readiness()).ready);
    await plane.stop();
    await using next = await createPlane({ config, dataDirectory: data });
    assert.ok((await next.calls.list()).length >= 5);
  });

  test("with 'audit.required' nothing is answered that is not on record, and nothing more is run", async () => {
    if (process.platform === "win32") return;
    await using directory = await temporaryDirectory();
    const data = directory.file("data");
    const plane = await createPlane({
      config: { ...config, audit: { required: true } },
      dataDirectory: data,
    });
    assert.equal((await call(plane, "before")).ok, true);
    await call(plane, "before again");
    await plane.calls.list();
    rmSync(data, { recursive: true });
    const first = await call(plane, "gone");
    assert.deepEqual(
      [first.error?.code, first.error?.data.done, first.result],
      ["RECORD_FAILED", true, undefined],
    );
    const second = await call(plane, "still gone");
    assert.deepEqual([second.error?.code, second.error?.data.done], ["RECORD_FAILED", false]);
    assert.equal(second.call.attempts, 0);
    await assert.rejects(plane.servers.disconnect("echo"), { code: "RECORD_FAILED" });
    assert.equal((await plane.servers.get("echo")).state, "connected");
    await assert.rejects(plane.stop(), { message: /^2 records could not be written: .*removed/ });
  });
});
