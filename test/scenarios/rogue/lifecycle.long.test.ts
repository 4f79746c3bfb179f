import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { until } from "../../fixtures/until.ts";
import { getJson, postCall } from "../requests.ts";
import {
  errorOf,
  isAlive,
  planeOf,
  runCli,
  startCli,
  startServeProcess,
  textsOf,
  within,
  writeConfig,
} from "../support.ts";
import { listChanges, startMcp } from "./mcp-client.ts";
import {
  aliveIn,
  eventually,
  oracle,
  type RogueStatus,
  received,
  restingStatus,
  rogue,
  startsIn,
  statusOf,
} from "./rogue.ts";

const isWorking = async (url: string, tool: string) =>
  (await postCall(url, tool, { arguments: {} })).status === 200;

async function toolNames(url: string): Promise<string[]> {
  const { body } = await getJson(`${url}/tools`);
  return (body.tools as { name: string }[]).map(({ name }) => name);
}

suite("rogue: lifecycle and processes", { concurrency: 3 }, () => {
  test("a server that hangs on initialize delays no neighbour, is named and put away", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, {
      hang: rogue("hang-initialize", ["--log", log], { connectTimeoutMs: 3_000, backoffMs: 4_000 }),
      neighbour: rogue("echo"),
    });
    await using serving = await startServeProcess(config, directory.file("data"));
    const { url } = serving;
    await eventually("a call of the neighbour", () => isWorking(url, "neighbour.echo"));
    const listing = await within("a list with the neighbour's tools", toolNames(url));
    assert.ok(listing.includes("neighbour.echo"), listing.join());
    const { error, nextRetryAt } = await restingStatus(url, "hang");
    const refused = await postCall(url, "hang.anything", {});
    assert.match(error, /(initialize|handshake).*\b3 s/);
    assert.match(JSON.stringify(refused.body), /'hang'.*(initialize|handshake)/);
    const [first] = startsIn(log);
    await until("the end of the child", () => first !== undefined && !isAlive(first.pid));
    await delay(Math.max(0, Date.parse(nextRetryAt) - Date.now() - 200));
    const early = startsIn(log).filter(
      ({ t }) => t > (first?.t ?? 0) && t < Date.parse(nextRetryAt) - 100,
    );
    assert.deepEqual(early, [], "nothing was started before the backoff was over");
  });

  test("a slow server joins by itself when it is ready, with one list_changed", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const gate = directory.file("gate");
    const slow = rogue("slow-start", ["--gate", gate, "--log", log], { connectTimeoutMs: 60_000 });
    const config = await writeConfig(directory, { slow, neighbour: rogue("echo") });
    await using client = await startMcp(config, directory.file("data"));
    await until("the start", () => startsIn(log).length === 1);
    await eventually("the other tools", async () =>
      (await client.toolNames()).includes("neighbour__echo"),
    );
    const before = listChanges(client);
    await writeFile(gate, "");
    await until("the slow server", () => oracle(log, "ready").length === 1);
    await eventually("its tool", async () => (await client.toolNames()).includes("slow__late"));
    await delay(500);
    assert.equal(listChanges(client) - before, 1);
    const { result } = await client.call("slow__late");
    assert.match(JSON.stringify(result), /here at last/);
  });

  test("a slow server is connecting while it is under its limit", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const gate = directory.file("gate");
    const slow = rogue("slow-start", ["--gate", gate, "--log", log], { connectTimeoutMs: 60_000 });
    const config = await writeConfig(directory, { slow, neighbour: rogue("echo") });
    await using serving = await startServeProcess(config, directory.file("data"));
    await eventually("a call of the neighbour", () => isWorking(serving.url, "neighbour.echo"));
    assert.equal((await statusOf(serving.url, "slow")).state, "connecting");
    await writeFile(gate, "");
    await until("the slow server", () => oracle(log, "ready").length === 1);
    await eventually("its connection", async () => {
      const { state, tools } = await statusOf(serving.url, "slow");
      return state === "connected" && tools === 1;
    });
    assert.equal(startsIn(log).length, 1);
  });

  test("a server slower than its limit fails clearly and is tried again after the backoff", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const limits = { connectTimeoutMs: 1_000, backoffMs: 2_000 };
    const slow = rogue("slow-start", ["--delay", "60000", "--log", log], limits);
    await using plane = await planeOf({ slow });
    plane.start();
    const { error, nextRetryAt } = await restingStatus(plane, "slow");
    const before = startsIn(log).length;
    assert.match(error, /\b1 s\b/);
    await until("another try", () => startsIn(log).length > before);
    const next = startsIn(log)[before];
    assert.ok((next?.t ?? 0) >= Date.parse(nextRetryAt) - 100, "not before the backoff");
  });

  test("a crash in a call fails it at once and the server is back within five seconds", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { crash: rogue("crash-mid-call", ["--log", log]) });
    await using serving = await startServeProcess(config, directory.file("data"));
    for (const [tool, told] of [
      ["boom", /SIGKILL/],
      ["exit1", /code 1/],
    ] as const) {
      await eventually("a working server", () => isWorking(serving.url, "crash.ok"));
      const { body } = await postCall(serving.url, `crash.${tool}`, {});
      assert.match(String(body.detail), told, "its end is reported, and not that time is over");
      assert.equal(body.result, undefined, "half an answer is none");
      await eventually(`ok after ${tool}`, () => isWorking(serving.url, "crash.ok"));
      assert.equal(received(log, "tools/call", tool).length, 1, "it was not sent again");
    }
    assert.deepEqual([serving.process.exitCode, serving.process.signalCode], [null, null]);
  });

  test("a server that exits after three answers is replaced, one process at a time", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      brief: rogue("exits-after-n", ["--n", "3", "--log", log]),
    });
    for (let group = 0; group < 10; group++) {
      for (let call = 1; call <= 3; call++) {
        const [text] = textsOf(await plane.call("brief.count"));
        assert.equal(JSON.parse(String(text)).call, call);
      }
      await until("its exit", () => aliveIn(log).length === 0);
      const isNoticed = async () => (await plane.servers.get("brief")).state !== "connected";
      await eventually("the plane to notice it", isNoticed);
    }
    assert.equal(startsIn(log).length, 10);
  });

  test("thirty calls, ten at a time, are all answered while their server keeps exiting", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await planeOf({
      brief: rogue("exits-after-n", ["--n", "3", "--log", log]),
    });
    const codes: (string | undefined)[] = [];
    const worker = async () => {
      for (let call = 0; call < 3; call++)
        codes.push((await plane.call("brief.count")).error?.code);
    };
    await within("thirty calls", Promise.all(Array.from({ length: 10 }, worker)));
    assert.equal(codes.length, 30);
    // `count` promises nothing, so what was sent and lost must not be repeated. All others succeed.
    const wrong = codes.filter((code) => code !== undefined && code !== "OUTCOME_UNKNOWN");
    assert.deepEqual(wrong, []);
    assert.ok(codes.includes(undefined), "some succeed");
    const starts = startsIn(log);
    const exits = oracle(log, "exit");
    for (const [at, { t }] of starts.slice(1).entries()) {
      const ended = exits.find(({ pid }) => pid === starts[at]?.pid);
      assert.ok(
        ended && ended.t <= t,
        `process ${at + 2} started before process ${at + 1} had ended`,
      );
    }
  });

  test("ten servers that ignore SIGTERM do not keep the plane from ending in ten seconds", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const names = Array.from({ length: 10 }, (_, at) => `deaf${at}`);
    const servers = names.map((name) => [name, rogue("ignores-sigterm", ["--log", log])]);
    const config = await writeConfig(directory, Object.fromEntries(servers));
    await using serving = await startServeProcess(config, directory.file("data"));
    await eventually("ten connections", async () => {
      const { body } = await getJson(`${serving.url}/servers`);
      return (body.servers as RogueStatus[]).every(({ state }) => state === "connected");
    });
    assert.equal(await within("serve after SIGTERM", serving.stop("SIGTERM")), 0);
    assert.equal(startsIn(log).length, 10);
    assert.deepEqual(aliveIn(log), []);
  });

  test("each server that cannot start is reported with its name, the field and the reason", async () => {
    await using directory = await temporaryDirectory();
    const plain = directory.file("not-executable");
    await writeFile(plain, "just text");
    await chmod(plain, 0o644);
    const folder = directory.file("folder");
    await mkdir(folder);
    const config = await writeConfig(directory, {
      missing: { command: "no-such-command-anywhere" },
      folder: { command: folder },
      plain: { command: plain },
      nowhere: rogue("echo", [], { cwd: directory.file("no-such-directory") }),
      neighbour: rogue("echo"),
    });
    const common = ["--json", "--config", config, "--data-dir", directory.file("data")];
    const listed = (await runCli(["servers", "list", ...common])).json().servers as RogueStatus[];
    const errors = Object.fromEntries(listed.map(({ name, error }) => [name, error ?? ""]));
    assert.match(errors.missing ?? "", /command.*no-such-command-anywhere.*(not found|ENOENT)/);
    assert.match(
      errors.folder ?? "",
      /command.*folder.*(not executable|directory|EACCES|permission)/i,
    );
    assert.match(
      errors.plain ?? "",
      /command.*not-executable.*(not executable|EACCES|permission)/i,
    );
    assert.match(errors.nowhere ?? "", /no-such-directory/);
    assert.match(errors.nowhere ?? "", /cwd/);
    assert.equal(errors.neighbour, "");
    const called = await runCli(["call", "neighbour.echo", ...common]);
    assert.equal(called.code, 0, called.stderr);
    const refused = await runCli(["call", "folder.anything", ...common]);
    assert.match(errorOf(refused.json()).message, /'folder'/);
    const checked = await runCli(["doctor", ...common]);
    assert.notEqual(checked.code, 0);
    const report = checked.json().servers as { name: string; ok: boolean }[];
    assert.deepEqual(
      report.filter(({ ok }) => ok).map(({ name }) => name),
      ["neighbour"],
    );
  });

  test("Ctrl-C ends a hanging call with 130, cancelled at the server, which is gone", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const config = await writeConfig(directory, { hang: rogue("hang-call", ["--log", log]) });
    const running = startCli([
      "call",
      "hang.hang",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ]);
    await until("the call", () => received(log, "tools/call", "hang").length === 1);
    await delay(1_000);
    running.process.kill("SIGINT");
    const { code } = await within("the end after SIGINT", running.result);
    assert.equal(code, 130);
    const [request] = received(log, "tools/call", "hang");
    const [cancelled] = received(log, "notifications/cancelled");
    assert.equal(cancelled?.requestId, request?.id);
    assert.deepEqual(aliveIn(log), []);
  });
});
