import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { runCli, writeConfig } from "./support.ts";

const servers = { docs: { url: "http://127.0.0.1:9/mcp", auth: { type: "bearer" } } };

async function isUsable(config: string, dataDirectory: string): Promise<boolean> {
  await using plane = await createPlane({ config, dataDirectory });
  const [token] = await plane.tokens.list();
  return token !== undefined && !token.expired;
}

test("planes that share a key by reference open each other's tokens, and others do not", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("vault.txt"), `${Buffer.alloc(32, 5).toString("hex")}\n`);
  const config = await writeConfig(directory, servers, { vaultKey: "${file:vault.txt}" });
  const one = directory.file("one");
  const two = directory.file("two");
  {
    await using plane = await createPlane({ config, dataDirectory: one });
    await plane.tokens.set("docs", { token: "very-secret" });
  }
  const place = (data: string) => ["--config", config, "--data-dir", data];
  const file = directory.file("state.jsonl");
  for (const words of [
    ["state", "export", file, ...place(one)],
    ["state", "import", file, ...place(two)],
  ]) {
    const { code, stderr } = await runCli(words);
    assert.equal(code, 0, stderr);
  }
  assert.equal(await isUsable(config, two), true);
  assert.deepEqual(
    [one, two].map((data) => existsSync(`${data}/vault.key`)),
    [false, false],
  );
  const shown = await runCli(["config", "show", "--json", "--config", config]);
  assert.match(shown.stdout, /\$\{file:vault\.txt\}/);

  await writeConfig(directory, servers);
  assert.equal(await isUsable(config, two), false);
});

test("a key that is none keeps the plane from starting, without being told", async () => {
  await using directory = await temporaryDirectory();
  for (const vaultKey of ["s3cret", "${NOBODY_SET_THIS}"]) {
    const config = await writeConfig(directory, servers, { vaultKey });
    const { code, stderr } = await runCli([
      "tools",
      "list",
      "--config",
      config,
      "--data-dir",
      directory.path,
    ]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /vaultKey: .*(openssl rand -hex 32|NOBODY_SET_THIS is not set)/);
    assert.doesNotMatch(stderr, /s3cret/);
  }
});
