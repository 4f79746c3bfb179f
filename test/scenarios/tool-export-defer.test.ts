import assert from "node:assert/strict";
import { test } from "node:test";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, namedServer, runCli, writeConfig } from "./support.ts";

type Sent = {
  type?: string;
  name?: string;
  description?: string;
  defer_loading?: boolean;
  tools?: Sent[];
};

test("definitions are exported for models that search for them, those that are always loaded at once", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(
    directory,
    { a: { ...namedServer("a", ["alpha", "beta"]), description: "Letters." } },
    { lazy: { alwaysLoadTools: ["a.alpha"] } },
  );
  const where = ["--config", config, "--data-dir", directory.file("data")];
  const sent = async (format: string) =>
    (await runCli(["tools", "export", "--defer", "--format", format, ...where])).json()
      .tools as Sent[];
  const anthropic = await sent("anthropic");
  assert.deepEqual(
    anthropic.map(({ name, defer_loading }) => [name, defer_loading]),
    [
      ["tool_search_tool_bm25", undefined],
      ["a__alpha", undefined],
      ["a__beta", true],
    ],
  );
  const [search, alpha, letters] = await sent("openai-responses");
  assert.deepEqual(
    [search?.type, alpha?.name, alpha?.defer_loading],
    ["tool_search", "a__alpha", undefined],
  );
  assert.deepEqual(
    [letters?.type, letters?.name, letters?.description],
    ["namespace", "a", "Letters."],
  );
  assert.deepEqual(
    letters?.tools?.map(({ name, defer_loading }) => [name, defer_loading]),
    [["a__beta", true]],
  );
  for (const format of ["mcp", "code"]) {
    const refused = await runCli(["tools", "export", "--defer", "--format", format, ...where]);
    assert.equal(refused.code, 2);
    const reason = `--defer is known for anthropic and openai-responses; '${format}' has no`;
    assert.match(refused.stderr, new RegExp(reason));
  }
});

test("definitions for models have no tool that is for a page alone", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { board: fixture("pages") });
  const where = ["--config", config, "--data-dir", directory.file("data")];
  const { tools } = (await runCli(["tools", "export", "--format", "anthropic", ...where])).json();
  assert.deepEqual((tools as Sent[]).map(({ name }) => name).sort(), [
    "board__show",
    "board__think",
  ]);
  const { declarations } = (
    await runCli(["tools", "export", "--format", "code", "--json", ...where])
  ).json();
  assert.match(String(declarations), /show\(\)/);
  assert.doesNotMatch(String(declarations), /refresh/);
});
