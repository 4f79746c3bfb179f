import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { until } from "../../test/fixtures/until.ts";

const guardFile = new URL("./process-guard.ts", import.meta.url).href;

/** Runs this as a plane of its own, with a guard; resolves with the pids it prints, while it still runs. */
async function startPlane(body: string) {
  const code = `
    const { createProcessGuard } = await import(${JSON.stringify(guardFile)});
    const { spawn } = await import("node:child_process");
    const guard = createProcessGuard();
    const start = (script = "exec sleep 60") => {
      const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore" });
      child.unref();
      return child.pid;
    };
    ${body}`;
  const plane = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(plane.stdout, "data")) as [Buffer];
  return { plane, pids: JSON.parse(String(line)) as number[] };
}

/** Every process there is, with its parent and its group. */
function processes() {
  return readdirSync("/proc").flatMap((entry) => {
    try {
      const stat = readFileSync(`/proc/${Number(entry)}/stat`, "utf8");
      const [, parent, group] = stat
        .slice(stat.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number);
      return [{ pid: Number(entry), parent, group }];
    } catch {
      return [];
    }
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie does not run.
    return (
      process.platform !== "linux" || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
    );
  } catch {
    return false;
  }
}

async function untilGone(...pids: number[]): Promise<void> {
  await until(`the end of ${pids}`, () => !pids.some(isRunning));
}

const tell = "process.stdout.write(JSON.stringify(pids));";
const stay = "process.stdin.resume();";

suite("the guard", { concurrency: 3 }, () => {
  test("what runs is ended when the plane is killed, and what was released is not", async () => {
    const { plane, pids } = await startPlane(`
      const pids = [start(), start(), start()];
      for (const pid of pids) guard.watch(pid);
      guard.release(pids[1]);
      ${tell} ${stay}`);
    const [first = 0, released = 0, third = 0] = pids;
    try {
      assert.ok(pids.every(isRunning));
      plane.kill("SIGKILL");
      await untilGone(first, third);
      assert.ok(isRunning(released));
    } finally {
      process.kill(-released, "SIGKILL");
    }
  });

  test("a group that does not listen is killed, with everything in it", async () => {
    const { plane, pids } = await startPlane(`
      const pids = [start("trap '' TERM; sleep 60 & sleep 60 & wait; wait; wait; sleep 60")];
      guard.watch(pids[0]);
      ${tell} ${stay}`);
    const members = () => processes().flatMap(({ pid, group }) => (group === pids[0] ? [pid] : []));
    // It is deaf before it starts the others.
    await until("three processes", () => members().length === 3);
    const all = members();
    plane.kill("SIGKILL");
    await untilGone(...all);
  });

  test("one number that is part of another is not taken for it", async () => {
    const { plane, pids } = await startPlane(`
      const pids = [start()];
      const [pid] = pids;
      guard.watch(pid);
      guard.watch(Number(String(pid) + "00000"));
      guard.release(Number(String(pid) + "00000"));
      ${tell} ${stay}`);
    plane.kill("SIGKILL");
    await untilGone(...pids);
  });

  test("a plane that has stopped ends by itself, and so does its guard", async () => {
    const { plane, pids } = await startPlane(`
      const pids = [start()];
      guard.watch(pids[0]);
      guard.release(pids[0]);
      guard.stop();
      guard.stop();
      ${tell}
      process.stdin.destroy();`);
    if (plane.exitCode === null) await once(plane, "exit");
    assert.equal(plane.exitCode, 0);
    assert.ok(pids.every(isRunning), "what was released lives on");
    for (const pid of pids) process.kill(-pid, "SIGKILL");
  });

  test("a guard that was ended itself is replaced, and the watch goes on", async () => {
    const { plane, pids } = await startPlane(`
      const pids = [start()];
      guard.watch(pids[0]);
      ${tell}
      process.stdin.on("data", () => process.stdout.write("still here"));`);
    const guards = () =>
      processes().filter(
        ({ pid, parent }) => parent === plane.pid && !pids.includes(pid) && isRunning(pid),
      );
    const first = guards()[0] ?? assert.fail("there is no guard");
    process.kill(first.pid, "SIGKILL");
    await untilGone(first.pid);
    await until("another guard", () => guards().length > 0);
    // A plane starts a guard and tells it what to watch in one go: once it answers, both are done.
    plane.stdin.write("?");
    await once(plane.stdout, "data");
    plane.kill("SIGKILL");
    await untilGone(...pids);
  });

  test("the guard does not keep a plane running", async () => {
    const { plane, pids } = await startPlane(`
      const pids = [start()];
      guard.watch(pids[0]);
      ${tell}
      process.stdin.destroy();`);
    if (plane.exitCode === null) await once(plane, "exit");
    await untilGone(...pids);
  });
});
