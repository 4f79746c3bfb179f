import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { mock, suite, test } from "node:test";
import { createPlane, PlaneError } from "../../src/index.ts";
import { startScriptedModel } from "../fixtures/llm-script.ts";
import { readLog, receivedMessages, temporaryDirectory } from "../fixtures/start-server.ts";
import { moveClocks } from "../samples/mocked-time.ts";
import { getJson, postCall } from "./requests.ts";
import {
  assertFailed,
  errorOf,
  fixture,
  namedServer,
  runCli,
  startServe,
  textsOf,
  writeConfig,
} from "./support.ts";

const tool = (providers: object[], more: object = {}) => ({
  name: "lookup",
  description: "Looks something up.",
  side_effects: "none" as const,
  parameters: { type: "object" as const, properties: { q: { type: "string" } } },
  providers: providers as { name: string }[],
  ...more,
});

const way = (name: string, priority: number, config: Record<string, string>) => ({
  name,
  priority,
  config,
});

suite("which provider is asked", () => {
  test("of two healthy ones the lower number is asked every time", async () => {
    await using plane = await createPlane({ config: { mcpServers: {} } });
    const asked: string[] = [];
    for (const kind of ["a-second", "z-first"]) {
      plane.tools.registerProvider(kind, () => {
        asked.push(kind);
        return kind;
      });
    }
    plane.tools.register(
      tool([
        { name: "a-second", priority: 10 },
        { name: "z-first", priority: 1 },
      ]),
    );
    for (let call = 0; call < 100; call++) await plane.call("lookup");
    assert.deepEqual(new Set(asked), new Set(["z-first"]));
  });

  test("of two with one number the one that does better is asked, also by a plane that starts again", async () => {
    await using directory = await temporaryDirectory();
    const options = { config: { mcpServers: {} }, dataDirectory: directory.path };
    const open = async () => {
      const plane = await createPlane(options);
      plane.tools.registerProvider("a", () => {
        throw new PlaneError("SERVER_UNAVAILABLE", "It is down.", { data: { sent: false } });
      });
      plane.tools.registerProvider("b", () => "b");
      plane.tools.register(tool([{ name: "a" }, { name: "b" }]));
      return plane;
    };
    {
      await using plane = await open();
      const outcome = await plane.call("lookup");
      assert.deepEqual(
        [outcome.call.provider, outcome.call.attempts],
        ["b", 2],
        "the name decides at first",
      );
    }
    await using again = await open();
    const outcome = await again.call("lookup");
    assert.deepEqual([outcome.call.provider, outcome.call.attempts], ["b", 1]);
  });

  test("ten calls within the interval are one check, and a check is no call", async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    await using plane = await createPlane({
      // With the era given, no ping asks a slow server for it.
      config: {
        mcpServers: {
          near: fixture("echo", ["--log", log], { protocol: "legacy" }),
          far: namedServer("far", ["ok"]),
        },
      },
    });
    const way = (server: string, priority: number) => ({
      name: "mcp",
      priority,
      config: { server, tool: "whoami_server" },
    });
    plane.tools.register(tool([way("near", 0), way("far", 1)]));
    for (let call = 0; call < 10; call++) assert.equal((await plane.call("lookup")).ok, true);
    assert.equal(receivedMessages(readLog(log), "ping").length, 1);
    const { health } = await plane.tools.get("lookup");
    assert.equal(health.providers["mcp:near"]?.metrics.total, 10);
  });

  test("one that fails rests ever longer, is preferred again after each rest, and a success clears its record", async () => {
    await using plane = await createPlane({ config: { mcpServers: {} } });
    let isBroken = true;
    plane.tools.registerProvider("first", () => {
      if (isBroken)
        throw new PlaneError("SERVER_UNAVAILABLE", "It is down.", { data: { sent: false } });
      return "first";
    });
    plane.tools.registerProvider("second", () => "second");
    plane.tools.register(tool(["first", "second"].map((name, priority) => ({ name, priority }))));
    const router = async () =>
      (await plane.tools.get("lookup")).health.providers.first?.router ?? assert.fail();
    moveClocks({ mock }, Date.now());
    try {
      for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
        assert.equal(
          (await plane.call("lookup")).call.attempts,
          2,
          `it is tried before a rest of ${seconds} s`,
        );
        const restMs = Date.parse((await router()).backoff_until ?? "") - Date.now();
        assert.ok(restMs >= seconds * 800 && restMs <= seconds * 1_200, `${restMs} ms`);
        assert.equal((await plane.call("lookup")).call.attempts, 1, "it rests");
        mock.timers.tick(restMs + 1);
      }
      isBroken = false;
      assert.equal((await plane.call("lookup")).call.provider, "first");
      assert.deepEqual([(await router()).failures, (await router()).backoff_until], [0, null]);
    } finally {
      mock.reset();
    }
  });

  test("when none is left the error tells of each why: it is unreachable, it failed, it rests", async () => {
    await using plane = await createPlane({ config: { mcpServers: {} } });
    plane.tools.registerProvider("away", () => "away", {
      check() {
        throw new Error("no answer");
      },
    });
    plane.tools.registerProvider("broken", () => {
      throw new Error("it broke");
    });
    plane.tools.register(
      tool(["away", "broken", "unheard"].map((name, priority) => ({ name, priority }))),
    );
    const reasons = async () =>
      (errorOf(await plane.call("lookup")).data as { providers: Record<string, string> }).providers;
    const first = await reasons();
    assert.match(first.away ?? "", /no answer/);
    assert.match(first.broken ?? "", /it broke/);
    const second = await reasons();
    for (const label of ["away", "broken"]) assert.match(second[label] ?? "", /^next try in \d+ s/);
    assert.match(second.unheard ?? "", /no provider of kind 'unheard' is known/);
  });

  test("a server that knows no ping is asked for its tools", async () => {
    await using plane = await createPlane({
      config: { mcpServers: { old: fixture("old"), modern: fixture("modern") } },
    });
    assert.deepEqual(
      [(await plane.servers.ping("old")).how, (await plane.servers.ping("modern")).how],
      ["ping", "list"],
    );
  });
});

suite("kinds of providers that a program adds", () => {
  test("a tool is executed by one while it is there; afterwards the kinds that are known are named", async () => {
    await using plane = await createPlane({ config: { mcpServers: {} } });
    plane.tools.register(tool([{ name: "queue", config: { topic: "news" } }]));
    const unknown =
      /no provider of kind 'queue' is known; known are builtin, function, http, mcp, model/;
    assert.match((await plane.tools.get("lookup")).unavailable ?? "", unknown);
    {
      using _ = plane.tools.registerProvider("queue", ({ config }, { q = null }) => ({
        [String(config.topic)]: q,
      }));
      assert.equal((await plane.tools.get("lookup")).unavailable, null);
      assert.deepEqual((await plane.call("lookup", { q: "x" })).result?.structuredContent, {
        news: "x",
      });
    }
    const refused = await plane.call("lookup");
    assertFailed(refused, "NO_PROVIDER", "failed");
    assert.match(errorOf(refused).message, unknown);
  });

  test("one that says it is not there is passed over, one that fails is followed by the next", async () => {
    await using plane = await createPlane({ config: { mcpServers: {} } });
    const asked: string[] = [];
    const add = (kind: string, run: () => unknown, check?: () => void) =>
      plane.tools.registerProvider(
        kind,
        () => {
          asked.push(kind);
          return run();
        },
        check ? { check } : {},
      );
    add(
      "away",
      () => "away",
      () => {
        throw new Error("no answer");
      },
    );
    add("broken", () => {
      throw new Error("it broke");
    });
    add("good", () => "good");
    plane.tools.register(
      tool(["away", "broken", "good"].map((name, priority) => ({ name, priority }))),
    );
    const outcome = await plane.call("lookup");
    assert.deepEqual([outcome.call.provider, asked], ["good", ["broken", "good"]]);
    const { health } = await plane.tools.get("lookup");
    assert.match(health.providers.away?.router.last_error ?? "", /no answer/);
    assert.match(health.providers.broken?.router.last_error ?? "", /it broke/);
    for (const label of ["away", "broken"])
      assert.ok(health.providers[label]?.router.backoff_until);
  });

  test("our own kinds cannot be replaced", async () => {
    await using plane = await createPlane({ config: { mcpServers: {} } });
    for (const kind of ["mcp", "http", "function", "model"]) {
      assert.throws(() => plane.tools.registerProvider(kind, () => "mine"), { code: "USAGE" });
    }
  });
});

suite("a tool that a model executes", () => {
  test("it is asked with the arguments in place, and its key is shown to no one", async () => {
    await using model = await startScriptedModel({
      responses: [
        { kind: "text", text: '{"capital": "Bern"}' },
        { kind: "error", status: 401, message: "Incorrect key sk-s3cret" },
      ],
    });
    await using directory = await temporaryDirectory();
    await writeFile(directory.file("key"), "sk-s3cret\n");
    const config = await writeConfig(
      directory,
      {},
      {
        models: { small: { baseURL: model.url, model: "scripted", apiKey: "${file:key}" } },
        tools: {
          lookup: tool([
            {
              name: "model",
              config: { model: "small", prompt: "Capital of {{q}}?", resultFormat: "json" },
            },
          ]),
        },
      },
    );
    await using serving = await startServe(config, directory.path);
    const { body } = await postCall(serving.url, "lookup", { arguments: { q: "Switzerland" } });
    assert.deepEqual((body.result as { structuredContent: unknown }).structuredContent, {
      capital: "Bern",
    });
    assert.equal(model.requests[0]?.headers.authorization, "Bearer sk-s3cret");
    assert.match(JSON.stringify(model.requests[0]?.body.messages), /Capital of Switzerland\?/);
    const refused = await postCall(serving.url, "lookup", { arguments: { q: "x" } });
    const listed = await getJson(`${serving.url}/tools`);
    const events = JSON.stringify([refused.body, listed.body]);
    assert.ok(!events.includes("s3cret"), events);
  });

  test("where it has too much to do the next provider answers, and it rests as long as it asks for", async () => {
    await using model = await startScriptedModel({
      responses: () => ({
        kind: "error",
        status: 429,
        message: "slow down",
        headers: { "retry-after": "30" },
      }),
    });
    const lookup = tool(
      [
        { name: "model", priority: 0, config: { prompt: "{{q}}" } },
        { name: "mcp", priority: 1, config: { server: "s", tool: "ok" } },
      ],
      { side_effects: "write" },
    );
    await using plane = await createPlane({
      config: {
        mcpServers: { s: namedServer("s", ["ok"]) },
        models: { default: { baseURL: model.url, model: "scripted" } },
        tools: { lookup },
      },
    });
    const before = Date.now();
    const outcome = await plane.call("lookup", { q: "x" });
    assert.deepEqual([textsOf(outcome), outcome.call.attempts], [["s:ok"], 2]);
    const { router } = (await plane.tools.get("lookup")).health.providers.model ?? assert.fail();
    assert.ok(
      Date.parse(router.backoff_until ?? "") >= before + 30_000,
      router.backoff_until ?? "",
    );
  });

  test("a model that does not answer in time is a timeout, and one that is not configured is named", async () => {
    await using model = await startScriptedModel({
      responses: () => ({ kind: "text", text: "late", delay: 2_000 }),
    });
    await using plane = await createPlane({
      config: { mcpServers: {}, models: { default: { baseURL: model.url, model: "scripted" } } },
    });
    plane.tools.register(tool([{ name: "model", config: { prompt: "{{q}}" } }]));
    assertFailed(await plane.call("lookup", { q: "x" }, { timeoutMs: 200 }), "TIMEOUT", "failed");
    plane.tools.register(tool([{ name: "model", config: { prompt: "{{q}}", model: "big" } }]));
    const refused = await plane.call("lookup");
    assertFailed(refused, "NO_PROVIDER", "failed");
    assert.match(errorOf(refused).message, /model 'big' is not in 'models'/);
  });

  test("a provider of the kind openai asks the model that is configured, by alias or by its own name", async (context) => {
    await using model = await startScriptedModel({
      responses: (body) => ({
        kind: "text",
        text: JSON.stringify((body.messages as { content: unknown }[]).at(-1)),
      }),
    });
    process.env.TOOLPLANE_TEST_SECRET = "hunter22";
    context.after(() => delete process.env.TOOLPLANE_TEST_SECRET);
    const providers = [
      way("mcp", 0, { server: "browser-server", tool: "browser.find" }),
      way("openai", 10, { model: "gpt-4o-mini" }),
    ];
    const lookup = {
      name: "lookup",
      description: "Looks it up.",
      side_effects: "none" as const,
      providers,
    };
    const models = { fast: { baseURL: model.url, model: "gpt-4o-mini" } };
    await using plane = await createPlane({ config: { tools: { lookup }, models } });
    const outcome = await plane.call("lookup", { query: "\u0024{TOOLPLANE_TEST_SECRET}" });
    assert.equal(outcome.call.provider, "openai");
    assert.match(
      String(textsOf(outcome)[0]),
      /TOOLPLANE_TEST_SECRET/,
      "what a caller writes is no reference",
    );
    await using bare = await createPlane({ config: { tools: { lookup } } });
    const reasons = (errorOf(await bare.call("lookup", {})).data.providers ?? {}) as Record<
      string,
      string
    >;
    assert.match(reasons.openai ?? "", /model 'gpt-4o-mini' is not in 'models'/);
  });
});

test("validate names kinds of providers that are not built in, and a program may still register them", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("toolplane.json");
  const lookup = {
    name: "lookup",
    description: "Looks it up.",
    side_effects: "none",
    providers: [way("serp", 0, {})],
  };
  await writeFile(file, JSON.stringify({ tools: { lookup } }));
  const validated = await runCli(["config", "validate", "--json", "--config", file]);
  const problems = validated.json().problems as {
    path: string;
    message: string;
    severity: string;
  }[];
  assert.equal(validated.code, 0);
  const told = problems.find(({ message }) =>
    message.includes("'serp' is not a built-in provider kind"),
  );
  assert.deepEqual([told?.severity, told?.path], ["warning", "tools.lookup.providers[0].name"]);
  await using plane = await createPlane({ config: file });
  plane.tools.registerProvider("serp", async () => "found");
  assert.deepEqual(textsOf(await plane.call("lookup")), ["found"]);
});

test("an HTTP request that cannot be written was not sent, and says what to correct", async () => {
  const tool = (headers: object) => ({
    description: "x",
    side_effects: "write",
    parameters: { type: "object" },
    providers: [{ name: "http", config: { method: "POST", url: "http://127.0.0.1:9/x", headers } }],
  });
  const config = { tools: { value: tool({ "X-A": "a\nb" }), name: tool({ "X A": "b" }) } };
  await using plane = await createPlane({ config: config as never });
  for (const name of ["value", "name"]) {
    const { error } = await plane.call(name, {});
    assert.equal(error?.code, "SERVER_UNAVAILABLE");
    assert.match(
      error?.message ?? "",
      /cannot be made \(ERR_INVALID_\w+\); correct its 'url', 'method' or 'headers'/,
    );
  }
});
