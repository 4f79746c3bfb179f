import assert from "node:assert/strict";
import { test } from "node:test";
import { approvedCall, sampleMetadata, sampleTool } from "../../test/samples/calls.ts";
import type { TimeLimit } from "../model/calls/call.ts";
import type { ProviderSpec } from "../model/catalogue/tool.ts";
import { type RouteOptions, route } from "./route.ts";

const open: RouteOptions = {
  environment: {},
  unavailable: () => null,
  cooldown: () => null,
  serverLimitMs: () => undefined,
};

function provider(name: string, priority: number): ProviderSpec {
  return { name, priority, health_check_interval: 300, config: {} };
}

test("candidates are the available providers, lowest priority first, ties by name", () => {
  const providers = [
    provider("z", 5),
    provider("down", 0),
    provider("b", 5),
    provider("last", 9),
    provider("a", 1),
  ];
  const { candidates } = route(approvedCall(sampleTool({ providers })), {
    ...open,
    unavailable: ({ name }) => (name === "down" ? "it is down" : null),
  }).route;
  assert.deepEqual(
    candidates.map(({ name }) => name),
    ["a", "b", "z", "last"],
  );
});

test("of one priority the one that does better comes first, then the name decides", () => {
  const providers = [provider("a", 1), provider("b", 1), provider("c", 1), provider("last", 2)];
  const failurePenalty = (_: string, name: string) => ({ a: 0.5, b: 0.1, c: 0.1 })[name] ?? 0;
  const { candidates } = route(approvedCall(sampleTool({ providers })), {
    ...open,
    failurePenalty,
  }).route;
  assert.deepEqual(
    candidates.map(({ name }) => name),
    ["b", "c", "a", "last"],
  );
});

test("what rests is remembered for the tool of its owner", () => {
  const providers = [provider("a", 1), provider("b", 2)];
  const asked: string[] = [];
  const cooldown = (tool: string) => {
    asked.push(tool);
    return null;
  };
  const id = { server: null, tool: "lookup" };
  for (const persona of [null, "Atlas"]) {
    route(approvedCall(sampleTool({ id, name: "lookup", persona, providers })), {
      ...open,
      cooldown,
    });
  }
  assert.deepEqual(new Set(asked), new Set(["lookup", '["lookup","Atlas"]']));
});

test("without an available provider every reason is reported", () => {
  const providers = [provider("one", 1), provider("two", 2)];
  const unavailable = ({ name }: ProviderSpec) => `${name} sleeps`;
  assert.throws(() => route(approvedCall(sampleTool({ providers })), { ...open, unavailable }), {
    code: "NO_PROVIDER",
    message: /'notes\.write': one: one sleeps; two: two sleeps/,
    data: {
      tool: "notes.write",
      sent: false,
      permanent: true,
      providers: { one: "one sleeps", two: "two sleeps" },
    },
  });
});

test("a tool that declares no provider says so", () => {
  const call = approvedCall(sampleTool({ providers: [] }));
  assert.throws(() => route(call, open), { code: "NO_PROVIDER", message: /declares none/ });
});

test("a tool whose credentials are not set says which", () => {
  const envs = {
    API_KEY: { required: true },
    CSE_ID: { required: true },
    OTHER: { required: false },
  };
  const tool = sampleTool({
    metadata: { ...sampleTool().metadata, auth: { required: true, envs } },
  });
  const environment = { API_KEY: "set" };
  assert.throws(() => route(approvedCall(tool), { ...open, environment }), {
    code: "NO_PROVIDER",
    message: /CSE_ID is not set/,
  });
});

type Limits = { call?: number; toolSeconds?: number; server?: number };

const limits: [title: string, given: Limits, limit: TimeLimit][] = [
  [
    "the call's limit comes first",
    { call: 1, toolSeconds: 2, server: 3 },
    { ms: 1, setBy: "call" },
  ],
  ["then the tool's, in seconds", { toolSeconds: 2, server: 3 }, { ms: 2_000, setBy: "tool" }],
  ["then the server's", { server: 3 }, { ms: 3, setBy: "server" }],
  ["then a minute", {}, { ms: 60_000, setBy: "default" }],
  ["0 said by the call is no limit", { call: 0, toolSeconds: 2 }, { ms: 0, setBy: "call" }],
  ["0 said by the tool is no limit", { toolSeconds: 0, server: 3 }, { ms: 0, setBy: "tool" }],
  ["0 said by the server is no limit", { server: 0 }, { ms: 0, setBy: "server" }],
];

for (const [title, { call, toolSeconds, server }, limit] of limits) {
  test(title, () => {
    const metadata = sampleMetadata(
      toolSeconds === undefined ? {} : { default_timeout: toolSeconds },
    );
    const options = call === undefined ? {} : { timeoutMs: call };
    const routed = route(approvedCall(sampleTool({ metadata }), options), {
      ...open,
      serverLimitMs: () => server,
    });
    assert.deepEqual(routed.route.limit, limit);
  });
}

test("a tool without a server asks for no server's limit", () => {
  const call = approvedCall(sampleTool({ id: { server: null, tool: "lookup" } }));
  const serverLimitMs = () => assert.fail("there is no server");
  assert.equal(route(call, { ...open, serverLimitMs }).route.limit.setBy, "default");
});

test("the route of a plain call is found once, until the configuration or the quarantine changes", () => {
  const tool = sampleTool({ providers: [provider("mcp", 0)] });
  let standing = { config: {}, quality: {} };
  let asked = 0;
  const options: RouteOptions = {
    ...open,
    standing: () => standing,
    unavailable: () => {
      asked += 1;
      return null;
    },
  };
  const call = approvedCall(tool);
  const first = route({ ...call }, options).route;
  assert.equal(route({ ...call }, options).route, first);
  assert.equal(asked, 1);
  standing = { ...standing, quality: {} };
  route({ ...call }, options);
  standing = { ...standing, config: {} };
  route({ ...call }, options);
  assert.equal(asked, 3);
  const limited = route({ ...call, options: { timeoutMs: 5 } }, options);
  assert.deepEqual([asked, limited.route.limit], [4, { ms: 5, setBy: "call" }]);
});

test("a provider that cannot be used is not remembered as a route", () => {
  const tool = sampleTool({ providers: [provider("mcp", 0)] });
  const standing = { config: {}, quality: {} };
  let trouble: string | null = "it is quarantined";
  const options: RouteOptions = { ...open, standing: () => standing, unavailable: () => trouble };
  assert.throws(() => route(approvedCall(tool), options), /it is quarantined/);
  trouble = null;
  assert.equal(route(approvedCall(tool), options).route.candidates.length, 1);
});
