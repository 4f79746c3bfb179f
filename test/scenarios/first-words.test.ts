import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli, writeConfig } from "./support.ts";

describe("what a newcomer reads", () => {
  test("a verb of another program leads to ours", async () => {
    for (const [said, meant] of [
      ["reload", "refresh"],
      ["delete", "remove"],
      ["ls", "list"],
    ] as const) {
      const { code, stderr } = await runCli(["servers", said, "demo"]);
      assert.equal(code, 2);
      assert.match(
        stderr,
        new RegExp(`Unknown command '${said}' \\(Did you mean ${meant}\\?\\)\\.`),
      );
    }
  });

  test("a starter file of another name is named in what comes next", async () => {
    await using directory = await temporaryDirectory();
    const env = { HOME: directory.file("home"), XDG_CONFIG_HOME: directory.file("config") };
    const { stdout } = await runCli(["init", "--yes", "--to", "starter.json"], {
      cwd: directory.path,
      env,
    });
    assert.match(
      stdout,
      /Next: toolplane tools list --config starter\.json, then toolplane serve --open --config/,
    );
  });

  test("a check counts errors and warnings in the words of other commands", async () => {
    await using directory = await temporaryDirectory();
    const fine = await writeConfig(directory, { echo: fixture("echo") });
    assert.match((await runCli(["config", "validate", "--config", fine])).stdout, /: usable\n$/);
    const odd = await writeConfig(directory, { echo: fixture("echo", [], { timout: 1 }) });
    const { stdout } = await runCli(["config", "validate", "--config", odd]);
    assert.match(stdout, /Did you mean 'timeoutMs'\?[\s\S]*: usable \(1 warning\)\n$/);
  });

  test("a default consent is not shown as one that is asked for", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const place = ["--config", config, "--data-dir", directory.file("data")];
    const { stdout } = await runCli(["tools", "show", "echo.echo", ...place]);
    assert.match(stdout, /consent +not asked for/);
    assert.match(stdout, /side effects +not declared/);
  });

  test("an API that does not answer is corrected in 'baseUrl'", async () => {
    await using directory = await temporaryDirectory();
    const document = {
      openapi: "3.0.0",
      info: { title: "t", version: "1" },
      servers: [{ url: "http://127.0.0.1:9" }],
      paths: { "/a": { get: { operationId: "a", responses: { "200": { description: "ok" } } } } },
    };
    writeFileSync(directory.file("api.json"), JSON.stringify(document));
    const config = await writeConfig(directory, { api: { openapi: "./api.json" } });
    const { stdout } = await runCli([
      "doctor",
      "--config",
      config,
      "--data-dir",
      directory.file("data"),
    ]);
    assert.match(stdout, /correct the port in 'baseUrl'/);
  });
});
