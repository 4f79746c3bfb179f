import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { suite, test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { fixture, runCli, startServe } from "./support.ts";

type Body = Record<string, unknown>;
type Ask = (
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ status: number; body: Body }>;

const echo = fixture("echo");

/** As a person writes it, with a comment and a secret. */
const written = `{
  // What the team uses.
  "mcpServers": {
    "echo": ${JSON.stringify(echo)},
    // Only for the night.
    "nightly": { "command": "no-such-program", "env": { "API_TOKEN": "hunter2-hunter2-hunter2" }, "enabled": false },
    "own": ${JSON.stringify({ ...echo, persona: "Atlas" })},
    "vault": ${JSON.stringify({ ...echo, groups: ["ops"] })}
  },
  "toolsets": {
    "sums": { "providers": ["echo", "gone"], "allow_tools": ["add", "fail"] } // two tools
  },
  "personas": { "Atlas": { "flags": { "beta": true } } },
  "users": { "ann": { "groups": ["ops"], "persona": "Atlas" } }
}
`;

async function withPlane(
  run: (ask: Ask, config: string, cli: string[]) => Promise<void>,
): Promise<void> {
  await using directory = await temporaryDirectory();
  const config = directory.file("toolplane.json");
  writeFileSync(config, written);
  await using serving = await startServe(config, directory.file("data"));
  let headers: Record<string, string> = serving.proof;
  const place = ["--config", config, "--data-dir", directory.file("data"), "--json"];
  const ask: Ask = async (method, path, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(serving.url + path, { method, headers, ...sent });
    const answer = (await response.json()) as Body;
    if (typeof answer.secret === "string") headers = { "x-api-key": answer.secret };
    return { status: response.status, body: answer };
  };
  const made = await runCli([
    "keys",
    "create",
    "root",
    "--scope",
    "admin",
    "--user",
    "root",
    ...place,
  ]);
  headers = { "x-api-key": String(made.json().secret) };
  await run(ask, config, place);
}

suite("toolsets, personas and users", () => {
  test("a toolset tells its tools, what they cost, which servers are missing and who is given how many", async () => {
    await withPlane(async (ask) => {
      await ask("GET", "/tools");
      let body: Body = {};
      // Tokens are counted in the background.
      await until("the tokens", async () => {
        ({ body } = await ask("GET", "/toolsets/sums"));
        return body.tokens !== null;
      });
      const tools = body.tools as { name: string; tokens: number }[];
      assert.deepEqual(tools.map(({ name }) => name).sort(), ["echo.add", "echo.fail"]);
      assert.equal(body.tokens, (tools[0]?.tokens ?? 0) + (tools[1]?.tokens ?? 0));
      assert.deepEqual(body.missing, ["gone"]);
      const callers = body.callers as { user: string; key: string | null; tools: number }[];
      assert.deepEqual(
        callers.map(({ user, key, tools: count }) => [user, key, count]),
        [
          ["ann", null, 2],
          ["root", "root", 2],
        ],
      );
      const unknown = await ask("GET", "/toolsets/sum");
      assert.deepEqual([unknown.status, unknown.body.code], [404, "NOT_FOUND"]);
      assert.match(String(unknown.body.detail), /Did you mean 'sums'/);
    });
  });

  test("a persona has its flags, users, servers and tools; a user their groups and keys", async () => {
    await withPlane(async (ask) => {
      const { body } = await ask("GET", "/personas");
      const [atlas] = body.personas as {
        name: string;
        flags: object;
        users: string[];
        servers: string[];
      }[];
      assert.deepEqual(
        [atlas?.name, atlas?.flags, atlas?.users, atlas?.servers],
        ["Atlas", { beta: true }, ["ann"], ["own"]],
      );
      const { users } = (await ask("GET", "/users")).body as {
        users: { name: string; keys: number; groups: string[] }[];
      };
      assert.deepEqual(
        users.map(({ name, keys, groups }) => [name, keys, groups]),
        [
          ["ann", 0, ["ops"]],
          ["root", 1, []],
        ],
      );
    });
  });

  test("a toolset tells a caller nothing of servers and tools that are hidden from them", async () => {
    await withPlane(async (ask) => {
      const hidden = { providers: ["vault"], allow_tools: ["add"] };
      const mixed = { providers: ["echo", "vault", "gone"], allow_tools: ["add", "no_such_*"] };
      for (const [name, body] of Object.entries({ hidden, mixed }))
        assert.equal((await ask("PUT", `/toolsets/${name}`, body)).status, 200);
      const { status } = await ask("POST", "/keys", {
        name: "reader",
        user: "bob",
        scopes: ["read"],
      });
      assert.equal(status, 201);
      const { toolsets } = (await ask("GET", "/toolsets")).body as {
        toolsets: { name: string; providers: string[] }[];
      };
      assert.deepEqual(
        toolsets.map(({ name, providers }) => [name, providers]),
        [
          ["sums", ["echo"]],
          ["mixed", ["echo"]],
        ],
      );
      const { body } = await ask("GET", "/toolsets/mixed");
      assert.deepEqual([body.providers, body.allow_tools, body.missing], [["echo"], ["add"], []]);
      assert.deepEqual((await ask("GET", "/agent")).body.toolsets, ["sums", "mixed"]);
      const there = await ask("GET", "/toolsets/hidden");
      const unknown = await ask("GET", "/toolsets/absent");
      assert.deepEqual([there.status, unknown.status], [404, 404]);
      assert.equal(String(there.body.detail).replace("hidden", "absent"), unknown.body.detail);
    });
  });

  test("they are for admins: another caller sees a toolset without who else has it, and neither users nor personas", async () => {
    await withPlane(async (ask, _config, place) => {
      await runCli(["keys", "create", "weak", "--user", "ann", ...place]);
      const { status } = await ask("POST", "/keys", {
        name: "reader",
        user: "ann",
        scopes: ["read"],
      });
      assert.equal(status, 201);
      assert.equal((await ask("GET", "/toolsets/sums")).body.callers, undefined);
      for (const path of ["/users", "/personas"])
        assert.equal((await ask("GET", path)).status, 403);
      assert.equal((await ask("DELETE", "/toolsets/sums")).status, 403);
      assert.equal((await ask("POST", "/servers/nightly/restore", {})).status, 403);
    });
  });
});

suite("undo for removals", () => {
  test("a removed server and toolset come back to the letter, comments and secrets included", async () => {
    await withPlane(async (ask, config) => {
      for (const thing of ["/servers/nightly", "/toolsets/sums"]) {
        assert.equal((await ask("DELETE", thing)).status, 200);
        assert.notEqual(readFileSync(config, "utf8"), written);
        const restored = await ask("POST", `${thing}/restore`, {});
        assert.equal(restored.status, 200, JSON.stringify(restored.body));
        assert.ok(!JSON.stringify(restored.body).includes("hunter2"));
        assert.equal(readFileSync(config, "utf8"), written);
        assert.equal(
          (await ask("POST", `${thing}/restore`, {})).status,
          404,
          "it can be undone once",
        );
      }
    });
  });

  test("what the file got meanwhile stays, and an entry of the same name is not replaced", async () => {
    await withPlane(async (ask, config) => {
      await ask("DELETE", "/servers/nightly");
      await ask("PUT", "/toolsets/more", { providers: ["echo"] });
      assert.equal((await ask("POST", "/servers/nightly/restore", {})).status, 200);
      const now = readFileSync(config, "utf8");
      assert.match(now, /"more"/);
      assert.match(now, /hunter2-hunter2-hunter2/);
      await ask("DELETE", "/servers/nightly");
      await ask("PUT", "/servers/nightly", { command: "another", enabled: false });
      const { status, body } = await ask("POST", "/servers/nightly/restore", {});
      assert.deepEqual([status, body.code], [409, "CONFLICT"]);
      assert.match(readFileSync(config, "utf8"), /"another"/);
    });
  });
});
