import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  fixtureCommand,
  fixtureEnvironment,
  readLog,
  temporaryDirectory,
} from "../../../test/fixtures/start-server.ts";
import { connectVia } from "../../../test/samples/channels.ts";
import { TransportError } from "../../protocol/message.ts";
import { openStdio, type StdioOptions } from "./stdio.ts";

const { NODE_COMPILE_CACHE = "" } = fixtureEnvironment();
const ping = { jsonrpc: "2.0", id: 7, method: "ping" } as const;

function connect(name: string, args: string[] = [], changes: Partial<StdioOptions> = {}) {
  const options = { env: { NODE_COMPILE_CACHE }, cwd: undefined, parentEnvironment: process.env };
  return connectVia((handlers) =>
    openStdio({ ...fixtureCommand(name, args), ...options, ...changes }, handlers),
  );
}

function alive(pid: number | null): boolean {
  try {
    return process.kill(pid ?? assert.fail("no pid"), 0);
  } catch {
    return false;
  }
}

// The slow ones first: they wait side by side with the rest.
suite("stdio transport", { concurrency: 8 }, () => {
  const ladder: [title: string, args: string[], events: string[]][] = [
    ["leaves when its input ends", [], ["start", "stdin-end", "exit"]],
    ["leaves when it is told to", ["--ignore-stdin-end"], ["start", "stdin-end", "signal", "exit"]],
    ["does not leave", ["--ignore-stdin-end", "--ignore-sigterm"], ["start", "stdin-end", "signal"]],
  ];

  for (const [title, args, events] of ladder) {
    test(`after closing, a server that ${title} is gone`, async () => {
      await using directory = await temporaryDirectory();
      const log = directory.file("log");
      const connected = await connect("echo", ["--log", log, ...args]);
      await connected.handshake();
      await connected.channel.close();
      assert.equal(alive(connected.channel.pid), false);
      const happened = readLog(log).map(({ event }) => event);
      assert.deepEqual(
        happened.filter((event) => event !== "received"),
        events,
      );
    });
  }

  test("a server behind a shell is gone with it", { skip: process.platform === "win32" }, async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const { command, args } = fixtureCommand("echo", ["--ignore-stdin-end", "--log", log]);
    const script = `'${command}' ${args.map((word) => `'${word}'`).join(" ")}; true`;
    const connected = await connect("echo", [], { command: "sh", args: ["-c", script] });
    const [block] = (await connected.call("pid")).content as { text: string }[];
    assert.notEqual(Number(block?.text), connected.channel.pid);
    await connected.channel.close();
    assert.equal(alive(connected.channel.pid), false);
    assert.equal(readLog(log).at(-1)?.event, "exit");
  });

  test("requests and answers pass through pipes, whatever characters they hold", async () => {
    await using connected = await connect("echo");
    await connected.handshake();
    const long = 'ß€😀\n"\\'.repeat(50_000);
    const answers = await Promise.all(["a", long].map((message) => connected.call("echo", { message })));
    assert.deepEqual(
      answers.map(({ content }) => content),
      [[{ type: "text", text: "a" }], [{ type: "text", text: long }]],
    );
  });

  test("lines that are no messages are passed over", async () => {
    await using connected = await connect("fault");
    assert.deepEqual((await connected.call("junk")).content, [{ type: "text", text: "after the junk" }]);
    assert.equal(connected.closings, 0);
  });

  test("a server gets what a process needs and what it is given, and none of our secrets", async () => {
    const parentEnvironment = { ...process.env, HOME: "/home/ada", SECRET_KEY: "hunter2", TZ: "UTC" };
    const env = { NODE_COMPILE_CACHE, GIVEN: "yes", TZ: "Europe/Berlin" };
    await using directory = await temporaryDirectory();
    await using connected = await connect("echo", [], { parentEnvironment, env, cwd: directory.path });
    const { structuredContent } = await connected.call("env");
    const { HOME, SECRET_KEY, GIVEN, TZ } = structuredContent as Record<string, string>;
    assert.deepEqual(
      { HOME, SECRET_KEY, GIVEN, TZ },
      {
        HOME: "/home/ada",
        SECRET_KEY: undefined,
        GIVEN: "yes",
        TZ: "Europe/Berlin",
      },
    );
    const [block] = (await connected.call("cwd")).content as { text: string }[];
    assert.ok(block?.text.endsWith(directory.path));
  });

  test("a command that does not exist is told with its name and the remedy", async () => {
    for (const changes of [{ command: "no-such-command-anywhere" }, { cwd: "/no/such/directory" }]) {
      await assert.rejects(connect("echo", [], changes), (error) => {
        assert.ok(error instanceof TransportError);
        assert.equal(error.sent, false);
        assert.match(error.message, new RegExp(`not found.*'${Object.keys(changes)[0]}'`));
        return true;
      });
    }
    await assert.rejects(connect("echo", [], { command: "/" }), /is not executable.*permissions/);
  });

  const deaths: [title: string, tool: string, args: object, reason: RegExp][] = [
    ["exits", "exit_mid_call", { code: 7 }, /exited with code 7/],
    ["is killed", "kill_mid_call", {}, /ended by SIGKILL/],
    ["stops in the middle of its answer", "half_line", {}, /exited with code 1/],
  ];

  for (const [title, tool, args, reason] of deaths) {
    test(`a server that ${title} fails the call, once, and later ones were not sent`, async () => {
      await using connected = await connect("fault");
      const failed = connected.call(tool, { ...args });
      await assert.rejects(failed, (error) => error instanceof TransportError && error.sent);
      assert.match((await connected.closed).message, reason);
      assert.equal(connected.closings, 1);
      await assert.rejects(connected.call("ok"), (error) => error instanceof TransportError && !error.sent);
    });
  }

  test("a server that dies at once is told with what it said last, without secrets", async () => {
    const script = "console.error('\\u001b[31mno config, token=hunter2\\u001b[0m'); process.exit(3)";
    await using connected = await connect("echo", [], { args: ["-e", script] });
    const { message } = await connected.closed;
    assert.equal(message, "it exited with code 3; it last said: no config, token=[redacted]");
  });

  test("a server that closes its standard input ends the connection", async () => {
    const script = "require('fs').closeSync(0); console.log('{}'); setTimeout(() => 0, 60_000)";
    await using connected = await connect("echo", [], { args: ["-e", script] });
    while (connected.messages.length === 0) await new Promise((resolve) => setImmediate(resolve));
    connected.channel.send(ping);
    assert.match((await connected.closed).message, /standard input was closed/);
  });
});
