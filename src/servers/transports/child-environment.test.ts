import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { suite, test } from "node:test";
import { childEnvironment, inheritedSecrets, inheritedVariables } from "./child-environment.ts";

const names = (parent: Record<string, string>, inheritEnv?: boolean | string[]) =>
  Object.keys(childEnvironment({ parent, env: {}, inheritEnv, platform: "linux" })).sort();

const of = (...list: string[]) =>
  Object.fromEntries(list.map((name) => [name, `value of ${name}`]));

suite("the environment of a stdio server", () => {
  test("what it needs for network, certificates, packages, desktop and containers arrives by default", () => {
    const wanted = [
      "HTTPS_PROXY",
      "https_proxy",
      "NO_PROXY",
      "NODE_EXTRA_CA_CERTS",
      "SSL_CERT_FILE",
      "npm_config_registry",
      "NPM_CONFIG_CAFILE",
      "UV_INDEX_URL",
      "PIP_CERT",
      "XDG_RUNTIME_DIR",
      "SSH_AUTH_SOCK",
      "DOCKER_HOST",
      "PODMAN_USERNS",
      "PATH",
      "LC_TIME",
      "npm_config_@acme:registry",
    ];
    assert.deepEqual(names(of(...wanted)), wanted.sort());
  });

  test("nothing else arrives, and a glob of the table takes no name that looks like a secret's", () => {
    const kept = [
      "AWS_SECRET_ACCESS_KEY",
      "GITHUB_TOKEN",
      "EDITOR",
      "NODE_OPTIONS",
      "DOCKER_AUTH_CONFIG",
      "npm_config_//registry.example.org/:_authToken",
      "npm_config__auth",
      "NPM_CONFIG__PASSWORD",
      "NPM_CONFIG_//host/:username",
      "npm_config_otp",
      "UV_PUBLISH_TOKEN",
      "UV_INDEX_ACME_PASSWORD",
    ];
    assert.deepEqual(names(of(...kept)), []);
  });

  test("what npm tells the program that it runs is not passed on as an order to the next npm", () => {
    const told = [
      "npm_config_package",
      "npm_config_local_prefix",
      "npm_config_loglevel",
      "npm_config_workspace",
      "npm_lifecycle_event",
      "npm_package_name",
      "npm_execpath",
      "npm_command",
    ];
    assert.deepEqual(names(of(...told, "npm_config_cache", "NPM_CONFIG_LOGLEVEL")), [
      "NPM_CONFIG_LOGLEVEL",
      "npm_config_cache",
    ]);
  });

  test("'inheritEnv' adds names and globs, secrets among them, and true means everything", () => {
    const parent = of("ACME_TOKEN", "ACME_URL", "OTHER", "npm_config__auth");
    assert.deepEqual(names(parent, ["ACME_*"]), ["ACME_TOKEN", "ACME_URL"]);
    assert.deepEqual(names(parent, ["npm_config__auth"]), ["npm_config__auth"]);
    assert.deepEqual(names(parent, true), Object.keys(parent).sort());
    assert.deepEqual(names(parent, false), []);
    assert.deepEqual(inheritedSecrets(parent, ["ACME_*"]), ["value of ACME_TOKEN"]);
  });

  test("what it is given wins; on Windows in any case of letters", () => {
    const given = {
      parent: { Path: "C:\\a", SystemRoot: "C:\\Windows", Editor: "x" },
      env: { PATH: "C:\\b" },
    };
    assert.deepEqual(childEnvironment({ ...given, platform: "win32" }), {
      SystemRoot: "C:\\Windows",
      PATH: "C:\\b",
    });
  });

  test("docs/servers.md has the same table", () => {
    const page = readFileSync(new URL("../../../docs/servers.md", import.meta.url), "utf8");
    for (const { group, variables, why } of inheritedVariables) {
      const row = `| ${group} | ${variables.map((name) => `\`${name}\``).join(", ")} | ${why} |`;
      assert.ok(page.includes(`${row}\n`), `the table needs this row:\n${row}`);
    }
  });
});
