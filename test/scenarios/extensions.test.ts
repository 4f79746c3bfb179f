import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { createPlane, defineExtension, type Extension, principalOf } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { fixture, processFixture, textsOf } from "./support.ts";

const greeting = {
  name: "greet",
  description: "Greets a person by name.",
  side_effects: "none",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  providers: [{ name: "greet", config: {} }],
};

const planeWith = (extensions: readonly Extension[], config: object = {}) =>
  createPlane({ config, extensions });

suite("extensions", () => {
  test("one adds a provider and the tools that it runs", async () => {
    const greeter = defineExtension({
      name: "greeter",
      setup({ addProvider, addToolSource }) {
        addProvider("greet", async (_spec, { name }) => `Hello, ${name}!`);
        addToolSource({ list: () => [greeting] });
      },
    });
    await using plane = await planeWith([greeter]);
    assert.deepEqual(textsOf(await plane.call("greet", { name: "Ann" })), ["Hello, Ann!"]);
    const [shown] = await plane.extensions.list();
    assert.deepEqual(shown?.adds, ["provider greet", "tool source"]);
    assert.equal((await plane.tools.get("greet"))?.source, "extension greeter");
  });

  test("a configuration that names its provider has no problem", async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file("ours.mjs");
    await writeFile(file, 'export default { name: "ours", providers: ["own-greet"], setup() {} };');
    const providers = [{ name: "own-greet", config: {} }];
    const tools = { greet: { ...greeting, side_effects: "none" as const, providers } };
    await using plane = await createPlane({ config: { extensions: [file], tools } });
    assert.deepEqual(plane.config().problems, []);
    const other = { greet: { ...tools.greet, providers: [{ name: "own-great", config: {} }] } };
    await using wrong = await createPlane({ config: { extensions: [file], tools: other } });
    assert.match(
      wrong.config().problems[0]?.hint ?? "",
      /an extension names others in its 'providers'/,
    );
  });

  test("a source lists its tools again when they have changed", async () => {
    const tools: object[] = [];
    let changed = async () => {};
    const source = defineExtension({
      name: "source",
      setup({ addProvider, addToolSource }) {
        addProvider("greet", async () => "hi");
        ({ changed } = addToolSource({ list: () => tools as [] }));
      },
    });
    await using plane = await planeWith([source]);
    assert.equal((await plane.call("greet", { name: "Ann" })).ok, false);
    tools.push(greeting);
    await changed();
    assert.equal((await plane.call("greet", { name: "Ann" })).ok, true);
  });

  test("its settings are checked, and variables and secrets are in their places", async () => {
    let given: unknown;
    const settings = {
      type: "object",
      properties: { key: { type: "string" } },
      additionalProperties: false,
    };
    await using directory = await temporaryDirectory();
    const file = directory.file("ours.mjs");
    await writeFile(
      file,
      "export default { ...globalThis.ours, setup: (to) => globalThis.ours.setup(to) };",
    );
    await writeFile(directory.file("secret"), "s3cret\n");
    const use = (settings: object) =>
      createPlane({ config: { extensions: [{ use: file, with: settings as never }] } });
    Reflect.set(globalThis, "ours", {
      name: "ours",
      settings,
      setup(to: { settings: unknown }) {
        given = to.settings;
      },
    });
    {
      await using _ = await use({ key: `\${file:${directory.file("secret")}}` });
      assert.deepEqual(given, { key: "s3cret" });
    }
    await using plane = await use({ kay: 1 });
    const [shown] = await plane.extensions.list();
    assert.equal(shown?.state, "failed");
    assert.match(shown?.error ?? "", /Its settings are wrong: .*kay/);
  });

  test("a program gives settings to the extension that it brings", async () => {
    const given: unknown[] = [];
    const ours = defineExtension({
      name: "ours",
      settings: {
        type: "object",
        properties: { word: { type: "string" } },
        additionalProperties: false,
      },
      setup: ({ settings }) => void given.push(settings),
    });
    await using plane = await createPlane({
      config: {},
      extensions: [{ use: ours, with: { word: "hi" } }],
    });
    assert.deepEqual(given, [{ word: "hi" }]);
    await plane.reload();
    await using wrong = await createPlane({
      config: {},
      extensions: [{ use: ours, with: { wort: "hi" } }],
    });
    assert.match((await wrong.extensions.list())[0]?.error ?? "", /'wort' is unknown/);
  });

  test("it reads a kind of secrets, also for providers, and not where a variable holds such a text", async () => {
    const asked: string[] = [];
    const vault = defineExtension({
      name: "vault",
      secrets: ["vault"],
      setup({ addSecrets }) {
        addSecrets("vault", async (name) => {
          asked.push(name);
          return `secret of ${name}`;
        });
      },
    });
    process.env.TEST_SAID = `\${vault:stolen}`;
    const env = { TOKEN: `\${vault:kv/token}`, SAID: `\${TEST_SAID}` };
    await using plane = await planeWith([vault], {
      mcpServers: { one: processFixture("state", [], { env }) },
    });
    await plane.servers.refresh("one");
    assert.deepEqual(asked, ["kv/token"]);
  });

  test("a secret that cannot be read is named with the reason of the extension", async () => {
    const vault = defineExtension({
      name: "vault",
      secrets: ["vault"],
      setup({ addSecrets }) {
        addSecrets("vault", async () => {
          throw new Error("the vault is sealed");
        });
      },
    });
    const mcpServers = {
      one: processFixture("echo", [], { env: { TOKEN: `\${vault:kv/token}` } }),
    };
    await using plane = await planeWith([vault], { mcpServers });
    const { error } = await plane.call("one.echo", { message: "hi" });
    assert.match(
      error?.message ?? "",
      /\$\{vault:kv\/token\} cannot be read: the vault is sealed\./,
    );
  });

  test("its operation is checked, allowed and recorded by name", async () => {
    const seen: unknown[] = [];
    const ours = defineExtension({
      name: "ours",
      setup({ addOperation }) {
        addOperation({
          name: "scripts.reload",
          summary: "Read the scripts again",
          scope: "admin",
          changes: true,
          input: {
            type: "object",
            properties: { deep: { type: "boolean" } },
            additionalProperties: false,
          },
          run: (input, { principal }) => {
            seen.push(input, principal.user);
            return { scripts: 3 };
          },
        });
      },
    });
    await using plane = await planeWith([ours]);
    const ann = { principal: principalOf({ user: "ann", scopes: ["admin"] }) };
    assert.deepEqual(await plane.extensions.run("scripts.reload", { deep: true }, ann), {
      scripts: 3,
    });
    assert.deepEqual(seen, [{ deep: true }, "ann"]);
    await assert.rejects(plane.extensions.run("scripts.reload", { deep: 1 }, ann), /deep/);
    const bob = { principal: principalOf({ user: "bob" }) };
    await assert.rejects(plane.extensions.run("scripts.reload", {}, bob), { code: "FORBIDDEN" });
    await assert.rejects(
      plane.extensions.run("scripts.none"),
      /No extension has an operation 'scripts\.none'/,
    );
    const records = await plane.audit.list({});
    assert.deepEqual(
      records.map(({ operation, user, target }) => ({ operation, user, target })),
      [{ operation: "scripts.reload", user: "ann", target: "ours" }],
    );
  });

  test("its operation cannot have the name of a verb of the plane", async () => {
    for (const name of ["tools.list", "search.all", "calls"]) {
      const add = defineExtension({
        name: "ours",
        setup: ({ addOperation }) =>
          void addOperation({ name, summary: "-", scope: "read", run: () => null }),
      });
      await using plane = await planeWith([add]);
      assert.match(
        (await plane.extensions.list())[0]?.error ?? "",
        /is a verb of the plane already|is no name of an operation/,
      );
    }
  });

  test("what it says in its setup is heard by who made the plane", async () => {
    const talker = defineExtension({
      name: "talker",
      setup: ({ log }) => void log("good morning"),
    });
    const mute = defineExtension({
      name: "mute",
      setup() {
        throw new Error("no voice");
      },
    });
    await using plane = await planeWith([talker, mute]);
    const heard: string[] = [];
    plane.on("extension.log", ({ text }) => heard.push(text));
    plane.on("extension.failed", ({ reason }) => heard.push(reason));
    await until("both events", () => heard.length === 2);
    assert.deepEqual(heard, ["good morning", "its 'setup' failed: no voice"]);
  });

  test("one that fails is named, what it added is gone, and the others are in use", async () => {
    const broken = defineExtension({
      name: "broken",
      setup({ addProvider, addToolSource }) {
        addProvider("greet", async () => "from the broken one");
        addToolSource({ list: () => [greeting] });
        throw new Error("no licence");
      },
    });
    const fine = defineExtension({
      name: "fine",
      setup: ({ addPanel }) => void addPanel({ title: "T", facts: () => [] }),
    });
    await using plane = await planeWith([broken, fine]);
    const listed = await plane.extensions.list();
    assert.deepEqual(
      listed.slice(0, 2).map(({ name, state, error }) => ({ name, state, error })),
      [
        { name: "broken", state: "failed", error: "its 'setup' failed: no licence" },
        { name: "fine", state: "set up", error: null },
      ],
    );
    assert.equal((await plane.call("greet", { name: "Ann" })).error?.code, "TOOL_NOT_FOUND");
  });

  test("it gets the parts of the plane that it names, as a user of its own", async () => {
    let refused: unknown;
    const ours = defineExtension({
      name: "ours",
      needs: ["call"],
      async setup({ plane }) {
        await plane.call("one.echo", { message: "hi" });
        try {
          Reflect.get(plane, "servers");
        } catch (thrown) {
          refused = thrown;
        }
      },
    });
    await using plane = await planeWith([ours], { mcpServers: { one: fixture("echo") } });
    assert.match(String(refused), /uses 'plane\.servers' and does not name it in 'needs'/);
    const [last] = await plane.calls.list({ limit: 1 });
    assert.equal(last?.principal.user, "extension:ours");
  });

  test("a stage around execute sees the call, and may change or replace the result", async () => {
    const seen: unknown[] = [];
    const outer = defineExtension({
      name: "outer",
      setup: ({ aroundExecute }) =>
        void aroundExecute(async ({ tool, arguments: args }, next) => {
          seen.push(tool, args);
          const result = await next();
          return { ...result, content: [...result.content, { type: "text", text: "outer" }] };
        }),
    });
    const inner = defineExtension({
      name: "inner",
      setup: ({ aroundExecute }) =>
        void aroundExecute(async ({ arguments: args }, next) =>
          args.message === "cached" ? { content: [{ type: "text", text: "from inner" }] } : next(),
        ),
    });
    await using plane = await planeWith([outer, inner], { mcpServers: { one: fixture("echo") } });
    assert.deepEqual(textsOf(await plane.call("one.echo", { message: "hi" })).at(-1), "outer");
    assert.deepEqual(textsOf(await plane.call("one.echo", { message: "cached" })), [
      "from inner",
      "outer",
    ]);
    assert.deepEqual(seen.slice(0, 2), ["one.echo", { message: "hi" }]);
  });

  test("a channel is asked about a call that waits; who may answer is decided by the plane", async () => {
    type Ask = { id: string; answer(decision: "approve" | "reject", by: string): Promise<void> };
    const asked: Ask[] = [];
    const settled: string[] = [];
    const chat = defineExtension({
      name: "chat",
      setup: ({ addApprovalChannel }) =>
        void addApprovalChannel({
          name: "chat",
          ask: (held, answer) => void asked.push({ id: held.id, answer }),
          settled: (held) => void settled.push(held.status),
        }),
    });
    const config = {
      mcpServers: { one: fixture("echo") },
      policy: { rules: [{ tool: "one.echo", verdict: "ask" }] },
      approvals: { approvers: ["ops"] },
      users: { olga: { groups: ["ops"] } },
    };
    await using plane = await planeWith([chat], config);
    const waiting = plane.call("one.echo", { message: "hi" }, { approvalWaitMs: 600_000 });
    await until("the channel to be asked", () => asked.length === 1);
    await assert.rejects(asked[0]?.answer("approve", "eve") ?? Promise.resolve(), {
      code: "FORBIDDEN",
    });
    await asked[0]?.answer("approve", "olga");
    assert.equal((await waiting).ok, true);
    await until("the channel to learn of the end", () => settled.length > 0);
  });

  test("a scanner holds a definition back, also one that fails", async () => {
    const scanner = (name: string, scan: () => never[]) =>
      defineExtension({ name, setup: ({ addScanner }) => void addScanner(scan) });
    const strict = scanner("strict", () => [
      { severity: "high", excerpt: "forbidden word" } as never,
    ]);
    const failing = scanner("failing", () => {
      throw new Error("out of ideas");
    });
    for (const one of [strict, failing]) {
      await using plane = await planeWith([one], { mcpServers: { one: fixture("echo") } });
      const { error } = await plane.call("one.echo", { message: "hi" });
      assert.equal(error?.code, "TOOL_QUARANTINED", one.name);
    }
  });

  test("a ranker orders what was found, and one that fails changes nothing", async () => {
    const find = async (rank: (query: string, tools: readonly { name: string }[]) => string[]) => {
      const ranker = defineExtension({
        name: "ranker",
        setup: ({ addRanker }) => void addRanker(rank),
      });
      await using plane = await planeWith([ranker], { mcpServers: { one: fixture("echo") } });
      const found = await plane.search({ query: "echo a message", limit: 3 });
      return found.tools.map(({ name }) => name);
    };
    const usual = await find(() => {
      throw new Error("no opinion");
    });
    assert.ok(usual.length > 1, "several tools are found");
    const reversed = await find((_, tools) => tools.map(({ name }) => name).reverse());
    assert.deepEqual(reversed, usual.toReversed());
  });

  test("a transport connects to addresses of its scheme", async () => {
    const loop = defineExtension({
      name: "loop",
      transports: ["loop"],
      setup({ addTransport }) {
        addTransport("loop", async (url, { onMessage }) => ({
          send(message) {
            const { id, method } = message;
            if (id === undefined) return;
            const tools = [
              { name: "where", description: "Says where it is.", inputSchema: { type: "object" } },
            ];
            const results: Record<string, object> = {
              initialize: {
                protocolVersion: "2025-06-18",
                capabilities: { tools: {} },
                serverInfo: { name: "l", version: "1" },
              },
              "tools/list": { tools },
              "tools/call": { content: [{ type: "text", text: url }] },
            };
            const result = results[String(method)];
            const error = { code: -32601, message: "unknown" };
            onMessage({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) });
          },
          close() {},
        }));
      },
    });
    await using plane = await planeWith([loop], {
      mcpServers: { far: { url: "loop://far/away" } },
    });
    assert.deepEqual(textsOf(await plane.call("far.where", {})), ["loop://far/away"]);
    await using without = await createPlane({
      config: { mcpServers: { far: { url: "loop://far/away" } } },
    });
    assert.match((await without.call("far.where", {})).error?.message ?? "", /no extension in use/);
  });

  test("what comes with Toolplane is listed, and loaded when it is needed", async () => {
    await using plane = await planeWith([], { mcpServers: { one: fixture("echo") } });
    const stateOf = async (name: string) =>
      (await plane.extensions.list()).find((one) => one.name === name)?.state;
    assert.equal(await stateOf("openapi"), "not loaded");
    assert.equal(await stateOf("scan"), "not loaded");
    await plane.call("one.echo", { message: "hi" });
    assert.equal(await stateOf("scan"), "loaded");
    assert.equal(await stateOf("openapi"), "not loaded");
  });

  test("listeners get events, and a failing one harms nothing", async () => {
    const types: string[] = [];
    const sink = defineExtension({
      name: "sink",
      setup({ onEvent }) {
        onEvent(({ type }) => void types.push(type), "tool.result");
        onEvent(() => {
          throw new Error("not interested");
        });
      },
    });
    await using plane = await planeWith([sink], { mcpServers: { one: fixture("echo") } });
    assert.equal((await plane.call("one.echo", { message: "hi" })).ok, true);
    await until("the event", () => types.includes("tool.result"));
  });

  test("they start and stop in order, and what one does after its end is refused", async () => {
    const steps: string[] = [];
    let late: () => void = () => {};
    const make = (name: string) =>
      defineExtension({
        name,
        setup({ addPanel }) {
          late = () => addPanel({ title: "late", facts: () => [] });
          return {
            start: () => steps.push(`start ${name}`),
            stop: () => steps.push(`stop ${name}`),
          };
        },
      });
    {
      await using plane = await planeWith([make("a"), make("b")]);
      plane.start();
      await until("both to start", () => steps.length === 2);
      assert.throws(late, /after its setup/);
    }
    assert.deepEqual(steps, ["start a", "start b", "stop b", "stop a"]);
  });

  test("what is no extension is named with what is wrong with it", async () => {
    const wrong: [unknown, RegExp][] = [
      [{}, /its 'name'/],
      [{ name: "x" }, /no function 'setup'/],
      [
        { name: "x", interface: 99, setup() {} },
        /written for interface 99, and this version has 1/,
      ],
      [{ name: "x", secrets: ["file"], setup() {} }, /'file' in its 'secrets' is taken/],
      [{ name: "x", providers: ["http"], setup() {} }, /'http' in its 'providers' is taken/],
      [{ name: "x", transports: ["https"], setup() {} }, /'https' in its 'transports' is taken/],
      [
        { name: "x", needs: ["store"], setup() {} },
        /'store' in its 'needs' is no part of the plane/,
      ],
    ];
    for (const [given, message] of wrong) {
      await using plane = await planeWith([given as Extension]);
      assert.match((await plane.extensions.list())[0]?.error ?? "", message);
    }
  });
});
