import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleServer } from "../../test/samples/calls.ts";
import { anonymous } from "../model/principal.ts";
import { bindCaller } from "../operations/bind-caller.ts";
import { createServerVerbs, type VerbOptions } from "./server-verbs.ts";
import { identifyServer } from "./servers.ts";

type ListedServers = Parameters<typeof createServerVerbs>[0];

const options: VerbOptions = {
  defaultPrincipal: anonymous,
  maySee: () => true,
  trust: () => undefined,
  judge: async (_server: string, _kind: string, items: readonly unknown[]) => items.map(() => null),
};

test("a server differs by name, by definition, and where its command is read in another directory", () => {
  const base = identifyServer("s", sampleServer(), "/a");
  assert.equal(identifyServer("s", sampleServer(), "/a"), base);
  for (const other of [
    identifyServer("t", sampleServer(), "/a"),
    identifyServer("s", sampleServer({ args: ["x"] }), "/a"),
    identifyServer("s", sampleServer(), "/b"),
  ]) {
    assert.notEqual(other, base);
  }
});

test("an address means the same server everywhere", () => {
  const remote = sampleServer({
    command: undefined,
    transport: "http",
    url: "http://localhost/mcp",
  });
  assert.equal(identifyServer("s", remote, "/a"), identifyServer("s", remote, "/b"));
});

test("what a server is given stands in its identity, but cannot be read there", () => {
  const identity = identifyServer("s", sampleServer({ env: { TOKEN: "hunter2hunter2" } }), "/a");
  assert.doesNotMatch(identity, /hunter2/);
  assert.notEqual(identity, identifyServer("s", sampleServer({ env: { TOKEN: "other" } }), "/a"));
});

/** Servers of which one lists, one fails and one is not configured well. */
function sample() {
  const asked: unknown[] = [];
  const servers = {
    names: () => ["good", "bad"],
    requireName(name: string) {
      if (!["good", "bad"].includes(name)) throw new Error(`No server '${name}'`);
      return name;
    },
    status: () => ["good", "bad"].map((name) => ({ name, transport: "stdio" })),
    offered: () => null,
    denied: () => null,
    listOwner: () => undefined,
    find: () => ({ warm: async () => undefined, list: async () => [], offered: () => null }),
    async list(name: string, method: string) {
      asked.push([name, method]);
      if (name === "bad") throw new Error("it is down");
      return [{ name: "item" }, "no item", null];
    },
    refresh: async (names: string[], options: unknown) => ({ names, options }),
  } as unknown as ListedServers;
  return {
    verbs: bindCaller(createServerVerbs(servers, options), { principal: anonymous }),
    asked,
  };
}

test("asked of all, a server that cannot list is left out; asked of one, it says why", async () => {
  const { verbs } = sample();
  assert.deepEqual((await verbs.prompts.list())[0], { name: "item", server: "good" });
  await assert.rejects(verbs.prompts.list("bad"), /it is down/);
  await assert.rejects(verbs.prompts.list("other"), /No server 'other'/);
});

test("an entry that is none costs only itself", async () => {
  const { verbs } = sample();
  assert.deepEqual(await verbs.resources.list("good"), [{ name: "item", server: "good" }]);
});

test("each verb asks what it is named after", async () => {
  const { verbs, asked } = sample();
  await verbs.prompts.list("good");
  await verbs.resources.list("good");
  await verbs.resources.templates("good");
  assert.deepEqual(asked, [
    ["good", "prompts/list"],
    ["good", "resources/list"],
    ["good", "resources/templates/list"],
  ]);
});

test("one server is shown and refreshed by its name, all without one", async () => {
  const { verbs } = sample();
  assert.deepEqual(await verbs.servers.get("bad"), { name: "bad", transport: "stdio" });
  await assert.rejects(verbs.servers.get("other"), /No server 'other'/);
  assert.deepEqual(await verbs.servers.refresh("good", { force: false }), {
    names: ["good"],
    options: { force: false, principal: anonymous },
  });
  assert.deepEqual(await verbs.servers.refresh(), {
    names: ["good", "bad"],
    options: { principal: anonymous },
  });
  await assert.rejects(verbs.servers.refresh("other"), /No server 'other'/);
});

test("a server that a person connected or refreshed by its name is trusted again", async () => {
  const trusted: (readonly string[])[] = [];
  const servers = {
    names: () => ["good", "bad"],
    requireName: (name: string) => name,
    connect: async () => undefined,
    refresh: async () => ({}),
  } as unknown as ListedServers;
  const noted = createServerVerbs(servers, { ...options, trust: (names) => trusted.push(names) });
  const verbs = bindCaller(noted, { principal: anonymous });
  await verbs.servers.connect("good");
  await verbs.servers.refresh("bad");
  await verbs.servers.refresh();
  assert.deepEqual(trusted, [["good"], ["bad"]]);
});
