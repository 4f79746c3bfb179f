import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { namedServer, runCli } from "./support.ts";

suite("toolsets that do not fit the tools there are", { concurrency: 2 }, () => {
  let directory: TemporaryDirectory;
  before(async () => {
    directory = await temporaryDirectory();
    const provider = (name: string, tools: string[]) => ({
      name,
      provider_type: "stdio",
      ...namedServer(name, tools),
    });
    const written = {
      models: { default: { baseURL: "http://127.0.0.1:9/v1", model: "none" } },
      providers: [provider("left", ["read", "same"]), provider("right", ["same"])],
      tool_configs: [
        {
          tool_alias: "gone",
          providers: ["left", "right"],
          allow_tools: ["read", "lost", "vanished"],
        },
        { tool_alias: "alike", providers: ["left", "right"] },
        { tool_alias: "stray", providers: ["lefd"] },
        { tool_alias: "twice", providers: ["left"], allow_tools: ["read", "read"] },
        { tool_alias: "good", providers: ["left"] },
      ],
    };
    await writeFile(directory.file("toolplane.json"), JSON.stringify(written));
  });
  after(() => directory[Symbol.asyncDispose]());
  const run = (...words: string[]) =>
    runCli([
      ...words,
      "--config",
      directory.file("toolplane.json"),
      "--data-dir",
      directory.file("data"),
    ]);

  test("allowed tools that no provider has are a failed check that names them and the providers", async () => {
    const exported = await run("agent", "hello", "--toolset", "gone", "--json");
    const { code, data, message } = exported.json().error ?? assert.fail();
    assert.deepEqual([exported.code, code], [1, "CONFIG_INVALID"], exported.stderr);
    assert.match(
      message,
      /'gone' allows tools that none of its servers \(left, right\) has: 'lost', 'vanished'/,
    );
    assert.doesNotMatch(message, /toolsets\./, "the file may have another shape");
    assert.deepEqual(
      [data.missingTools, data.providers],
      [
        ["lost", "vanished"],
        ["left", "right"],
      ],
    );
  });

  test("the doctor examines toolsets too", async () => {
    const examined = await run("doctor", "--json");
    assert.equal(examined.code, 1);
    const toolsets = examined.json().toolsets as {
      name: string;
      ok: boolean;
      checks: { detail: string }[];
    }[];
    const details = Object.fromEntries(
      toolsets.map(({ name, ok, checks }) => [name, ok ? "" : checks[0]?.detail]),
    );
    assert.match(details.gone ?? "", /left, right.*'lost', 'vanished'/);
    assert.match(details.alike ?? "", /'same' \(left, right\)/);
    assert.match(details.stray ?? "", /'lefd', which is not configured/);
    assert.equal(details.good, "");
    assert.match((await run("doctor")).stdout, /✖ toolset gone/);
  });

  test("validate reports a toolset of an unconfigured server and names that stand twice", async () => {
    const validated = await run("config", "validate", "--json");
    assert.equal(validated.code, 1);
    const problems = validated.json().problems as {
      path: string;
      message: string;
      hint: string;
      line: number;
    }[];
    const stray = problems.find(({ message }) =>
      message.includes("no server 'lefd' is configured"),
    );
    assert.deepEqual(
      [stray?.path, stray?.hint],
      ["tool_configs[2].providers[0]", "Did you mean 'left'?"],
    );
    assert.ok(
      problems.some(
        ({ path, message }) =>
          /\[3\]\.allow_tools/.test(path) && /'read' is named twice/.test(message),
      ),
    );
  });
});
