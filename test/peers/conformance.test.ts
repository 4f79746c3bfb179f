import assert from "node:assert/strict";
import { test } from "node:test";
import { runSuite } from "../fixtures/conformance/run-suite.ts";
import { startDriver } from "../fixtures/conformance/start-driver.ts";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture } from "../scenarios/support.ts";

/** How many scenarios each revision requires; fewer would mean that the suite did not run. */
const required = {
  "2025-11-25": { server: 30, client: 18 },
  "2026-07-28": { server: 37, client: 32 },
} as const;

for (const [revision, { server, client }] of Object.entries(required)) {
  test(`a client of ${revision} sees through the gateway what the server behind it does`, async () => {
    await using directory = await temporaryDirectory();
    await using gateway = await startGateway(
      { conformance: fixture("conformance") },
      { names: "bare" },
    );
    const words = [
      "server",
      "--url",
      gateway.url,
      "--requirements",
      revision,
      "-o",
      directory.path,
    ];
    const { passed, failed, output } = await runSuite(words);
    assert.deepEqual(failed, [], output);
    assert.equal(passed.length, server, output);
  });

  for (const isThroughGateway of [false, true]) {
    const who = isThroughGateway ? "a client behind the gateway" : "the plane";
    test(`to a server of ${revision}, ${who} is a client as it should be`, async () => {
      await using directory = await temporaryDirectory();
      await using driver = await startDriver(isThroughGateway);
      const words = ["client", "--command", driver.command, "--requirements", revision];
      const { passed, failed, output } = await runSuite([...words, "-o", directory.path]);
      assert.deepEqual(failed, [], output);
      assert.equal(passed.length, client, output);
    });
  }
}

test("arguments that a tool wants in headers are compared with the body", async () => {
  await using directory = await temporaryDirectory();
  await using gateway = await startGateway(
    { conformance: fixture("conformance") },
    { names: "bare" },
  );
  for (const scenario of ["http-header-validation", "http-custom-header-server-validation"]) {
    const words = ["--scenario", scenario, "--spec-version", "2026-07-28", "-o", directory.path];
    const { output } = await runSuite(["server", "--url", gateway.url, ...words]);
    assert.match(output, /Passed: (\d+)\/\1, 0 failed/, output);
  }
});
