import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { asFunctionMap, createPlane, principalOf } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { assertFailed, namedServer, planeOf, runCli, startServe, writeConfig } from "./support.ts";

const servers = { notes: namedServer("notes", ["put", "get"]) };
const provider = { name: "mcp", config: { server: "notes", tool: "get" } };

async function createKey(config: string, dataDirectory: string) {
  await using plane = await createPlane({ config, dataDirectory });
  return plane.keys.create({ name: "test", scopes: ["admin"] });
}

suite("small answers that say what is so", () => {
  test("a word that filters lists is no persona", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, servers);
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const refused = await runCli(["tools", "list", "--persona=-shared", ...place]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /'-shared' is no persona.*--persona-filter=-shared/);
  });

  test("a manifest without side effects is a tool whose effects are not declared", async () => {
    await using plane = await planeOf(servers);
    await plane.tools.set({ name: "lookup", description: "Looks up.", providers: [provider] });
    const { metadata } = await plane.tools.get("lookup");
    assert.equal(metadata.side_effects, "network");
    assert.equal((await plane.call("lookup")).ok, true);
  });

  test("an allow-list without personas reads as it is meant", async () => {
    const tools = {
      closed: {
        description: "For no one.",
        side_effects: "none" as const,
        persona_allowlist: [],
        providers: [provider],
      },
    };
    await using plane = await createPlane({ config: { mcpServers: servers, tools } });
    const refused = await plane.call("closed", {});
    assertFailed(refused, "FORBIDDEN", "refused");
    assert.match(refused.error?.message ?? "", /it is for no persona/);
  });

  test("an argument with a space in its name is refused", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, servers);
    const words = ["tools", "set", "look", "--server", "notes", "--tool", "get"];
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const refused = await runCli([...words, "--argument", "a b:string:x", ...place]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /has a name with a space: 'a b'/);
  });

  test("a file that no argument names comes back with the argument that takes it", async () => {
    await using directory = await temporaryDirectory();
    const inject = [{ parameter: "filename", from: "files" }];
    const config = await writeConfig(directory, { notes: { ...servers.notes, inject } });
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const called = await runCli(["call", "notes.get", "--file", "a=https://x.example/a", ...place]);
    assert.match(called.stderr, /Give the name of the file in 'filename'/);
  });

  test("tools are functions by name, with their metadata", async () => {
    await using plane = await planeOf(servers);
    const functions = await asFunctionMap(plane, { principal: principalOf({ user: "ann" }) });
    const { callable, metadata } = functions["notes.get"] ?? assert.fail();
    assert.equal(metadata.side_effects, "network");
    const outcome = await callable();
    assert.deepEqual(outcome.result?.content, [{ type: "text", text: "notes:get" }]);
    assert.equal((await plane.calls.list({ limit: 1 }))[0]?.principal.user, "ann");
  });

  test("jobs are listed by how their last runs went", async () => {
    await using directory = await temporaryDirectory();
    const job = (name: string, tool: string) => [
      {
        kind: "skill",
        name: `${name}-skill`,
        version: "1.0.0",
        instruction_prompt: "Do it.",
        required_tools: [],
        required_capabilities: [],
        safety_notes: "None.",
        steps: [{ id: "only", tool }],
      },
      {
        kind: "task",
        name: `${name}-task`,
        summary: "It.",
        required_skills: [`${name}-skill`],
        acceptance_criteria: ["Done."],
      },
      {
        kind: "job",
        name,
        summary: "It.",
        personas: ["Clerk"],
        task_graph: [{ task: `${name}-task` }],
      },
    ];
    const file = directory.file("work.json");
    await writeFile(file, JSON.stringify([...job("good", "notes.get"), ...job("bad", "notes.no")]));
    const config = await writeConfig(directory, servers, { manifests: [file] });
    await using plane = await createPlane({ config, dataDirectory: directory.file("data") });
    const all = (await plane.jobs.page()).jobs.map(({ name }) => name);
    assert.deepEqual(all, ["bad", "good"], JSON.stringify(plane.config().problems));
    const clerk = principalOf({ user: "ann", persona: "Clerk", scopes: ["admin"] });
    for (const name of all) await plane.jobs.run(name, { wait: true, principal: clerk });
    const { jobs } = await plane.jobs.page({ minSuccessRate: 0.5 });
    assert.deepEqual(
      jobs.map(({ name }) => name),
      ["good"],
    );
  });

  test("over HTTP a token that is not kept is not forgotten, and a field is corrected to the current one", async () => {
    await using directory = await temporaryDirectory();
    const remote = { url: "http://127.0.0.1:9/mcp", connectTimeoutMs: 200 };
    const config = await writeConfig(directory, { remote });
    const dataDirectory = directory.file("data");
    const { secret } = await createKey(config, dataDirectory);
    await using serving = await startServe(config, dataDirectory);
    const ask = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${serving.url}${path}`, {
        method,
        headers: { "content-type": "application/json", authorization: `Bearer ${secret}` },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    };
    assert.equal((await ask("DELETE", "/servers/remote/token")).status, 404);
    const asked = await ask("POST", "/agent", { question: "x", group: ["a"] });
    assert.equal(asked.status, 400);
    assert.match(asked.text, /Did you mean 'toolGroups'\?/);
  });

  test("a toolset that names something twice, or a server that is not there, is refused", async () => {
    await using plane = await planeOf(servers);
    const twice = { providers: ["notes"], allow_tools: ["get", "get"] };
    assert.throws(
      () => plane.toolsets.register("reading", twice),
      /'get' is named twice in 'allow_tools'/,
    );
    assert.throws(
      () => plane.toolsets.register("reading", { providers: ["note"] }),
      /no server 'note' is configured\. Did you mean 'notes'\?/,
    );
  });
});
