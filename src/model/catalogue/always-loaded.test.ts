import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesGlob } from "../../lib/text/glob.ts";
import { alwaysLoaded } from "./tool-name.ts";

const tool = (server: string, name: string) => ({
  id: { server, tool: name },
  name: `${server}.${name}`,
  modelName: `${server}__${name}`,
});
const tools = [
  tool("files", "read"),
  tool("files", "read_all"),
  tool("my_server", "search"),
  tool("web", "search_web"),
];
const meant = (...patterns: string[]) =>
  [...alwaysLoaded(tools, patterns, matchesGlob)].map(({ name }) => name);

test("a tool is named in any spelling, and then no other is meant", () => {
  for (const spelling of [
    "files.read",
    "files_read",
    "files__read",
    "mcp_files_read",
    "mcp__files__read",
    "read",
  ])
    assert.deepEqual(meant(spelling), ["files.read"], spelling);
  assert.deepEqual(meant("mcp_my_server_search"), ["my_server.search"]);
});

test("globs mean all they fit", () => {
  assert.deepEqual(meant("files.*"), ["files.read", "files.read_all"]);
  assert.deepEqual(meant("search*", "files.read"), [
    "my_server.search",
    "web.search_web",
    "files.read",
  ]);
});

test("a part of a name means every tool that has it", () => {
  assert.deepEqual(meant("sear"), ["my_server.search", "web.search_web"]);
  assert.deepEqual(meant("nothing"), []);
  assert.deepEqual(meant(""), []);
});
