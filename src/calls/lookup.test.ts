import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleTool } from "../../test/samples/calls.ts";
import { createRegistry } from "../catalogue/registry.ts";
import type { ToolId } from "../model/catalogue/tool.ts";
import { findTool } from "./lookup.ts";

type Stage = { started?: string[]; hidden?: string[]; onDiscovered?: () => void };
type World = Record<string, string[] | { trouble: string }>;

/** Servers that list their tools when they are discovered, or tell why they cannot. */
function worldOf(servers: World, { started = [], hidden = [], onDiscovered }: Stage = {}) {
  const registry = createRegistry(() => undefined);
  const discovered: string[] = [];
  const list = (server: string) => {
    const tools = servers[server];
    if (!Array.isArray(tools)) return;
    const nameless = tools.map((tool) => sampleTool({ id: { server, tool } }));
    registry.setSource(server, { tools: nameless, rejected: [] });
  };
  started.forEach(list);
  const find = (asked: string | ToolId) =>
    findTool(asked, {
      snapshot: registry.snapshot,
      servers: () => Object.keys(servers),
      async discover(names = Object.keys(servers)) {
        discovered.push(...names);
        names.forEach(list);
        onDiscovered?.();
      },
      requirement: () => null,
      visible: () => registry.snapshot().tools.filter(({ name }) => !hidden.includes(name)),
      trouble(server) {
        const entry = servers[server];
        return entry === undefined || Array.isArray(entry) ? null : entry.trouble;
      },
    });
  return { find, discovered };
}

test("a name with its server starts that server and no other", async () => {
  for (const asked of [
    "git.status",
    "git_status",
    "mcp__git__status",
    { server: "git", tool: "status" },
  ]) {
    const { find, discovered } = worldOf({ git: ["status"], notes: ["write"] });
    assert.equal((await find(asked)).name, "git.status");
    assert.deepEqual([...new Set(discovered)], ["git"]);
  }
});

test("a bare name asks every server, so that it can be sure", async () => {
  const { find, discovered } = worldOf({ git: ["status"], notes: ["write"] }, { started: ["git"] });
  assert.equal((await find("status")).name, "git.status");
  assert.deepEqual(new Set(discovered), new Set(["git", "notes"]));
});

test("a name that only looks like a server's is still found elsewhere", async () => {
  const { find } = worldOf({ git: ["status"], other: ["git_push"] });
  assert.equal((await find("git_push")).name, "other.git_push");
});

test("a spelling of several tools is refused with the names to choose from", async () => {
  const { find } = worldOf({ a: ["b_c"], a_b: ["c"] });
  await assert.rejects(find("a_b_c"), {
    code: "TOOL_AMBIGUOUS",
    message: /'a\.b_c' or 'a_b\.c'/,
    data: { tool: "a_b_c", candidates: ["a.b_c", "a_b.c"] },
  });
});

test("which servers have started does not decide what an ambiguous spelling means", async () => {
  for (const started of ["a", "a_b"]) {
    const { find } = worldOf({ a: ["b_c"], a_b: ["c"] }, { started: [started] });
    await assert.rejects(find("a_b_c"), { code: "TOOL_AMBIGUOUS" }, `with ${started} started`);
  }
});

test("an unknown tool is refused with the nearest names", async () => {
  const { find } = worldOf({ git: ["status"] });
  await assert.rejects(find("gti.status"), {
    code: "TOOL_NOT_FOUND",
    message: /No tool 'gti\.status'\. Did you mean 'git\.status'\?/,
  });
  await assert.rejects(find({ server: "git", tool: "stauts" }), {
    code: "TOOL_NOT_FOUND",
    message: /git\.status/,
  });
});

test("what the caller may not use is not suggested either", async () => {
  const { find } = worldOf({ git: ["status"], vault: ["statue"] }, { hidden: ["vault.statue"] });
  await assert.rejects(
    find("statuz"),
    ({ message }: Error) => /git\.status/.test(message) && !/vault/.test(message),
  );
});

test("where nothing is near, the error says how to see what there is", async () => {
  await assert.rejects(worldOf({ git: ["status"] }).find("xyzzy-plugh"), { message: /tools list/ });
  await assert.rejects(worldOf({}).find("anything"), { message: /catalogue is empty/ });
});

test("a tool of a server that cannot run is unavailable rather than unknown", async () => {
  const { find } = worldOf({
    git: { trouble: "Server 'git' is not available: it died." },
    notes: ["write"],
  });
  for (const asked of ["git.status", { server: "git", tool: "status" }]) {
    await assert.rejects(find(asked), { code: "SERVER_UNAVAILABLE", message: /it died/ });
  }
});

test("a bare name that is not found mentions the servers that could not be asked", async () => {
  const { find } = worldOf({
    git: { trouble: "Server 'git' is not available: it died." },
    notes: ["write"],
  });
  await assert.rejects(find("status"), { code: "TOOL_NOT_FOUND", message: /it died/ });
});

test("a name with a server that was asked says nothing about other servers", async () => {
  const { find } = worldOf({
    git: { trouble: "Server 'git' is not available: it died." },
    notes: ["write"],
  });
  for (const asked of ["notes.wriet", "notes__wriet", { server: "notes", tool: "wriet" }])
    await assert.rejects(
      find(asked),
      ({ message }: Error) => /notes/.test(message) && !/it died/.test(message),
    );
});

test("a server that a person trusts, or puts right, while it is looked for is asked then", async () => {
  for (const asked of ["git.status", { server: "git", tool: "status" }]) {
    const servers: World = { git: { trouble: "Server 'git' cannot run: not trusted yet." } };
    const { find } = worldOf(servers, {
      onDiscovered: () => {
        servers.git = ["status"];
      },
    });
    assert.equal((await find(asked)).name, "git.status");
  }
});

test("a hidden tool takes no spelling from one that the caller may use", async () => {
  const { find } = worldOf({ a: ["b"], z: ["a_b"] }, { hidden: ["a.b"] });
  assert.equal((await find("a_b")).name, "z.a_b");
  const open = worldOf({ a: ["b"], z: ["a_b"] });
  assert.equal((await open.find("a_b")).name, "a.b");
});
