import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { suite, test } from "node:test";
import { createPlane } from "../../../src/index.ts";
import { fixtureCommand, temporaryDirectory } from "../../fixtures/start-server.ts";
import { fixture, runCli, writeConfig } from "../support.ts";

/** The names and values that a server sees, asked from the command line. */
async function seenBy(config: string, dataDirectory: string, env: Record<string, string>) {
  const words = [
    "call",
    "fx.env",
    "--yes",
    "--json",
    "--config",
    config,
    "--data-dir",
    dataDirectory,
  ];
  const { stdout, stderr } = await runCli(words, { env });
  const { result } = JSON.parse(stdout || `{"stderr":${JSON.stringify(stderr)}}`);
  return result.structuredContent as Record<string, string>;
}

suite("a stdio server starts as it does by hand", () => {
  test("certificate, proxy and registry settings of the plane arrive at a server, its secrets do not", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(
      directory,
      { fx: fixture("echo", [], { inheritEnv: ["ACME_*"], env: { OWN: "server" } }) },
      { env: { OWN: "top", SHARED: "top" }, inheritEnv: ["GIVEN_BY_TOP"] },
    );
    const seen = await seenBy(config, directory.file("data"), {
      NODE_EXTRA_CA_CERTS: directory.file("ca.pem"),
      HTTPS_PROXY: "http://proxy.test:3128",
      npm_config_registry: "https://registry.test/",
      "npm_config_//registry.test/:_authToken": "hunter2hunter2",
      PRIVATE_TOKEN: "hunter2hunter2",
      ACME_URL: "https://acme.test",
      GIVEN_BY_TOP: "yes",
    });
    const {
      NODE_EXTRA_CA_CERTS,
      HTTPS_PROXY,
      npm_config_registry,
      ACME_URL,
      OWN,
      SHARED,
      GIVEN_BY_TOP,
    } = seen;
    assert.deepEqual(
      {
        NODE_EXTRA_CA_CERTS,
        HTTPS_PROXY,
        npm_config_registry,
        ACME_URL,
        OWN,
        SHARED,
        GIVEN_BY_TOP,
      },
      {
        NODE_EXTRA_CA_CERTS: directory.file("ca.pem"),
        HTTPS_PROXY: "http://proxy.test:3128",
        npm_config_registry: "https://registry.test/",
        ACME_URL: "https://acme.test",
        OWN: "server",
        SHARED: "top",
        GIVEN_BY_TOP: "yes",
      },
    );
    assert.doesNotMatch(JSON.stringify(seen), /hunter2/);
  });

  test("'cwd' and a relative command start where the file stands that has them", async () => {
    await using directory = await temporaryDirectory();
    const { command, args } = fixtureCommand("echo");
    await mkdir(directory.file("work"));
    const script = `#!/bin/sh\nexec '${command}' ${args.map((word) => `'${word}'`).join(" ")}\n`;
    await writeFile(directory.file("run.sh"), script, { mode: 0o755 });
    await writeFile(directory.file("work/inner.sh"), script, { mode: 0o755 });
    const config = await writeConfig(directory, {
      fx: { command: "./run.sh", cwd: "work" },
      inner: { command: "./inner.sh", cwd: "work" },
    });
    await using plane = await createPlane({ config });
    for (const server of ["fx", "inner"]) {
      const { result } = await plane.call(`${server}.env`, {});
      const { PWD = "" } = (result?.structuredContent ?? {}) as Record<string, string>;
      assert.equal(
        join(basename(dirname(PWD)), basename(PWD)),
        join(basename(directory.path), "work"),
        server,
      );
    }
  });
});
