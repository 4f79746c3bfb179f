import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { after, before, suite, test } from "node:test";
import { EraClient } from "../fixtures/era-client.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { processFixture, runCli, startServeProcess, writeConfig } from "./support.ts";

/** The processes that this one has started, with any of its threads, and that run. */
function childrenOf(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`).map(
    (thread) => `/proc/${pid}/task/${thread}/children`,
  );
  return threads.flatMap((file) =>
    readFileSync(file, "utf8").trim().split(" ").filter(Boolean).map(Number),
  );
}

/** Empty where it has ended meanwhile. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

suite("several processes on one port", {
  skip: process.platform !== "linux" && "it looks into /proc",
}, () => {
  let postgres: RunningPostgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres[Symbol.asyncDispose]());

  /** A plane of so many processes. */
  async function startWorkers(count: number) {
    await using parts = new AsyncDisposableStack();
    const directory = parts.use(await temporaryDirectory());
    const config = await writeConfig(
      directory,
      { echo: processFixture("echo") },
      { store: postgres.address() },
    );
    const serve = startServeProcess(config, directory.file("data"), "0", [
      "--workers",
      String(count),
    ]);
    const serving = parts.use(await serve);
    const said = text(serving.process.stderr as NodeJS.ReadableStream);
    const pid = serving.process.pid ?? 0;
    await until("all workers", () => childrenOf(pid).length === count);
    const kept = parts.move();
    return {
      ...serving,
      said,
      pid,
      workers: childrenOf(pid),
      [Symbol.asyncDispose]: () => kept.disposeAsync(),
    };
  }

  test("a store in a file says what it needs, and nothing is left", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: processFixture("echo") });
    const place = ["--config", config, "--data-dir", directory.file("data"), "--port", "0"];
    const { code, stderr } = await runCli(["serve", "--workers", "2", ...place]);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /'--workers 2' needs a store that several processes share.*postgres:\/\//s,
    );
    assert.equal(stderr.match(/error:/g)?.length, 1, "it is said once");
    for (const wrong of ["0", "257", "many", "-1"])
      assert.equal((await runCli(["serve", `--workers=${wrong}`, ...place])).code, 2, wrong);
  });

  test("they answer as one: calls, sessions, the pass and the numbers; one that dies is replaced; a stop ends all", async () => {
    await using serving = await startWorkers(3);
    const { said, pid, workers } = serving;

    // Each on a connection of its own.
    const headers = { ...serving.proof, connection: "close", "content-type": "application/json" };
    const ask = async (path: string, init: RequestInit = {}) =>
      fetch(serving.url + path, { ...init, headers });
    const call = () =>
      ask("/tools/echo.echo/call", { method: "POST", body: '{"arguments":{"message":"hi"}}' });
    await until("calls are answered", async () => (await call()).status === 200);
    const counted = async () => {
      const lines = (await (await ask("/metrics")).text()).split("\n");
      const line = lines.find((one) =>
        one.startsWith('toolplane_calls_total{tool="echo.echo",status="succeeded"}'),
      );
      return Number(
        line?.split(" ")[1] ?? assert.fail(`no calls in:\n${lines.join("\n").slice(0, 2_000)}`),
      );
    };
    const before = await counted();
    const answers = await Promise.all(Array.from({ length: 60 }, call));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(await counted(), before + 60, "the numbers of all are one number");

    const client = await EraClient.open(`${serving.url}/mcp`, "legacy", {
      headers: { connection: "close" },
    });
    for (let time = 0; time < 12; time += 1)
      assert.equal((await client.exchange("tools/list")).status, 200);

    // A browser's session is known to all of them.
    const key = serving.proof.authorization?.split(" ")[1];
    const begun = await ask("/session", { method: "POST", body: JSON.stringify({ key }) });
    const { page } = (await begun.json()) as { page: string };
    const cookie = begun.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    for (let time = 0; time < 12; time += 1) {
      const shown = { cookie, "x-toolplane-session": page, connection: "close" };
      const session = await (await fetch(`${serving.url}/session`, { headers: shown })).json();
      assert.equal((session as { isProven: boolean }).isProven, true);
    }

    // A server that is restarted, or ended, is so for all of them.
    const copies = () =>
      workers.flatMap(childrenOf).filter((one) => commandOf(one).includes("servers/echo"));
    await until("each has its copy", async () => {
      await Promise.all(Array.from({ length: 12 }, call));
      return copies().length === 3;
    });
    const old = copies();
    assert.equal((await ask("/servers/echo/restart", { method: "POST" })).status, 200);
    await until(
      "all copies are new",
      () => copies().length === 3 && copies().every((one) => !old.includes(one)),
    );
    assert.equal((await ask("/servers/echo/disconnect", { method: "POST" })).status, 200);
    await until("no copy is left", () => copies().length === 0);
    assert.equal((await ask("/servers/echo/connect", { method: "POST" })).status, 200);
    await until("all are back", () => copies().length === 3);

    const [victim = 0] = workers.slice(1);
    const soFar = await counted();
    process.kill(victim, "SIGKILL");
    await until(
      "another one is there",
      () => childrenOf(pid).length === 3 && !childrenOf(pid).includes(victim),
    );
    assert.ok((await counted()) >= soFar, "what it had counted is still there");
    await until("it answers", async () =>
      (await Promise.all(Array.from({ length: 12 }, call))).every(({ ok }) => ok),
    );

    assert.equal(await serving.stop("SIGTERM"), 0);
    assert.match(await said, /Worker \d ended and is started again/);
    for (const one of [...workers, pid])
      assert.equal(isRunning(one), false, `${one} is still there`);
  });

  test("one that hangs is ended and replaced, and what it had started is gone", async () => {
    await using serving = await startWorkers(2);
    const { said, pid, workers } = serving;
    const [healthy = 0, victim = 0] = workers;
    const headers = { ...serving.proof, connection: "close" };
    const connect = () => fetch(`${serving.url}/servers/echo/connect`, { method: "POST", headers });
    await until("each has its copy", async () => {
      assert.equal((await connect()).status, 200);
      return childrenOf(victim).some((one) => commandOf(one).includes("servers/echo"));
    });
    const started = childrenOf(victim);
    process.kill(victim, "SIGSTOP");
    await until(
      "another one is there",
      () => childrenOf(pid).length === 2 && !childrenOf(pid).includes(victim),
    );
    await until("nothing of it is left", () => !started.some(isRunning));
    assert.ok(childrenOf(pid).includes(healthy));
    assert.equal(await serving.stop("SIGTERM"), 0);
    assert.match(await said, /Worker \d has not answered for 30 seconds and is ended\./);
  });

  test("workers do not outlive the process that started them", async () => {
    await using serving = await startWorkers(2);
    const all = serving.workers.flatMap((worker) => [worker, ...childrenOf(worker)]);
    serving.process.kill("SIGKILL");
    await until("they are gone", () => !all.some(isRunning));
  });
});
