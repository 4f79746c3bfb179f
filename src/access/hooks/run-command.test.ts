import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { until } from "../../../test/fixtures/until.ts";
import { hookCommand } from "../../../test/samples/hooks.ts";
import { runCommand } from "./hook.ts";

const environment = { PATH: process.env.PATH ?? "", ONLY: "this" };
const run = (command: string[], input = "{}", signal = new AbortController().signal) =>
  runCommand(command, input, { directory: "/", environment, signal });
const shell = (script: string) => run(["sh", "-c", script]);

suite("a command", { concurrency: 4 }, () => {
  test("gets its input, its directory and the given variables and nothing else", async () => {
    assert.deepEqual(await shell("cat; pwd >&2; exit 3"), { code: 3, stdout: "{}", stderr: "/\n" });
    const ended = await run([process.execPath, "-p", "JSON.stringify(process.env)"]);
    assert.ok("code" in ended);
    assert.deepEqual(JSON.parse(ended.stdout), environment);
  });

  test("need not read its input, however long it is", async () => {
    const input = "x".repeat(5_000_000);
    assert.deepEqual(await run(hookCommand("continue.sh"), input), {
      code: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("is no shell", async () => {
    assert.deepEqual(await run(["echo", "$HOME; ls"]), {
      code: 0,
      stdout: "$HOME; ls\n",
      stderr: "",
    });
  });

  test("that writes more than 1 MiB in all is ended while it writes", async () => {
    assert.deepEqual(await run(hookCommand("flood.sh")), { failed: "it wrote more than 1 MiB" });
    assert.deepEqual(await shell("exec cat /dev/zero"), { failed: "it wrote more than 1 MiB" });
  });

  test("that cannot be started, or is killed, has failed", async () => {
    const missing = await run(["/no/such/program"]);
    assert.ok("failed" in missing);
    assert.equal(missing.failed, "it could not be started");
    assert.deepEqual(await shell("kill -9 $$"), { failed: "it was ended by SIGKILL", detail: "" });
  });

  test("is ended with everything it started when no caller waits any more", async () => {
    await using directory = await temporaryDirectory();
    const pids = directory.file("pids");
    const controller = new AbortController();
    const running = run(hookCommand("hang.sh", pids), "{}", controller.signal);
    await until("its start", () => readPids(pids).length === 2);
    controller.abort();
    assert.deepEqual(await running, { failed: "it was ended before it answered" });
    await until("the end of all of it", () => readPids(pids).every((pid) => !isRunning(pid)));
  });

  test("leaves nothing running when it is done", async () => {
    const ended = await shell("sleep 600 & echo $!");
    assert.ok("code" in ended);
    await until("the end of what it left", () => !isRunning(Number(ended.stdout)));
  });

  test("is not started for a caller that has gone already", async () => {
    assert.deepEqual(await run(["sleep", "600"], "{}", AbortSignal.abort()), {
      failed: "it was ended before it answered",
    });
  });
});

function readPids(file: string): number[] {
  try {
    return readFileSync(file, "utf8").trim().split(" ").map(Number);
  } catch {
    return [];
  }
}

/** What has ended and only waits to be buried does not run. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return (
      process.platform !== "linux" || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
    );
  } catch {
    return false;
  }
}
