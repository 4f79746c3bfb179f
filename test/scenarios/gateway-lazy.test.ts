import assert from "node:assert/strict";
import { test } from "node:test";
import { readSse } from "../fixtures/read-sse.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { hear, listChanged, metaNames, openClient, startLazy } from "./lazy-world.ts";
import { fixture, namedServer } from "./support.ts";

for (const era of ["legacy", "modern"] as const) {
  test(`a ${era} client has three tools, and reaches all the others with them`, async () => {
    await using gateway = await startLazy();
    const { names, search, call } = await openClient(gateway.url, era);
    assert.deepEqual(await names(), metaNames);
    const found = await search("touch a resource");
    assert.deepEqual(
      found.tools.map(({ name, server, required, arguments: takes }) => [
        name,
        server,
        required,
        takes,
      ]),
      [["my_server__touch", "my_server", ["uri"], "uri: string"]],
    );
    assert.equal(found.totalAvailable, 18);
    assert.equal(found.autoLoaded, era === "legacy");
    assert.match(found.text, /- my_server__touch\(uri: string\): Changes a resource/);
    const direct = await call("one__echo", { message: "by name" });
    const wrapped = await call("call_tool", {
      name: "one__echo",
      arguments: { message: "by name" },
    });
    assert.deepEqual(wrapped.result, direct.result);
    assert.equal(
      (await call("call_tool", { name: "mcp_my_server_touch", arguments: { uri: "fx://a" } }))
        .isError,
      false,
    );
  });

  test(`bad arguments of a ${era} client are answered with what to do`, async () => {
    await using gateway = await startLazy();
    const { call } = await openClient(gateway.url, era);
    // A list does not wait for a server that is slow to start.
    await gateway.plane.tools.list();
    for (const [name, args, said] of [
      ["mcp_tool_search", {}, /query.*It takes: query \(string, required\)/],
      ["mcp_tool_search", { query: 5 }, /\/query must be string/],
      ["mcp_tool_search", { query: "a", limit: 1_000 }, /'limit' must be an integer from 1 to 100/],
      ["mcp_tool_search", { query: "x".repeat(20_000) }, /longer than 10000 characters/],
      ["mcp_tool_search", { query: "a", server: "none" }, /none/],
      ["mcp_tool_list", { server: "none" }, /No server 'none' has tools. There are my_server, one/],
      ["call_tool", {}, /'name' of call_tool must be the name of a tool/],
      ["call_tool", { name: "call_tool" }, /does not call itself/],
      ["call_tool", { name: "one__ecoh" }, /No tool 'one__ecoh'. Did you mean 'one__echo'/],
      ["call_tool", { name: "one__add", arguments: { a: "one" } }, /are invalid/],
      ["call_tool", { name: "one__add", arguments: [] }, /must be an object|JSON object/i],
    ] as const) {
      const { isError, text } = await call(name, args as never);
      assert.ok(isError, `${name} ${JSON.stringify(args).slice(0, 80)}: ${text}`);
      assert.match(text, said);
    }
  });
}

test("what a search finds is listed, and the client is notified once", async () => {
  await using gateway = await startLazy();
  const { loaded, search } = await openClient(gateway.url);
  const first = await search("echo", { server: "one", limit: 3 });
  assert.equal(first.changes, 1);
  assert.deepEqual(
    await loaded(),
    first.tools.map(({ name }) => name),
  );
  assert.equal((await search("echo", { server: "one", limit: 3 })).changes, 0);
  const other = await openClient(gateway.url);
  assert.deepEqual(await other.loaded(), []);
});

test("a search that fits nothing says so, lists the nearest and loads nothing", async () => {
  await using gateway = await startLazy();
  const { search, loaded } = await openClient(gateway.url);
  const { message, autoLoaded, changes } = await search("book a table at an italian restaurant");
  assert.match(message, /Nothing here fits|No tool was found/);
  assert.equal(autoLoaded, false);
  assert.equal(changes, 0);
  assert.deepEqual(await loaded(), []);
});

test("a tool that is called by its name is listed from then on, and one called through another is not", async () => {
  await using gateway = await startLazy();
  const { client, loaded, call } = await openClient(gateway.url);
  const { heard, leave } = await hear(gateway.url, client);
  await loaded();
  await call("call_tool", { name: "one__add", arguments: { a: 1, b: 2 } });
  await call("one__echo", { message: "hi" });
  await until("the change was reported", () => heard.some(({ method }) => method === listChanged));
  assert.deepEqual(await loaded(), ["one__echo"]);
  assert.equal(heard.filter(({ method }) => method === listChanged).length, 1);
  await leave();
});

test("what was not used for longest makes room, and is found again", async () => {
  await using gateway = await startLazy(undefined, { lazy: { maxLoadedTokens: 150 } });
  const { loaded, search, call } = await openClient(gateway.url);
  await search("select:one.echo,one.add");
  await call("one__echo", { message: "still in use" });
  const { changes } = await search("select:my_server.touch,one.slow");
  assert.equal(changes, 1);
  const now = await loaded();
  assert.ok(now.includes("my_server__touch") && !now.includes("one__add"), now.join());
  const [session] = (await gateway.plane.stats()).sessions ?? [];
  assert.ok((session?.loaded.length ?? 0) < 4);
  assert.equal((await call("one__add", { a: 1, b: 2 })).isError, false);
});

test("with 'found' only what was shown can be called, and the way there is reported", async () => {
  await using directory = await temporaryDirectory();
  await using gateway = await startLazy(
    undefined,
    { lazy: { callable: "found", alwaysLoadTools: ["whoami_server"] } },
    { dataDirectory: directory.path },
  );
  for (const era of ["legacy", "modern"] as const) {
    const { search, call } = await openClient(gateway.url, era);
    const guessed = await call("one__echo", { message: "guessed" });
    assert.match(guessed.text, /'one.echo' was not shown in this session.*mcp_tool_search/);
    assert.ok(
      (await call("call_tool", { name: "one.echo", arguments: { message: "guessed" } })).isError,
    );
    assert.equal((await call("one__whoami_server")).isError, false);
    await search("return the message", { server: "one", limit: 1 });
    assert.equal((await call("one.echo", { message: "found" })).text, "found");
    await call("mcp_tool_list", { server: "my*" });
    assert.equal((await call("my_server__touch", { uri: "fx://a" })).isError, false);
  }
  const calls = await gateway.plane.calls.list({});
  assert.ok(calls.some(({ tool, status }) => tool === "one.echo" && status === "refused"));
});

test("a call through another tool leaves one record, and a search one of its own", async () => {
  await using directory = await temporaryDirectory();
  await using gateway = await startLazy(undefined, {}, { dataDirectory: directory.path });
  const { search, call } = await openClient(gateway.url);
  await search("echo");
  await call("call_tool", { name: "one__echo", arguments: { message: "once" } });
  const calls = await gateway.plane.calls.list({});
  assert.deepEqual(calls.map(({ tool, provider }) => [tool, provider]).sort(), [
    ["mcp_tool_search", "builtin"],
    ["one.echo", "mcp"],
  ]);
});

test("anyone who hears of events hears who searched and what was loaded", async () => {
  await using gateway = await startLazy();
  const told: object[] = [];
  gateway.plane.on("tool.search", (event) => told.push(event));
  gateway.plane.on("tool.dynamicLoad", (event) => told.push(event));
  const { search } = await openClient(gateway.url);
  await search("touch a resource");
  const [session] = (await gateway.plane.stats()).sessions ?? [];
  assert.deepEqual(
    told.map((event) => ({ ...event, loadedTokens: 0 })),
    [
      {
        type: "tool.search",
        query: "touch a resource",
        resultCount: 1,
        session: session?.id,
        loadedTokens: 0,
      },
      {
        type: "tool.dynamicLoad",
        session: session?.id,
        tools: ["my_server.touch"],
        loadedTokens: 0,
      },
    ],
  );
});

test("progress, questions and approvals of a call come through the tool that calls it", async () => {
  await using directory = await temporaryDirectory();
  await using gateway = await startLazy(
    { work: fixture("progress"), ask: fixture("elicit"), one: fixture("echo") },
    { policy: { rules: [{ tool: "one.echo", verdict: "ask", reason: "a person decides" }] } },
    { dataDirectory: directory.path },
  );
  const asked: string[] = [];
  const { client, call } = await openClient(gateway.url, "legacy", {
    headers: gateway.proof,
    capabilities: { elicitation: { form: {} } },
    answer(_method, { message }) {
      asked.push(String(message));
      return { action: "accept", content: { decision: "approve" } };
    },
  });
  const { notifications } = await client.exchange("tools/call", {
    name: "call_tool",
    arguments: { name: "work__count", arguments: { steps: 3 } },
    _meta: { progressToken: "steps" },
  });
  assert.equal(notifications.filter(({ method }) => method === "notifications/progress").length, 3);
  assert.equal(
    (await call("call_tool", { name: "one__echo", arguments: { message: "approved" } })).text,
    "approved",
  );
  assert.match(asked.join(), /one.echo/);
});

test("toolsets, bare names and the lazy list go together", async () => {
  await using gateway = await startLazy(
    { a: namedServer("a", ["alpha", "both"]), b: namedServer("b", ["beta", "both"]) },
    { toolsets: { small: { providers: ["a"], allow_tools: ["al*"] } } },
  );
  const small = await openClient(`${gateway.url}?toolset=small&names=bare`);
  const { tools, totalAvailable, total } = await small.search("tool alpha both");
  assert.deepEqual([tools.map(({ name }) => name), total, totalAvailable], [["alpha"], 1, 1]);
  assert.equal((await small.call("alpha")).text, "a:alpha");
  assert.match((await small.call("call_tool", { name: "a.both" })).text, /not in toolset 'small'/);
  const bare = await openClient(`${gateway.url}?names=bare`);
  await bare.search("select:a.alpha,a.both");
  assert.deepEqual((await bare.loaded()).sort(), ["a__both", "alpha"]);
  const full = await openClient(`${gateway.url}?mode=full`);
  assert.deepEqual((await full.names()).slice(0, 4).sort(), [
    "a__alpha",
    "a__both",
    "b__beta",
    "b__both",
  ]);
});

test("a large result brings the tool that reads it", async () => {
  await using directory = await temporaryDirectory();
  await using gateway = await startLazy(
    undefined,
    { results: { maxInlineBytes: 100 } },
    { dataDirectory: directory.path },
  );
  const { client, loaded, call } = await openClient(gateway.url);
  const { heard, leave } = await hear(gateway.url, client);
  await loaded();
  await call("call_tool", { name: "one__echo", arguments: { message: "x".repeat(5_000) } });
  await until("the change was reported", () => heard.some(({ method }) => method === listChanged));
  assert.deepEqual(await loaded(), ["read_result"]);
  await leave();
});

test("a client of the later era that listens is notified, and its list is again the first when it goes", async () => {
  await using gateway = await startLazy();
  const { client, loaded, search } = await openClient(gateway.url, "modern");
  const left = new AbortController();
  const params = {
    notifications: { toolsListChanged: true },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "listener", version: "1" },
    },
  };
  const message = { jsonrpc: "2.0", id: "news", method: "subscriptions/listen", params } as const;
  const response = await client.post(message, left.signal);
  const heard: string[] = [];
  const ended = readSse(response, (one) => heard.push(String(one.method))).catch(() => undefined);
  await until("the stream is open", () => heard.length > 0);
  assert.equal((await search("touch a resource")).autoLoaded, true);
  await until("the change was reported", () => heard.includes(listChanged));
  assert.deepEqual(await loaded(), ["my_server__touch"]);
  const [session] = (await gateway.plane.stats()).sessions ?? [];
  assert.deepEqual(
    [session?.client, session?.era, session?.loaded],
    ["listener", "modern", ["my_server.touch"]],
  );
  left.abort();
  await ended;
  await until(
    "the end of its session",
    async () => (await gateway.plane.stats()).sessions?.length === 0,
  );
  assert.deepEqual(await loaded(), []);
  assert.equal(heard.filter((method) => method === listChanged).length, 1);
});
