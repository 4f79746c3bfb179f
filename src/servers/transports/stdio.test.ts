import assert from "node:assert/strict";
import { chmod, writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { connectChannel } from "../../../test/fixtures/servers/support/connect-channel.ts";
import {
  fixtureCommand,
  fixtureEnvironment,
  readLog,
  temporaryDirectory,
} from "../../../test/fixtures/start-server.ts";
import { until } from "../../../test/fixtures/until.ts";
import { TransportError } from "../../protocol/message.ts";
import { openStdio, type StdioOptions } from "./stdio.ts";

const { NODE_COMPILE_CACHE = "" } = fixtureEnvironment();
const ping = { jsonrpc: "2.0", id: 7, method: "ping" } as const;

function connect(name: string, args: string[] = [], changes: Partial<StdioOptions> = {}) {
  const options = {
    env: { NODE_COMPILE_CACHE },
    cwd: undefined,
    parentEnvironment: process.env,
    maxMessageBytes: 10 * 1024 * 1024,
  };
  return connectChannel((handlers) =>
    openStdio({ ...fixtureCommand(name, args), ...options, ...changes }, handlers),
  );
}

/** A server of a few lines: `answer(request)` is called for each request and may print anything. */
const scripted = (answer: string, before = "") => ({
  args: [
    "-e",
    `${before};require('readline').createInterface({input:process.stdin}).on('line', (line) => {
      const request = JSON.parse(line);
      const done = (text = 'done') => console.log(JSON.stringify({
        jsonrpc: '2.0', id: request.id, result: { content: [{ type: 'text', text }] } }));
      ${answer}
    }).on('close', () => process.exit(0))`,
  ],
});

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
    [
      "leaves when it gets the signal",
      ["--ignore-stdin-end"],
      ["start", "stdin-end", "signal", "exit"],
    ],
    [
      "does not leave",
      ["--ignore-stdin-end", "--ignore-sigterm"],
      ["start", "stdin-end", "signal"],
    ],
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

  test("a server behind a shell is gone with it", {
    skip: process.platform === "win32",
  }, async () => {
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
    const answers = await Promise.all(
      ["a", long].map((message) => connected.call("echo", { message })),
    );
    assert.deepEqual(
      answers.map(({ content }) => content),
      [[{ type: "text", text: "a" }], [{ type: "text", text: long }]],
    );
  });

  test("lines that are no messages are passed over", async () => {
    await using connected = await connect("fault");
    assert.deepEqual((await connected.call("junk")).content, [
      { type: "text", text: "after the junk" },
    ]);
    assert.equal(connected.closings, 0);
  });

  for (const length of [1, 10_000])
    test(`a first line that begins with a byte order mark is a message of ${length > 1 ? "many bytes" : "few bytes"}`, async () => {
      const begins = `process.stdout.write('\\ufeff');`;
      await using connected = await connect(
        "echo",
        [],
        scripted(`done('é'.repeat(${length}))`, begins),
      );
      for (let round = 0; round < 2; round++)
        assert.deepEqual((await connected.call("any")).content, [
          { type: "text", text: "é".repeat(length) },
        ]);
      assert.deepEqual(connected.noise, []);
    });

  test("a server gets what a process needs and what it is given, and none of our secrets", async () => {
    const parentEnvironment = {
      ...process.env,
      HOME: "/home/ada",
      SECRET_KEY: "hunter2",
      TZ: "UTC",
    };
    const env = { NODE_COMPILE_CACHE, GIVEN: "yes", TZ: "Europe/Berlin" };
    await using directory = await temporaryDirectory();
    await using connected = await connect("echo", [], {
      parentEnvironment,
      env,
      cwd: directory.path,
    });
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

  test("what could not be started is reported with its name, the reason and the key to change", async () => {
    await using directory = await temporaryDirectory();
    const file = async (name: string, text: string, mode: number) => {
      await writeFile(directory.file(name), text);
      await chmod(directory.file(name), mode);
      return directory.file(name);
    };
    const starts: [changes: Partial<StdioOptions>, says: RegExp][] = [
      [
        { command: "no-such-command-anywhere" },
        /^command 'no-such-.*' was not found\. Check 'command' and PATH$/,
      ],
      [
        { command: "./no-such-command-anywhere", cwd: directory.path },
        /was not found in directory.*'command' and 'cwd'/,
      ],
      [
        { cwd: "/no/such/directory" },
        /^directory '\/no\/such\/directory' does not exist\. Check 'cwd'$/,
      ],
      [{ cwd: await file("a-file", "", 0o644) }, /a-file' is not a directory\. Check 'cwd'$/],
      [{ command: directory.path }, /is a directory\. Set 'command'/],
      [{ command: await file("plain.sh", "#!/bin/sh\n", 0o644) }, /is not executable.*permissions/],
      [{ command: "./plain.sh", cwd: directory.path }, /is not executable.*permissions/],
      [
        { command: await file("lost.sh", "#!/no/such/shell\n", 0o755) },
        /first line \(#!\) of .*lost\.sh' was not found/,
      ],
      [{ args: ["a\0b"] }, /could not be started/],
    ];
    for (const [changes, says] of starts) {
      await assert.rejects(connect("echo", [], changes), (error) => {
        assert.ok(error instanceof TransportError);
        assert.equal(error.sent, false);
        assert.match(error.message, says);
        return true;
      });
    }
  });

  test("an answer above the limit is passed over and told with its request, and the connection lives on", async () => {
    const answer = "done(request.id === 2 ? 'x'.repeat(5_000) : 'small')";
    await using connected = await connect("echo", [], {
      ...scripted(answer),
      maxMessageBytes: 1_000,
    });
    await connected.call("any");
    void connected.call("any").catch(() => undefined);
    assert.deepEqual((await connected.call("any")).content, [{ type: "text", text: "small" }]);
    const line = {
      jsonrpc: "2.0",
      id: 2,
      result: { content: [{ type: "text", text: "x".repeat(5_000) }] },
    };
    assert.deepEqual(connected.tooLarge, [[2, JSON.stringify(line).length]]);
    assert.equal(connected.closings, 0);
  });

  for (const [what, begin] of [
    ["bytes", ""],
    ["an answer", '{"jsonrpc":"2.0","id":1,"result":{"content":"'],
  ])
    test(`${what} without an end fail the calls that wait, and the connection`, async () => {
      const endless = `process.stdout.write(${JSON.stringify(begin)}); setInterval(() => process.stdout.write('x'.repeat(1_000)), 1)`;
      await using connected = await connect("echo", [], {
        ...scripted(endless),
        maxMessageBytes: 10_000,
      });
      const calls = [connected.call("any"), connected.call("any")];
      for (const call of calls)
        await assert.rejects(call, (thrown) => thrown instanceof TransportError && thrown.sent);
      assert.match(
        (await connected.closed).message,
        /more than 10000 bytes \('maxMessageBytes'\) without the end/,
      );
      assert.equal(connected.closings, 1);
    });

  test("what is no JSON is reported as noise, short and without what could do harm", async () => {
    const junk = JSON.stringify(
      `\u001b[31mred\u0007 token=hunter2\n\n  \n42\n${"y".repeat(9_999)}`,
    );
    await using connected = await connect("echo", [], scripted(`console.log(${junk}); done()`));
    await connected.call("any");
    assert.deepEqual(connected.noise, ["red token=[redacted]", "y".repeat(200)]);
  });

  test("what a server writes for people is handed over whole, and a flood of it blocks nothing", async () => {
    const flood = "require('fs').writeSync(2, '€'.repeat(200_000))";
    await using connected = await connect("echo", [], scripted("done()", flood));
    await connected.call("any");
    const said = () => connected.stderr.join("");
    await until("all of it", () => said().length >= 200_000);
    assert.match(said(), /^€{200000}$/);
  });

  test("a server that closes its standard output but lives is lost", async () => {
    await using connected = await connect("echo", [], scripted("require('fs').closeSync(1)"));
    const failed = assert.rejects(connected.call("any"), TransportError);
    assert.match((await connected.closed).message, /standard output was closed/);
    assert.ok(alive(connected.channel.pid));
    await failed;
  });

  test("writing to a server that no longer reads fails the connection and nothing else", async () => {
    await using connected = await connect("echo", [], { args: ["-e", "process.exit(0)"] });
    for (let round = 0; round < 50 && connected.closings === 0; round += 1) {
      try {
        connected.channel.send({ ...ping, params: { text: "x".repeat(100_000) } });
      } catch (thrown) {
        assert.ok(thrown instanceof TransportError);
      }
    }
    assert.match((await connected.closed).message, /exited with code 0|standard input was closed/);
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
      await assert.rejects(
        connected.call("ok"),
        (error) => error instanceof TransportError && !error.sent,
      );
    });
  }

  test("a server that dies at once is distinguished from what it said last, without secrets", async () => {
    const script =
      "console.error('\\u001b[31mno config, token=hunter2\\u001b[0m'); process.exit(3)";
    await using connected = await connect("echo", [], { args: ["-e", script] });
    const { message, said } = await connected.closed;
    assert.deepEqual([message, said], ["it exited with code 3", "no config, token=[redacted]"]);
  });

  test("a server that closes its standard input ends the connection", async () => {
    const script = "require('fs').closeSync(0); console.log('{}'); setTimeout(() => 0, 60_000)";
    await using connected = await connect("echo", [], { args: ["-e", script] });
    await until("its first message", () => connected.messages.length > 0);
    connected.channel.send(ping);
    assert.match((await connected.closed).message, /standard input was closed/);
  });
});
