import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import { createPlane } from "../../../src/index.ts";
import { temporaryDirectory } from "../../fixtures/start-server.ts";
import { getJson } from "../requests.ts";
import { fixture, planeOf, runCli, startServe, writeConfig } from "../support.ts";
import { listenTo, person, post, structuredOf } from "./parts.ts";

suite("what servers ask and say beside their answers", { concurrency: 4 }, () => {
  test("a server that asks for a model gets its words, for the call that made it ask", async () => {
    const seen: object[] = [];
    await using plane = await planeOf(
      { sample: fixture("sample") },
      {
        sampling: async (params, { server, callId, user }) => {
          seen.push({ server, callId, user, maxTokens: params.maxTokens });
          return { role: "assistant", model: "scripted", content: { type: "text", text: "four" } };
        },
      },
    );
    const outcome = await plane.call(
      "sample.sample",
      { prompt: "2+2?" },
      { principal: person("ann") },
    );
    assert.match(JSON.stringify(structuredOf(outcome)), /"text":"four"/);
    assert.deepEqual(seen, [
      { server: "sample", callId: outcome.call.id, user: "ann", maxTokens: 256 },
    ]);
    await using silent = await planeOf({ sample: fixture("sample") });
    assert.match(
      JSON.stringify(await silent.call("sample.sample", { prompt: "?" })),
      /cannot sample/,
    );
  });

  test("progress is reported with its percentage", async () => {
    await using plane = await planeOf({ progress: fixture("progress") });
    const heard = listenTo(plane, "tool.progress");
    const { call } = await plane.call("progress.count", { steps: 4, pause: 10 });
    const expected = [1, 2, 3, 4].map((progress) => ({
      type: "tool.progress",
      callId: call.id,
      tool: "progress.count",
      progress,
      total: 4,
      message: `step ${progress}`,
      percentage: progress * 25,
    }));
    assert.deepEqual(heard, expected);
    heard.length = 0;
    await plane.call("progress.keep_alive", { ms: 120 });
    assert.ok(heard.length > 0);
    assert.ok(heard.every((event) => "percentage" in event && event.percentage === null));
  });

  test("an MCP_UPDATE in a progress message is reported as what it is", async () => {
    await using plane = await planeOf({ progress: fixture("progress") });
    const heard = listenTo(plane, "tool.progress");
    const update = { type: "system_message", message: "half way", subtype: "info" };
    await plane.call("progress.count", {
      steps: 1,
      message: `MCP_UPDATE:${JSON.stringify(update)}`,
    });
    const told = heard.map((event) => event as unknown as { message: string; update?: unknown });
    assert.ok(
      told.every(({ message }) => !message.includes("MCP_UPDATE:")),
      JSON.stringify(told),
    );
    assert.deepEqual(told[0]?.update, update);
    heard.length = 0;
    const broken = "MCP_UPDATE:{no json";
    await plane.call("progress.count", { steps: 1, message: broken });
    assert.equal(heard[0]?.message, broken, "what cannot be read is plain progress");
  });

  test("progress of one call is never reported for another", async () => {
    await using plane = await planeOf({ progress: fixture("progress") });
    const heard = listenTo(plane, "tool.progress");
    const calls = await Promise.all(
      [3, 5, 7].map((steps) =>
        plane.call("progress.count", { steps, pause: 5, message: `of ${steps}` }),
      ),
    );
    for (const [at, { call }] of calls.entries()) {
      const own = heard.filter(({ callId }) => callId === call.id);
      const steps = [3, 5, 7][at] ?? 0;
      assert.deepEqual(
        own.map(({ message }) => message),
        Array(steps).fill(`of ${steps}`),
      );
    }
  });

  test("what a server logs is kept with its level", async () => {
    await using plane = await planeOf({ progress: fixture("progress") });
    const events = listenTo(plane, "server.log");
    await plane.call("progress.log_lines", { text: "a line" });
    const levels = [
      "debug",
      "info",
      "notice",
      "warning",
      "error",
      "critical",
      "alert",
      "emergency",
    ];
    assert.deepEqual(
      events.map(({ level }) => level),
      levels,
    );
    const lines = (await plane.servers.logs("progress")).filter(({ source }) => source === "log");
    assert.deepEqual(
      lines.map(({ level }) => level),
      levels,
    );
    assert.ok(lines.every(({ text }) => text.includes("a line")));
  });

  test("what a server logs during one user's call is not shown to another", async () => {
    const entry = fixture("progress", [], { session: "principal" });
    await using plane = await planeOf({ progress: entry }, { principal: person("bob") });
    await plane.call("progress.log_lines", { text: "only for bob" });
    await plane.call("progress.log_lines", { text: "only for ann" }, { principal: person("ann") });
    const shown = JSON.stringify(await plane.servers.logs("progress"));
    assert.match(shown, /only for bob/);
    assert.doesNotMatch(shown, /only for ann/);
  });

  test("prompts are listed and filled in through the library, the command line and HTTP", async () => {
    await using directory = await temporaryDirectory();
    const servers = { prompts: fixture("prompts"), echo: fixture("echo") };
    await using plane = await planeOf(servers);
    const listed = await plane.prompts.list();
    assert.deepEqual(
      listed.map(({ server, name }) => `${server}.${name}`),
      ["prompts.greeting", "prompts.travel", "prompts.with_resource"],
    );
    assert.equal(listed[1]?.title, "Travel plan");
    const filled = (await plane.prompts.get("prompts", "travel", {
      city: "Bern",
      days: "2",
    })) as Record<string, unknown>;
    assert.match(JSON.stringify(filled.messages), /Plan 2 days in Bern/);
    assert.deepEqual(filled._meta, { "fixture/arguments": { city: "Bern", days: "2" } });
    await assert.rejects(plane.prompts.get("prompts", "travel"), /Missing argument: city/);
    await assert.rejects(plane.prompts.get("prompts", "nothing"), /Unknown prompt: nothing/);
    await assert.rejects(plane.prompts.list("promts"), { code: "SERVER_NOT_FOUND" });

    const config = await writeConfig(directory, servers);
    const common = ["--config", config, "--data-dir", directory.file("data")];
    const got = await runCli(["prompts", "get", "prompts", "travel", "city=Bern", ...common]);
    assert.match(got.stdout, /user: Plan 3 days in Bern/);
    assert.match((await runCli(["prompts", "list", ...common])).stdout, /prompts\s+travel/);
    const wrong = await runCli(["prompts", "get", "prompts", "travel", ...common]);
    assert.notEqual(wrong.code, 0);
    assert.match(wrong.stderr, /Missing argument: city/);
    assert.doesNotMatch(
      wrong.stderr,
      /report it|Unexpected/i,
      "what a server refuses is no defect of ours",
    );
    await using serving = await startServe(config, directory.file("data"));
    const overHttp = await getJson(`${serving.url}/prompts?server=prompts`);
    assert.equal((overHttp.body.prompts as unknown[]).length, 3);
    const answer = await post(serving, "/servers/prompts/prompts/travel", {
      arguments: { city: "Rom" },
    });
    assert.match(JSON.stringify(answer), /in Rom/);
  });

  test("resources and their templates are listed and read through every face", async () => {
    await using directory = await temporaryDirectory();
    const servers = { files: fixture("resources") };
    await using plane = await planeOf(servers);
    assert.deepEqual(
      (await plane.resources.list()).map(({ uri }) => uri),
      ["fx://readme", "fx://logo", "fx://watched"],
    );
    assert.deepEqual(
      (await plane.resources.templates("files")).map(({ uriTemplate }) => uriTemplate),
      ["fx://users/{id}"],
    );
    assert.match(JSON.stringify(await plane.resources.read("files", "fx://users/42")), /42/);
    assert.match(JSON.stringify(await plane.resources.read("files", "fx://logo")), /AAEC\/w==/);
    await assert.rejects(plane.resources.read("files", "fx://none"), /Resource not found/);
    const config = await writeConfig(directory, servers);
    const common = ["--config", config, "--data-dir", directory.file("data")];
    assert.equal(
      (await runCli(["resources", "read", "files", "fx://readme", ...common])).stdout.trim(),
      "# Hello",
    );
    assert.match((await runCli(["resources", "list", ...common])).stdout, /fx:\/\/users\/\{id\}/);
    await using serving = await startServe(config, directory.file("data"));
    const { body } = await getJson(`${serving.url}/resources`);
    assert.deepEqual(
      [(body.resources as unknown[]).length, (body.resourceTemplates as unknown[]).length],
      [3, 1],
    );
    const read = await getJson(
      `${serving.url}/servers/files/resource?uri=${encodeURIComponent("fx://readme")}`,
    );
    assert.match(JSON.stringify(read.body), /# Hello/);
    const none = await getJson(`${serving.url}/servers/files/resource?uri=fx%3A%2F%2Fnone`);
    assert.ok(none.status >= 400 && none.status !== 500, `HTTP ${none.status}`);
  });

  test("roots are reported as the configuration has them, from where its file stands", async () => {
    await using directory = await temporaryDirectory();
    await mkdir(directory.file("a b"));
    const roots = ["a b", "file:///elsewhere", directory.path];
    const config = await writeConfig(directory, {
      rpc: fixture("rpc", [], { roots }),
      bare: fixture("rpc"),
    });
    await using plane = await createPlane({ config });
    const told = async (server: string) => {
      const { result } = structuredOf(await plane.call(`${server}.ask_roots`)) as {
        result: { roots: { uri: string }[] };
      };
      return result.roots.map(({ uri }) => uri);
    };
    const expected = [directory.file("a b"), "/elsewhere", directory.path].map(
      (path) => pathToFileURL(path).href,
    );
    assert.deepEqual(await told("rpc"), expected);
    assert.deepEqual(await told("bare"), []);
  });
});
