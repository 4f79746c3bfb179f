import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerDefinition } from "../../model/servers/server.ts";
import type { Server } from "../server.ts";
import { brokenStatus } from "../server-status.ts";
import { sharedOwner } from "../sessions.ts";
import { createDirectoryServer, maxInstances } from "./directory-server.ts";

const notTrusted = { what: "not trusted yet", remedy: "Trust it" };
const in_ = (directory: string) => ({ ...sharedOwner, directory });

/** Servers that start nothing and say which directory they were made for. */
function sample({
  home = null as string | null,
  trusted = (_: string): boolean => true,
  isOffline = false,
} = {}) {
  const world = {
    trusted,
    busy: new Set<string>(),
    made: [] as string[],
    stopped: [] as string[],
    ended: [] as string[],
  };
  const server = createDirectoryServer({
    name: "files",
    definition: ServerDefinition.parse({ command: "x", transport: "stdio" }),
    home,
    isOffline,
    whyNot: (directory) => (world.trusted(directory) ? null : notTrusted),
    onEnded: (directory) => world.ended.push(directory),
    create(directory) {
      world.made.push(directory);
      const { name: _, tools: __, rejected: ___, ...status } = brokenStatus("", "");
      return {
        request: async () => directory,
        discover: async () => undefined,
        listOwner: () => undefined,
        requirement: () => null,
        disconnect: async () => undefined,
        status: () => ({ ...status, error: null, pending: world.busy.has(directory) ? 1 : 0 }),
        stop: async () => void world.stopped.push(directory),
      } as unknown as Server;
    },
  });
  const ask = (directory?: string) =>
    server.request("tools/call", {}, {}, directory === undefined ? sharedOwner : in_(directory));
  return { server, world, ask };
}

test("each directory has a server of its own, which is made once and for its callers alone", async () => {
  const { server, world, ask } = sample();
  assert.deepEqual(await Promise.all(["/a", "/b", "/a"].map(ask)), ["/a", "/b", "/a"]);
  assert.deepEqual(world.made, ["/a", "/b"]);
  assert.deepEqual(server.listOwner(in_("/a")), { user: null, directory: "/a" });
  assert.equal(server.offered("prompts/list", in_("/c")), null);
  assert.equal(server.session(in_("/c")), null);
  assert.throws(
    () => ask(),
    /works in the directory of its client, and this client has named none/,
  );
  assert.deepEqual(
    server.status().instances?.map(({ directory }) => directory),
    ["/b", "/a"],
    "the last used stands last",
  );
});

test("a caller who says nothing works in the directory of the plane", async () => {
  const { server, world, ask } = sample({ home: "/home" });
  assert.deepEqual(world.made, ["/home"]);
  assert.equal(await ask(), "/home");
  assert.deepEqual(server.listOwner(sharedOwner), { user: null, directory: "/home" });
});

test("nothing is made where no person trusts it, until one does, and it ends when they no longer do", async () => {
  let trusted = ["/a"];
  const { server, world, ask } = sample({
    home: "/home",
    trusted: (directory) => trusted.includes(directory),
  });
  assert.equal(server.status().state, "untrusted");
  assert.match(server.status().error ?? "", /^not trusted yet\. Trust it\.$/);
  assert.throws(() => ask("/b"), {
    code: "SERVER_UNAVAILABLE",
    message: /'files' cannot run: not trusted yet/,
  });
  assert.match(server.requirement(in_("/b"))?.message ?? "", /Trust it/);
  assert.equal(await ask("/a"), "/a");
  assert.deepEqual(world.made, ["/a"]);
  trusted = ["/b", "/c"];
  server.reviewTrust?.();
  assert.deepEqual(world.made, ["/a", "/b"], "it was asked for in /b, and not in /c");
  assert.deepEqual([world.stopped, world.ended], [["/a"], ["/a"]]);
});

test("the least recently used that does nothing makes room, and that of the plane stays", async () => {
  const { world, ask } = sample({ home: "/home" });
  const others = Array.from({ length: maxInstances - 1 }, (_, at) => `/d${at}`);
  for (const directory of others) await ask(directory);
  world.busy.add("/d0");
  await ask("/new");
  assert.deepEqual(world.stopped, ["/d1"]);
  for (const directory of [...others, "/new"]) world.busy.add(directory);
  assert.throws(() => ask("/more"), { code: "BUSY" });
  assert.deepEqual(world.stopped, ["/d1"]);
});

test("where nothing is started, nothing has to be trusted", async () => {
  const { ask } = sample({ trusted: () => false, isOffline: true });
  assert.equal(await ask("/a"), "/a");
});
