import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type * as z from "zod/mini";
import { mcpToolEntries } from "../../src/config/shapes/mcp-tool-entries.ts";
import { native } from "../../src/config/shapes/native.ts";
import { handWrittenTools, overlays, providerList } from "../../src/config/shapes/read-shapes.ts";
import { fieldReaders } from "../../src/config/shapes/server.ts";
import { type ConfigInput, createPlane, type ServerInput } from "../../src/index.ts";
import type { ConfigValues } from "../../src/model/config/config.ts";
import { projectRoot } from "../fixtures/documents.ts";
import { type AgentWorld, agentWorld, toldOf } from "./agent-world.ts";
import { fixture } from "./support.ts";

suite("toolsets in code", () => {
  let world: AgentWorld;
  before(async () => {
    const script: Parameters<typeof agentWorld>[0] = [
      { kind: "tools", calls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
      { kind: "text", text: "3" },
      { kind: "text", text: "Nothing to do." },
    ];
    const servers = { echo: fixture("echo"), other: fixture("echo") };
    world = await agentWorld(script, servers, {
      config: { toolsets: { small: { providers: ["echo"] } } },
    });
  });
  after(() => world[Symbol.asyncDispose]());

  test("without an argument are every tool, under names that no two tools share", async () => {
    const everything = world.plane.toolset();
    assert.deepEqual([everything.alias, everything.providers], [null, ["echo", "other"]]);
    assert.deepEqual([everything.allow_tools, everything.max_tool_call_turns], [null, null]);
    const names = (await everything.schemas()).map((schema) => schema.function.name);
    assert.ok(names.includes("echo__add") && names.includes("other__add"), names.join());
    assert.equal(new Set(names).size, names.length);
    const { seen } = await called(everything, "other__add");
    assert.equal(seen, '{"sum":3}');
  });

  test("take a definition, show it, keep to it and count by themselves", async () => {
    const definition = {
      providers: ["echo"],
      allow_tools: ["add"],
      max_tool_call_turns: 1,
      timeout_sec: 60,
    };
    const inline = world.plane.toolset(definition);
    const { alias, providers, allow_tools, max_tool_call_turns, timeout_sec } = inline;
    assert.deepEqual({ providers, allow_tools, max_tool_call_turns, timeout_sec }, definition);
    assert.equal(alias, null);
    assert.deepEqual(
      (await inline.schemas("anthropic")).map(({ name }) => name),
      ["add"],
    );
    const { value, toolset } = await inline.generate({ prompt: "How much is it?", parser: Number });
    assert.deepEqual([value, toolset, toldOf(world.model, 0)], [3, null, ["add"]]);
    assert.deepEqual([inline.usage().totalToolCalls, inline.usage().totalGenerations], [1, 1]);
    assert.equal(world.plane.toolset(definition).usage().totalGenerations, 0);
    await world.plane.agent.run("Anything?", {
      toolset: { providers: ["other"], allow_tools: ["echo"] },
    });
    assert.deepEqual(toldOf(world.model, 2), ["echo"]);
  });

  test("have the fields of the configuration, and those that were registered since", () => {
    const { plane } = world;
    const small = plane.toolset("small");
    assert.deepEqual([small.alias, small.providers, small.timeout_sec], ["small", ["echo"], null]);
    plane.toolsets.register("small", { providers: ["other"], timeout_sec: 5 });
    assert.deepEqual([small.providers, small.timeout_sec], [["other"], 5]);
  });

  test("that are wrong are refused with what is wrong and what is near", async () => {
    const { plane } = world;
    assert.throws(() => plane.toolset("smal"), {
      code: "NOT_FOUND",
      message: /'smal'.*Did you mean 'small'\?/,
    });
    const misspelt = { provider: ["echo"] } as object;
    assert.throws(() => plane.toolset(misspelt), {
      code: "USAGE",
      message: /'provider'.*did you mean 'providers'\?/,
    });
    assert.throws(() => plane.toolset(null as unknown as string), {
      code: "USAGE",
      message: /not a toolset/,
    });
    await assert.rejects(
      plane.toolset({ providers: ["ecko"] }).schemas(),
      /names the server 'ecko'.*'echo'\?/,
    );
    await assert.rejects(
      plane.toolset({ allow_tools: ["add"] }).schemas(),
      /names no server.*'providers'/,
    );
  });
});

async function called(toolset: ReturnType<AgentWorld["plane"]["toolset"]>, name: string) {
  const call = { id: "1", type: "function", function: { name, arguments: '{"a":1,"b":2}' } };
  const [, answer] = await toolset.processResponse({
    role: "assistant",
    content: "",
    tool_calls: [call],
  });
  return { seen: answer?.content };
}

test("an outcome has a result where it is ok, an error otherwise, and an approval only while it waits", async () => {
  await using plane = await createPlane({
    config: {
      mcpServers: { echo: fixture("echo") },
      policy: { rules: [{ tool: "echo.put_note", verdict: "ask" }] },
    },
  });
  const note = { key: "k", text: "t" };
  const tried = await plane.call("echo.echo", { message: "x" }, { dryRun: true });
  assert.ok(tried.ok);
  assert.deepEqual(
    [tried.result, tried.verdict?.verdict, tried.call.status],
    [{ content: [] }, "allow", "dry_run"],
  );
  const waiting = await plane.call("echo.put_note", note);
  assert.ok(waiting.approval, "it waits");
  assert.deepEqual(
    [waiting.ok, waiting.call.status, waiting.error.code],
    [false, "waiting", "APPROVAL_REQUIRED"],
  );
  const queued = await plane.call("echo.put_note", note, { mode: "plan" });
  assert.ok(queued.plan, "it is queued");
  assert.deepEqual([queued.approval, queued.error.code], [undefined, "PLAN_QUEUED"]);
  plane.on("approval.requested", ({ approvalId }) =>
    plane.approvals.answer(approvalId, { decision: "reject" }),
  );
  const rejected = await plane.call("echo.put_note", note, { approvalWaitMs: 30_000 });
  assert.ok(!rejected.ok);
  assert.deepEqual([rejected.error.code, rejected.approval], ["APPROVAL_DENIED", undefined]);
  assert.equal(typeof rejected.error.data.approvalId, "string");
});

suite("the type of a configuration", () => {
  /** The keys of an interface as its file has them. */
  const inputs = {
    config: "generated/config/config-input.ts",
    server: "generated/config/server-input.ts",
    foreign: "src/model/config/foreign-config.ts",
  };
  const keysOf = (file: string, name: string) => {
    const text = readFileSync(join(projectRoot, file), "utf8");
    const [, body = ""] =
      new RegExp(`interface ${name}\\b[^\\n]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(text) ?? [];
    return [...body.matchAll(/^ {2}(?:\/\*\*.*?\*\/ )?"?([\w$-]+)"?\??:/gm)].map(([, key]) => key);
  };

  test("has every section and every key of a server that the loader reads, and no other", () => {
    const shapes = [native, overlays, handWrittenTools, providerList, mcpToolEntries];
    const sections = [
      ...keysOf(inputs.config, "ConfigInput"),
      ...keysOf(inputs.foreign, "ForeignSections"),
    ];
    assert.deepEqual(sections.sort(), ["$schema", ...shapes.flatMap(({ keys }) => keys)].sort());
    const server = [
      ...keysOf(inputs.server, "ServerInput"),
      ...keysOf(inputs.foreign, "ForeignServerKeys"),
    ];
    assert.deepEqual(server.sort(), [...fieldReaders.keys()].sort());
  });

  test("takes what the schema of the normal form takes", () => {
    type Schema = z.input<typeof ConfigValues>;
    type Sections = Omit<Schema, "servers" | "tools">;
    const takesSections = (sections: Sections): ConfigInput => sections;
    const takesServers = (servers: NonNullable<Schema["servers"]>): Record<string, ServerInput> =>
      servers;
    assert.deepEqual([takesSections({}), takesServers({})], [{}, {}]);
  });

  test("lets a key be undefined, which is the same as leaving it out", async () => {
    const echo: ServerInput = fixture("echo");
    const unset = {
      cwd: undefined,
      env: undefined,
      timeoutMs: undefined,
      allow_tools: undefined,
      auth: undefined,
    };
    await using plane = await createPlane({
      config: {
        mcpServers: { echo: { ...echo, ...unset } },
        policy: undefined,
        toolsets: undefined,
        tools: undefined,
        providers: undefined,
        store: undefined,
      },
    });
    assert.deepEqual(plane.config().problems, []);
    assert.equal((await plane.call("echo.echo", { message: "x" })).ok, true);
  });
});
