import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "@toolplane/core/model/catalogue/tool";
import { isInToolset } from "@toolplane/test/samples/core";
import { checkSelection, missingServers, nameTools } from "./agent-tools.ts";

const definition = (providers: string[], allow_tools: string[] | null = null) => ({
  providers,
  allow_tools,
  max_tool_call_turns: 5,
  timeout_sec: null,
});
const tool = (server: string | null, name: string, more: object = {}) =>
  ({
    id: { server, tool: name },
    modelName: `${server}__${name}`,
    providers: [],
    ...more,
  }) as unknown as Tool;
const leading = { providers: [{ name: "mcp", config: { server: "one" } }] };

test("a toolset has the tools of its servers, as far as they are allowed", () => {
  assert.equal(isInToolset(definition(["one"]), tool("one", "a")), true);
  assert.equal(isInToolset(definition(["one"]), tool("two", "a")), false);
  assert.equal(isInToolset(definition(["one"], []), tool("one", "a")), false);
  assert.equal(isInToolset(definition(["one"], ["b*"]), tool("one", "boat")), true);
});

test("a tool written by hand is in it where it leads to one of the servers, or where it is named", () => {
  assert.equal(isInToolset(definition(["one"]), tool(null, "a")), false);
  assert.equal(isInToolset(definition(["one"]), tool(null, "a", leading)), true);
  assert.equal(isInToolset(definition(["two"]), tool(null, "a", leading)), false);
  assert.equal(isInToolset(definition([], ["a"]), tool(null, "a")), true);
});

test("names that several tools have are all told, with whose they are", () => {
  const alike = [tool("b", "x"), tool("a", "x"), tool("b", "y"), tool(null, "y"), tool("a", "z")];
  assert.throws(() => nameTools("mine", alike), /'x' \(a, b\); 'y' \(a hand-written tool, b\)/);
  assert.deepEqual(
    nameTools("mine", [tool("a", "z"), tool("a", "no.dots")]).map(({ name }) => name),
    ["z", "a__no.dots"],
  );
});

test("an unknown name is a mistake, unless a server that may have it is unreachable", () => {
  const servers = (trouble: string | null) => ({
    names: () => ["one", "two"],
    trouble: (name: string) => (name === "two" ? trouble : null),
  });
  const wants = definition(["one", "two"], ["a", "gone"]);
  const has = (...tools: Tool[]) => ({ tools, maySee: () => true });
  const check = (selected: ReturnType<typeof has>, trouble: string | null) =>
    checkSelection("mine", wants, selected, servers(trouble));
  assert.throws(() => check(has(tool("one", "a")), null), {
    code: "CONFIG_INVALID",
    message: /\(one, two\) has: 'gone'/,
  });
  check(has(tool("one", "a")), "'two' is unreachable.");
  assert.throws(() => check(has(), "'two' is unreachable."), {
    code: "SERVER_UNAVAILABLE",
    message: "Toolset 'mine' has no tools now, not even 'a', 'gone'. 'two' is unreachable.",
  });
  assert.deepEqual(missingServers(wants, has(tool("one", "a")), servers("'two' is unreachable.")), [
    { server: "two", reason: "'two' is unreachable." },
  ]);
});

test("a caller who may use none of its servers learns that, and nothing of how they are", () => {
  const servers = { names: () => ["one"], trouble: () => "'one' has lost its secret key." };
  const nothing = { tools: [], maySee: () => false };
  for (const names of [null, ["a"]])
    assert.throws(() => checkSelection("mine", definition(["one"], names), nothing, servers), {
      code: "FORBIDDEN",
      message: /^Toolset 'mine' has nothing for you: you may use none of its servers\./,
    });
  assert.deepEqual(missingServers(definition(["one"]), nothing, servers), []);
});
