import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { createPlane, principalOf } from "../../src/index.ts";
import { inMemory, scriptedModel, toolServer } from "../../src/testing/testing.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { startGateway } from "./gateway-client.ts";
import { assertFailed, namedServer, planeOf, startServe, writeConfig } from "./support.ts";

const written = (server: string, tool: string, more: object = {}) => ({
  description: `Calls ${server}.${tool}.`,
  side_effects: "none" as const,
  providers: [{ name: "mcp", config: { server, tool } }],
  ...more,
});

suite("what a caller is offered and told", () => {
  test("a model is offered no tool that cannot run, and a person reads why", async () => {
    await using directory = await temporaryDirectory();
    const tools = {
      fine: written("notes", "put"),
      lost: written("gone", "put"),
      locked: written("notes", "put", { auth: { envs: { NO_SUCH_KEY: { required: true } } } }),
    };
    const model = scriptedModel([
      { kind: "text", text: "Done." },
      { kind: "text", text: "Final Answer: done" },
    ]);
    const servers = { notes: namedServer("notes", ["put"]) };
    const config = await writeConfig(directory, servers, { tools });
    await using plane = await createPlane({ config, models: { scripted: model } });
    await plane.tools.list();
    const marked = new Map(
      (await plane.tools.list()).map(({ name, unavailable }) => [name, unavailable]),
    );
    assert.match(marked.get("lost") ?? "", /server 'gone' is not configured/);
    assert.match(marked.get("locked") ?? "", /NO_SUCH_KEY is not set/);
    assert.equal(marked.get("fine"), null);
    await plane.agent.run("go", { model: "scripted" });
    await plane.agent.run("go", { model: "scripted", style: "react" });
    for (const request of model.requests) {
      const text = JSON.stringify(request);
      assert.match(text, /fine/);
      assert.doesNotMatch(text, /lost|locked/);
    }
    const place = ["--config", config, "--data-dir", directory.file("data"), "--standalone"];
    await using gateway = await startGateway(place, {}, () => undefined);
    const { result } = await gateway.begin("tools/list", {}).answer;
    const listed = (result?.tools ?? []) as { name: string }[];
    const names = listed.map(({ name }) => name).sort();
    assert.deepEqual(
      names.filter((name) => name !== "read_result"),
      ["fine", "notes__put"],
    );
  });

  test("refused arguments name what the tool takes: choices, references and constants", async () => {
    const schema = {
      type: "object",
      oneOf: [
        { properties: { id: { $ref: "#/$defs/Id" } }, required: ["id"] },
        {
          properties: { version: { const: 2 }, url: { type: "string" } },
          required: ["url", "version"],
        },
      ],
      $defs: { Id: { type: "integer" } },
    };
    const server = toolServer({ find: { inputSchema: schema, run: () => "found" } });
    await using plane = await createPlane({ servers: { s: inMemory(server) } });
    const refused = await plane.call("s.find", { url: "x", version: 3 });
    assertFailed(refused, "INVALID_ARGUMENTS", "refused");
    const message = refused.error?.message ?? "";
    assert.match(message, /must be 2/);
    assert.match(
      message,
      /It takes: either id \(integer, required\); or version \(2, required\), url \(string, required\)/,
    );
    assert.deepEqual(server.calls, []);
  });

  test("a caller of whom only the user is said calls and lists with every verb", async () => {
    await using directory = await temporaryDirectory();
    await using plane = await planeOf(
      { notes: { ...namedServer("notes", ["put"]), groups: [] } },
      { dataDirectory: directory.path },
    );
    const ann = plane.as({ user: "ann" });
    assert.deepEqual(
      (await ann.tools.list()).map(({ name }) => name),
      ["notes.put"],
    );
    assert.equal((await ann.call("notes.put")).ok, true);
    assert.equal((await ann.search({ query: "put" })).tools.length, 1);
    assert.deepEqual(
      (await ann.calls.list()).map(({ principal }) => principal),
      [principalOf({ user: "ann" })],
    );
    const given = await plane.call("notes.put", {}, { principal: { user: "bob" } as never });
    assert.equal(given.ok, true);
    await assert.rejects(ann.tools.disable(["notes.put"]), { code: "FORBIDDEN" });
  });

  test("over HTTP tools that ask for a persona's flags are seen by persona, and looked at by name", async () => {
    await using directory = await temporaryDirectory();
    const needed = { read: ["calendar.read"], write: ["calendar.write"] };
    const config = await writeConfig(
      directory,
      { notes: namedServer("notes", ["put"]) },
      {
        tools: { calendar: written("notes", "put", { requires_flags: needed }) },
        personas: { Clerk: { flags: { calendar: { read: true } } }, Guest: { flags: {} } },
      },
    );
    await using serving = await startServe(config, directory.file("data"));
    const names = async (query: string) => {
      const { tools } = (await (await fetch(`${serving.url}/tools${query}`)).json()) as {
        tools: { name: string }[];
      };
      return tools.map(({ name }) => name).sort();
    };
    assert.deepEqual(await names("?persona=Clerk"), ["calendar", "notes.put"]);
    assert.deepEqual(await names("?persona=clerk"), ["calendar", "notes.put"]);
    assert.deepEqual(await names("?persona=Guest"), ["notes.put"]);
    assert.deepEqual(await names(""), ["calendar", "notes.put"]);
    assert.equal((await fetch(`${serving.url}/tools/calendar`)).status, 200);
  });
});
