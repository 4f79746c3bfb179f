import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import {
  createPlane,
  type Plane,
  type Principal,
  principalOf,
  type ToolListing,
} from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { assertFailed, fixture, namedServer, runCli, writeConfig } from "./support.ts";

const rita = principalOf({ user: "rita", workspace: "red" });
const bert = principalOf({ user: "bert", workspace: "blue" });
const nora = principalOf({ user: "nora" });

/** Everything that a caller can look at, in one text. */
async function allThatIsSeen(plane: Plane, principal: Principal): Promise<string> {
  const caller = { principal };
  const seen = await Promise.all([
    plane.tools.list(caller),
    plane.servers.list(caller),
    plane.servers.locked(caller),
    plane.registry.summary(caller),
    plane.calls.list({}, caller),
    plane.calls.activity(caller),
    plane.approvals.list(caller),
    plane.plans.list(caller),
    plane.approvals.remembered(caller),
    plane.deadLetters.page({}, caller),
    plane.results.page({}, caller),
    plane.registry.changes({}, caller),
    plane.events.list(0, 10_000, caller),
    plane.prompts.list(undefined, caller),
  ]);
  return JSON.stringify(seen);
}

test("two workspaces of one plane see nothing of each other", async () => {
  await using directory = await temporaryDirectory();
  const wrap = (server: string) => ({
    description: `Goes to ${server}.`,
    side_effects: "none",
    providers: [{ name: "mcp", config: { server, tool: "look" } }],
  });
  const own = (name: string, color: string) => ({
    ...namedServer(name, ["look", "vote"]),
    workspaces: [color],
  });
  const config = await writeConfig(
    directory,
    {
      rose: own("rose", "red"),
      rosefault: { ...fixture("fault"), workspaces: ["red"] },
      navy: own("navy", "blue"),
      shared: namedServer("shared", ["look"]),
    },
    {
      tools: { rose_wrapped: wrap("rose"), navy_only: { ...wrap("shared"), workspaces: ["blue"] } },
      policy: { rules: [{ tool: "rose.vote", verdict: "ask" }, { verdict: "allow" }] },
    },
  );
  await using plane = await createPlane({ config, dataDirectory: directory.file("data") });
  await plane.tools.list();
  const ritas = { principal: rita };
  assert.equal((await plane.call("rose.vote", {}, ritas)).call.status, "waiting");
  assert.equal((await plane.call("rose_wrapped", {}, ritas)).ok, true);
  await plane.call("rosefault.exit_mid_call", {}, ritas);
  assert.equal((await plane.deadLetters.page({}, ritas)).total, 1);
  assert.equal((await plane.call("navy_only", {}, { principal: bert })).ok, true);

  assert.match(await allThatIsSeen(plane, rita), /rose/);
  assert.ok(!/navy/.test(await allThatIsSeen(plane, rita)));
  assert.match(await allThatIsSeen(plane, bert), /navy/);
  assert.ok(!/rose|rita/.test(await allThatIsSeen(plane, bert)));
  assert.ok(!/rose|navy|rita|bert/.test(await allThatIsSeen(plane, nora)));

  for (const tool of ["rose.look", "rose_wrapped", { server: "rose", tool: "look" }])
    for (const principal of [bert, nora])
      assertFailed(await plane.call(tool, {}, { principal }), "TOOL_NOT_FOUND", "refused");
  const [waiting] = await plane.approvals.list(ritas);
  await assert.rejects(
    plane.approvals.answer(waiting?.id ?? "", { decision: "approve" }, { principal: bert }),
  );
  assert.equal((await plane.approvals.list(ritas)).length, 1);
});

test("a caller of no workspace sees what belongs to none, and a name that only looks alike is a different one", async () => {
  await using plane = await createPlane({
    config: { mcpServers: { rose: { ...namedServer("rose", ["look"]), workspaces: ["red"] } } },
  });
  for (const workspace of [null, "", "Red", "red ", "re"]) {
    const principal = { ...nora, workspace };
    assert.deepEqual(await plane.tools.list({ principal }), [], String(workspace));
    assertFailed(await plane.call("rose.look", {}, { principal }), "TOOL_NOT_FOUND", "refused");
  }
  assert.equal((await plane.call("rose.look", {}, { principal: rita })).ok, true);
});

test("two workspaces have a tool of the same name each, and the command line names the workspace", async () => {
  await using directory = await temporaryDirectory();
  const tool = (workspaces: string[] | undefined, text: string) => ({
    name: "lookup",
    description: text,
    side_effects: "none",
    parameters: { type: "object" },
    workspaces,
    providers: [{ name: "mcp", config: { server: "s", tool: text } }],
  });
  const manifest = directory.file("workspaces.json");
  await writeFile(manifest, JSON.stringify([tool(["red"], "valid"), tool(["blue"], "only_text")]));
  const config = await writeConfig(
    directory,
    { s: fixture("structured") },
    { manifests: [manifest] },
  );
  const run = (...words: string[]) =>
    runCli([...words, "--json", "--config", config, "--data-dir", directory.file("data")]);
  const checked = (await run("config", "validate")).json() as {
    problems: Record<string, unknown>[];
  };
  assert.deepEqual(
    checked.problems.filter(({ severity }) => severity === "error"),
    [],
  );
  const text = async (...words: string[]) => (await run("call", "lookup", ...words)).stdout;
  assert.match(await text("--workspace", "red"), /temperature/);
  assert.match(await text("--workspace", "blue"), /21\.5 in Paris/);
  assert.match(await text(), /FORBIDDEN/);
  const names = async (...words: string[]) => {
    const { tools } = (await run("tools", "list", ...words)).json() as unknown as {
      tools: ToolListing[];
    };
    return tools.filter(({ name }) => name === "lookup").map(({ description }) => description);
  };
  assert.deepEqual(
    [await names("--workspace", "red"), await names("--workspace", "blue"), await names()],
    [["valid"], ["only_text"], []],
  );
});
