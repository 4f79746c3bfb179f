import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleServer } from "../../test/samples/calls.ts";
import { asksForWorkspace, inWorkspace, withPlaces } from "./start-place.ts";

test("roots may be paths, from where their file stands, or addresses as they are", () => {
  const roots = ["docs", "/srv/a b", "../x", "file:///etc", "https://example.com/r"];
  assert.deepEqual(withPlaces(sampleServer({ roots }), "/home/ada").roots, [
    "file:///home/ada/docs",
    "file:///srv/a%20b",
    "file:///home/x",
    "file:///etc",
    "https://example.com/r",
  ]);
  const none = sampleServer();
  assert.deepEqual(withPlaces(none, "/home/ada"), { ...none, cwd: "/home/ada" });
});

test("the reference server for files gets the directory that it would learn from its client's roots", () => {
  const place = {
    directory: "/home/ada",
    workspace: "/work/app",
    dataDirectory: "/tmp/no-such-place",
  };
  const asks = (command: string, args: string[], more = {}) =>
    asksForWorkspace(sampleServer({ command, args, ...more }), "/home/ada");
  const name = "@modelcontextprotocol/server-filesystem";
  assert.deepEqual(
    inWorkspace(sampleServer({ command: "/opt/bin/mcp-server-filesystem", args: [] }), place).args,
    ["/work/app"],
  );
  assert.equal(asks("mcp-server-filesystem", []), true);
  assert.equal(asks("npx", ["-y", name]), true);
  assert.equal(asks("npx", ["-y", `${name}@2026.1.14`]), true);
  assert.equal(asks("cmd", ["/c", "npx", "-y", name]), true);
  const others = [
    asks("npx", ["-y", name, "/srv"]),
    asks("mcp-server-filesystem", ["/srv"]),
    asks("mcp-server-filesystem", [], { roots: ["/srv"] }),
    asks("mcp-server-filesystem", [], { cwd: "/srv" }),
    asks("npx", ["-y", "@other/server-filesystem"]),
    asks("mcp-server-memory", []),
  ];
  assert.ok(!others.includes(true), others.join());
});

test("a root may be the directory that the person works in", () => {
  const asks = (roots: string[], more = {}) =>
    asksForWorkspace(sampleServer({ roots, ...more }), "/home/ada");
  assert.deepEqual(
    [asks(["."]), asks(["./not-beside-the-file"]), asks(["../.."])],
    [true, true, true],
  );
  assert.deepEqual(
    [asks([]), asks(["docs"]), asks(["/srv"]), asks(["https://example.com/."])],
    [false, false, false, false],
  );
  assert.equal(asks(["."], { transport: "http", command: undefined, url: "http://x" }), false);
  const place = { directory: "/home/ada", workspace: "/work/app", dataDirectory: undefined };
  const { roots, cwd } = inWorkspace(sampleServer({ roots: [".", "./sub", "docs"] }), place);
  assert.deepEqual(
    [roots, cwd],
    [["file:///work/app", "file:///work/app/sub", "file:///home/ada/docs"], "/work/app"],
  );
});
