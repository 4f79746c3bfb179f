import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { createSetup } from "../../src/config/setup.ts";
import type { Setup } from "../../src/model/config/setup.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";

const secret = "supersecretvalue1234";
const config = {
  mcpServers: {
    git: {
      command: "node",
      auth_env: ["GITHUB_TOKEN"],
      env: { API_KEY: "${SHORT}", PASSWORD: "${LONG}", TOKEN: `\${UNSET:-${secret}}` },
    },
    odd: { command: "node", timeoutMs: "soon", env: { A: "${NOT_SET}" } },
  },
  models: {
    default: { provider: "openai-compatible", baseURL: "http://x/v1", model: "m", apiKey: "${LONG}" },
  },
  policy: { rules: [{ tool: "*", verdict: "perhaps" }] },
};

suite("looking at a configuration", () => {
  let directory: TemporaryDirectory;
  let setup: Setup;
  before(async () => {
    directory = await temporaryDirectory();
    const file = directory.file("toolplane.json");
    writeFileSync(file, JSON.stringify(config));
    setup = createSetup({
      files: [file],
      directory: directory.path,
      environment: { SHORT: "ab", LONG: secret },
      platform: process.platform,
      program: ["toolplane"],
    });
  });
  after(() => directory[Symbol.asyncDispose]());

  test("the names of variables are shown, and never what they hold", async () => {
    const shown = await setup.show();
    const { git } = shown.servers as Record<string, Record<string, unknown>>;
    assert.deepEqual(git?.auth_env, ["GITHUB_TOKEN"]);
    assert.deepEqual(git?.env, { API_KEY: "${SHORT}", PASSWORD: "${LONG}", TOKEN: "${UNSET:-***}" });
    const { default: model } = shown.models as Record<string, Record<string, unknown>>;
    assert.equal(model?.apiKey, "${LONG}");
    assert.doesNotMatch(JSON.stringify(shown), new RegExp(secret));
  });

  test("a key that is not set is explained with its default, wherever that is decided", async () => {
    const defaultOf = async (key: string) => {
      const [explained] = await setup.explain(key);
      return [explained?.key, explained?.value, explained?.origin.file];
    };
    assert.deepEqual(await defaultOf("git.timeoutMs"), ["servers.git.timeoutMs", 60_000, "default"]);
    assert.deepEqual(await defaultOf("mcpServers.git.persona"), ["servers.git.persona", null, "default"]);
    assert.deepEqual(await defaultOf("odd.connectTimeoutMs"), ["servers.odd.connectTimeoutMs", 30_000, "default"]);
    assert.deepEqual(await defaultOf("approvals.timeoutMs"), ["approvals.timeoutMs", 300_000, "default"]);
  });

  test("a key that there is not is refused with the nearest", async () => {
    for (const key of ["git.nonsense", "mcpServers.nowhere.url"])
      await assert.rejects(setup.explain(key), { code: "NOT_FOUND" });
    await assert.rejects(setup.explain("odd.timoutMs"), /Did you mean 'odd\.timeoutMs'\?$/);
  });

  test("problems are reported with the path that stands in the file", async () => {
    const { problems } = await setup.check();
    const paths = problems.map(({ path }) => path);
    assert.ok(paths.includes("mcpServers.odd.timeoutMs"), paths.join());
    assert.ok(paths.includes("mcpServers.odd.env.A"), paths.join());
    assert.ok(paths.includes("policy.rules[0].verdict"), paths.join());
  });
});
