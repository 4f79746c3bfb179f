import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, type Plane, principalOf } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { fixture, planeOf, runCli, startServe, writeConfig } from "./support.ts";

const read = async (plane: Plane, server: string) =>
  (await plane.servers.messages(server)).messages;
const key = "sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN";

suite("the messages of a server", () => {
  test("nothing is recorded until a person wants it; then both directions are, with method, id, size and time", async () => {
    await using plane = await planeOf({ fx: fixture("progress") });
    await plane.call("fx.count", { steps: 1 });
    assert.deepEqual(await plane.servers.messages("fx"), {
      recording: false,
      since: null,
      until: null,
      dropped: 0,
      messages: [],
    });
    const begun = await plane.servers.record("fx");
    assert.equal(begun.recording, true);
    await plane.call("fx.count", { steps: 2 });
    const messages = await read(plane, "fx");
    assert.deepEqual(
      messages.map(({ direction, kind, method }) => [direction, kind, method]),
      [
        ["sent", "request", "tools/call"],
        ["received", "notification", "notifications/progress"],
        ["received", "notification", "notifications/progress"],
        ["received", "result", "tools/call"],
      ],
    );
    const [asked, , , answered] = messages;
    assert.equal(asked?.id, answered?.id);
    assert.ok((answered?.durationMs ?? 0) > 0);
    const { params } = (asked?.message ?? {}) as { params: { arguments: object } };
    assert.deepEqual(params.arguments, { steps: 2 });
    assert.equal(answered?.bytes, Buffer.byteLength(JSON.stringify(answered?.message)));
    const after = await plane.servers.messages("fx", { after: asked?.number ?? 0, limit: 1 });
    assert.deepEqual(
      after.messages.map(({ number }) => number),
      [(asked?.number ?? 0) + 1],
    );
    await plane.servers.record("fx", { on: false });
    await plane.call("fx.count", { steps: 1 });
    const stopped = await plane.servers.messages("fx");
    assert.deepEqual([stopped.recording, stopped.messages.length], [false, messages.length]);
    assert.ok((await plane.audit.list({})).some(({ operation }) => operation === "servers.record"));
  });

  test("the handshake is recorded where the server connects after the start, and the questions of the server are", async () => {
    await using plane = await planeOf({ fx: fixture("elicit") }, { answersQuestions: true });
    await plane.servers.record("fx");
    plane.on(
      "question.asked",
      ({ questionId }) => void plane.questions.answer(questionId, { action: "decline" }),
    );
    await plane.call("fx.ask_colour", {});
    const messages = await read(plane, "fx");
    const methods = messages.map(({ method }) => method);
    assert.ok(
      methods.includes("initialize") || methods.includes("server/discover"),
      String(methods),
    );
    const [asked, answered] = messages.filter(({ method }) => method === "elicitation/create");
    assert.deepEqual([asked?.direction, asked?.kind], ["received", "request"]);
    assert.deepEqual(
      [answered?.direction, answered?.kind, answered?.id],
      ["sent", "result", asked?.id],
    );
    assert.ok((answered?.durationMs ?? 0) > 0);
  });

  test("secrets and injected values are in no recorded message", async () => {
    const inject = [
      { parameter: "username", from: "persona" },
      { parameter: "_user", from: "constant", value: "zebra-crossing-42" },
    ];
    const insider = fixture("insider", [], { inject, trusted: true });
    const env = { ...(insider.env as object), API_TOKEN: "hunter2-hunter2-hunter2" };
    await using plane = await createPlane({
      config: {
        mcpServers: { insider: { ...insider, env }, echo: fixture("echo") },
        overlays: { "insider.open": { arguments: [{ name: "q", fixed: "only-for-the-server" }] } },
      },
    });
    await plane.servers.record("insider");
    await plane.servers.record("echo");
    const principal = principalOf({ user: "ann", persona: "Xanthippe" });
    for (const tool of ["open", "complain", "report"])
      await plane.call(
        `insider.${tool}`,
        { ...(tool === "open" ? {} : { q: "x" }) },
        { principal },
      );
    await plane.call("echo.echo", { message: `use ${key} and hunter2-hunter2-hunter2` });
    const text = JSON.stringify([await read(plane, "insider"), await read(plane, "echo")]);
    assert.match(text, /tools\/call/);
    assert.match(text, /«injected»/);
    assert.match(text, /\[redacted\]/);
    for (const value of ["zebra-crossing-42", "Xanthippe", "only-for-the-server", key])
      assert.ok(
        !text.includes(value),
        `${value} is in ${text.slice(text.indexOf(value) - 200, text.indexOf(value) + 50)}`,
      );
  });

  test("a long message is cut with its size, and no half of a secret stays at the cut", async () => {
    await using plane = await planeOf({ echo: fixture("echo") });
    await plane.servers.record("echo");
    const message = `${"x ".repeat(29_000)}${`${key} `.repeat(4_000)}`;
    await plane.call("echo.echo", { message });
    const [asked, answered] = (await read(plane, "echo")).filter(
      ({ method }) => method === "tools/call",
    );
    for (const one of [asked, answered]) {
      assert.equal(one?.cut, true);
      assert.ok((one?.bytes ?? 0) > message.length);
      assert.equal(typeof one?.message, "string");
      assert.ok(String(one?.message).length <= 64 * 1024);
      assert.doesNotMatch(String(one?.message), /sk-ant/);
    }
  });

  test("only an administrator records and reads them over HTTP; the command line shows and follows them", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(
      directory,
      { echo: fixture("echo") },
      { policy: { profile: "personal" } },
    );
    const data = directory.file("data");
    const place = ["--config", config, "--data-dir", data];
    const alone = await runCli(["servers", "messages", "echo", ...place, "--json"]);
    assert.ok(
      (alone.json().messages as { method: string }[]).some(({ method }) => method === "tools/list"),
    );
    await using serving = await startServe(config, data);
    const make = async (scope: string) => {
      const made = await runCli([
        "keys",
        "create",
        scope,
        "--scope",
        scope,
        "--user",
        scope,
        ...place,
        "--json",
      ]);
      return { "x-api-key": String(made.json().secret) };
    };
    const admin = await make("admin");
    const caller = await make("call");
    const path = `${serving.url}/servers/echo`;
    for (const headers of [caller, {}]) {
      const refused = await fetch(`${path}/messages`, { headers });
      assert.ok([401, 403].includes(refused.status), String(refused.status));
      const started = await fetch(`${path}/record`, { method: "POST", headers });
      assert.ok([401, 403].includes(started.status), String(started.status));
    }
    const none = await runCli(["servers", "messages", "echo", ...place]);
    assert.match(
      none.stdout,
      /Nothing is recorded\. Start it with 'toolplane servers record echo'/,
    );
    const started = await fetch(`${path}/record`, { method: "POST", headers: admin });
    assert.equal(((await started.json()) as { recording: boolean }).recording, true);
    await runCli(["call", "echo.add", "--args", '{"a": 1, "b": 2}', ...place]);
    const answer = (await (await fetch(`${path}/messages?limit=1`, { headers: admin })).json()) as {
      messages: { method: string; kind: string }[];
    };
    assert.deepEqual([answer.messages.length, answer.messages[0]?.kind], [1, "result"]);
    const shown = await runCli(["servers", "messages", "echo", "--limit", "2", ...place]);
    assert.match(
      shown.stdout,
      /→ request tools\/call #\d+ .*\n.*← result tools\/call #\d+ [\d.]+ ms \d+ B/,
    );
    const off = await runCli(["servers", "record", "echo", "--off", ...place, "--json"]);
    assert.equal(off.json().recording, false);
    assert.equal((await runCli(["servers", "messages", "nowhere", ...place])).code, 2);
  });

  test("what a server notifies is in its log: changed lists too", async () => {
    await using plane = await planeOf({ fx: fixture("changing") });
    await plane.servers.connect("fx");
    await plane.call("fx.add_tool", { name: "later" });
    await until("a line about the list", async () =>
      (await plane.servers.logs("fx")).some(
        ({ source, text }) => source === "notification" && text === "tools/list_changed",
      ),
    );
  });
});
