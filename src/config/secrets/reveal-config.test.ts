import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { revealConfig } from "./resolve-secrets.ts";

test("variables and secrets take their places, files starting where the manifest is", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("token"), "t0ken\n");
  const config = {
    url: "${BASE:-https://h.example}/x",
    headers: { A: "Bearer ${file:token}", B: "${KEY}" },
  };
  const spec = {
    name: "http",
    priority: 0,
    health_check_interval: 300,
    config,
    base: directory.path,
  };
  assert.deepEqual(await revealConfig(spec, { KEY: "${file:not-a-reference}" }), {
    url: "https://h.example/x",
    headers: { A: "Bearer t0ken", B: "${file:not-a-reference}" },
  });
  assert.equal(config.headers.B, "${KEY}");
});
