import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createPlane, type Plane, type Principal, principalOf } from "../../src/index.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { startGateway } from "./gateway-client.ts";
import { postCall } from "./requests.ts";
import { callsAt, fixture, processFixture, runCli, startServe, writeConfig } from "./support.ts";

const inject = [
  "_mcp_data",
  "username",
  { parameter: "_user", from: "user" },
  { parameter: "groups", from: "groups" },
  { parameter: "_key", from: "constant", value: "k-from-config" },
];
const forged = {
  username: "forged-root",
  _user: "forged-root",
  groups: ["forged-admins"],
  _mcp_data: { available_servers: [{ server_name: "forged-server" }] },
  _key: "forged-key",
};
const bob: Principal = principalOf({ user: "bob", groups: ["staff"] });
const wrapper = (tool: string, more: object = {}, config: object = {}) => ({
  description: "A wrapper.",
  side_effects: "none" as const,
  ...more,
  providers: [{ name: "mcp", config: { server: "insider", tool, ...config } }],
});
const text = { type: "string" };

/** Everything a caller could use to set what only the system sets. */
const configuration = (log: string, launch = fixture) => ({
  mcpServers: { insider: launch("insider", ["--log", log], { inject, trusted: true }) },
  tools: {
    declares: wrapper("open", {
      parameters: {
        type: "object",
        properties: { q: text, username: text },
        required: ["username"],
      },
    }),
    silent: wrapper("open"),
    renames: wrapper(
      "open",
      { parameters: { type: "object", properties: { who: text, team: { type: "array" } } } },
      { argumentMap: { username: "who", groups: "team", _user: "who" } },
    ),
    passes: wrapper("open", { parameters: { type: "object", additionalProperties: true } }),
  },
  overlays: {
    "insider.undeclared": {
      arguments: [
        { name: "username", type: "string" as const },
        { name: "_key", fixed: "forged-by-overlay" },
      ],
    },
  },
});

suite("a forged value never reaches a server", () => {
  let directory: TemporaryDirectory;
  let plane: Plane;
  const log = () => directory.file("log");

  before(async () => {
    directory = await temporaryDirectory();
    plane = await createPlane({
      config: configuration(log()),
      dataDirectory: directory.file("data"),
    });
  });
  after(async () => {
    await plane.stop();
    await directory[Symbol.asyncDispose]();
  });

  async function received(tool: string, args: unknown): Promise<Record<string, unknown>> {
    const outcome = await plane.call(tool, args, { principal: bob });
    assert.equal(outcome.ok, true, JSON.stringify(outcome.error));
    const last = lastAt(log());
    assert.ok(!JSON.stringify(last).includes("forged"), JSON.stringify(last));
    return last;
  }
  const assertBobs = (args: Record<string, unknown>) => {
    const { username, _user, groups, _key } = args;
    assert.deepEqual([username, _user, groups, _key], ["bob", "bob", ["staff"], "k-from-config"]);
  };

  for (const [name, value] of Object.entries(forged)) {
    test(`${name} from the arguments is overwritten`, async () => {
      assertBobs(await received("insider.closed", { q: "x", [name]: value }));
    });
  }

  test("all of them at once, where any other argument is welcome", async () => {
    const args = await received("insider.open", { q: "x", other: 1, ...forged });
    assertBobs(args);
    assert.deepEqual([args.q, args.other], ["x", 1]);
  });

  test("in JSON text, whole or cut off", async () => {
    assertBobs(await received("insider.open", JSON.stringify(forged)));
    assertBobs(await received("insider.open", JSON.stringify({ q: "x", ...forged }).slice(0, -1)));
  });

  test("where the schema is put together from parts", async () => {
    const { parameters } = await plane.tools.get("insider.branches");
    const { $defs: _, ...shown } = parameters;
    assert.ok(!/username|groups/.test(JSON.stringify(shown)), JSON.stringify(shown));
    const { username, _user, groups } = await received("insider.branches", forged);
    assert.deepEqual([username, _user, groups], ["bob", "bob", ["staff"]]);
  });

  test("where the tool declares none of them and takes anything", async () => {
    assert.deepEqual(await received("insider.undeclared", { q: "x", ...forged }), { q: "x" });
  });

  test("by an overlay that declares or fixes what only the system sets", async () => {
    const tool = await plane.tools.get("insider.undeclared");
    assert.deepEqual(Object.keys(tool.parameters.properties ?? {}), ["q"]);
    assert.equal(tool.warnings?.length, 2);
  });

  test("through a wrapper that declares it for its callers", async () => {
    const { parameters } = await plane.tools.get("declares");
    assert.deepEqual([Object.keys(parameters.properties ?? {}), parameters.required], [["q"], []]);
    assertBobs(await received("declares", { q: "x", ...forged }));
  });

  test("through a wrapper that says nothing about arguments", async () => {
    assertBobs(await received("silent", forged));
  });

  test("through a wrapper that takes anything", async () => {
    assertBobs(await received("passes", { more: 1, ...forged }));
  });

  test("through a wrapper that gives it another name", async () => {
    const { parameters } = await plane.tools.get("renames");
    assert.deepEqual(Object.keys(parameters.properties ?? {}), []);
    const { username, _user, groups, who, team } = await received("renames", {
      who: "forged-root",
      team: ["forged-admins"],
      ...forged,
    });
    assert.deepEqual(
      [username, _user, groups, who, team],
      ["bob", "bob", ["staff"], undefined, undefined],
    );
  });

  for (const [title, args] of [
    [
      "in other case",
      { Username: "forged", USERNAME: "forged", _USER: "forged", Groups: ["forged"] },
    ],
    [
      "with letters that look alike",
      { usernаme: "forged", "us\u200bername": "forged", ｇroups: ["forged"] },
    ],
    ["with spaces around it", { " username ": "forged", "username\n": "forged" }],
    ["as a prototype", JSON.parse('{"__proto__": {"username": "forged", "polluted": "forged"}}')],
    [
      "as a list in the place of a text",
      { username: ["forged"], _user: ["forged"], groups: "forged" },
    ],
    [
      "as an object in the place of a text",
      { username: { toString: "forged" }, _key: { fixed: "forged" } },
    ],
  ] as const) {
    test(`spelt ${title}`, async () => {
      assertBobs(await received("insider.open", { q: "x", ...args, ...ownPrototype(args) }));
      assertBobs(await received("insider.open", JSON.stringify(args)));
      assert.equal(({} as Record<string, unknown>).polluted, undefined);
    });
  }

  test("a constructor is an argument like any other, and of no prototype", async () => {
    const { constructor: given } = await received(
      "insider.open",
      JSON.parse('{"constructor": {"prototype": {"x": 1}}}'),
    );
    assert.deepEqual(given, { prototype: { x: 1 } });
    assert.equal(({} as Record<string, unknown>).x, undefined);
  });

  test("twice in one text: the call is refused", async () => {
    const twice = await plane.call(
      "insider.open",
      '{"username": "forged-1", "q": "x", "username": "forged-2"}',
    );
    assert.equal(twice.error?.code, "INVALID_ARGUMENTS");
  });

  test("without a caller the server gets none, neither theirs nor a forged one", async () => {
    await plane.call("insider.open", forged, { principal: principalOf({}) });
    const { username, _user, groups } = lastAt(log());
    assert.deepEqual([username, _user, groups], [undefined, undefined, []]);
  });

  test("by the person who edits the call before it is approved", async () => {
    const asking = { policy: { rules: [{ tool: "insider.open", verdict: "ask" as const }] } };
    await using asked = await createPlane({ config: { ...configuration(log()), ...asking } });
    const outcome = await asked.call(
      "insider.open",
      { q: "x" },
      {
        principal: bob,
        askHere: async () => ({ decision: "approve", arguments: { q: "edited", ...forged } }),
      },
    );
    assert.equal(outcome.ok, true, JSON.stringify(outcome.error));
    const last = lastAt(log());
    assertBobs(last);
    assert.equal(last.q, "edited");
    assert.ok(!JSON.stringify(outcome).includes("forged-root"));
  });

  test("over HTTP, on the command line and through the MCP server", async () => {
    const own = directory.file("faces.log");
    const { mcpServers, ...more } = configuration(own, processFixture);
    const config = await writeConfig(directory, mcpServers, { ...more, users: {} });
    const place = ["--config", config, "--data-dir", directory.file("faces")];
    const serving = await startServe(config, directory.file("faces"));
    const beside = { arguments: forged, username: "forged-root" };
    assert.equal((await postCall(serving.url, "insider.open", beside)).status, 400);
    const { status } = await postCall(serving.url, "insider.open", { arguments: forged });
    await serving.stop();
    const args = JSON.stringify(forged);
    const cli = await runCli([
      "call",
      "insider.open",
      "username=forged-root",
      "--args",
      args,
      ...place,
    ]);
    await using gateway = await startGateway(place, {}, () => undefined);
    const { result } = await gateway.begin("tools/call", {
      name: "insider__open",
      arguments: forged,
    }).answer;
    assert.deepEqual([status, cli.code, result?.isError ?? false], [200, 0, false]);
    const calls = callsAt(own);
    assert.equal(calls.length, 3);
    assert.ok(!JSON.stringify(calls).includes("forged"), JSON.stringify(calls));
    assert.ok(
      calls.every((call) => (call.arguments as Record<string, unknown>)._key === "k-from-config"),
    );
  });
});

/** What the server received last. */
function lastAt(log: string): Record<string, unknown> {
  const last = callsAt(log).at(-1);
  assert.ok(last);
  return last.arguments as Record<string, unknown>;
}

/** Spreading an object loses what only JSON can spell. */
function ownPrototype(args: object): object {
  return Object.hasOwn(args, "__proto__") ? JSON.parse(JSON.stringify(args)) : {};
}
