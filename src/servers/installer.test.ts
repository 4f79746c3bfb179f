import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { installerOf, installFailure, lastLineOf } from "./installer.ts";

const line = (text: string) => {
  const [command, ...args] = text.split(" ");
  return { command, args };
};

suite("installers", () => {
  const known: [commandLine: string, installer: string | null][] = [
    ["npx -y server", "npx"],
    ["/usr/local/bin/npx -y server", "npx"],
    ["C:\\nodejs\\npx.cmd -y server", "npx"],
    ["cmd /c npx -y server", "npx"],
    ["npm exec -- server", "npm exec"],
    ["npm start", null],
    ["pnpm dlx server", "pnpm dlx"],
    ["pnpm run server", null],
    ["yarn dlx server", "yarn dlx"],
    ["bunx server", "bunx"],
    ["uvx mcp-server-git", "uvx"],
    ["uv --directory /srv run server.py", "uv run"],
    ["pipx run server", "pipx run"],
    ["docker run -i --rm image", "docker run"],
    ["docker exec -i container server", null],
    ["podman --log-level error run image", "podman run"],
    ["node server.js", null],
    ["constructor run", null],
  ];
  for (const [text, installer] of known) {
    test(`'${text}' is ${installer === null ? "no installer" : `one: ${installer}`}`, () => {
      assert.equal(installerOf(line(text)), installer);
    });
  }

  const failures: [said: string, commandLine: string, code: string | null, remedy: RegExp][] = [
    [
      "npm error code ENOTFOUND\nnpm error network request failed",
      "npx x",
      "ENOTFOUND",
      /HTTPS_PROXY/,
    ],
    [
      "npm error code SELF_SIGNED_CERT_IN_CHAIN\nnpm error self-signed certificate",
      "npx x",
      "SELF_SIGNED_CERT_IN_CHAIN",
      /NODE_EXTRA_CA_CERTS/,
    ],
    ["npm ERR! code ETARGET\nnpm ERR! notarget No matching version", "npx x", "ETARGET", /version/],
    [
      " ERR_PNPM_FETCH_404  GET https://r/x: Not Found - 404",
      "pnpm dlx x",
      "FETCH_404",
      /name of the package/,
    ],
    [
      "  × No solution found when resolving tool dependencies:\n  ╰─▶ Because x was not found in the package registry",
      "uvx x",
      null,
      /name of the package/,
    ],
    [
      "docker: Cannot connect to the Docker daemon at unix:///x.",
      "docker run x",
      null,
      /container engine/,
    ],
    [
      "docker: Error response from daemon: pull access denied for x",
      "docker run x",
      null,
      /name of the image/,
    ],
  ];
  for (const [said, text, code, remedy] of failures) {
    test(`'${said.split("\n")[0]?.trim()}' is reported with what to do`, () => {
      const failure = installFailure(line(text), said) ?? assert.fail();
      assert.equal(failure.code, code);
      assert.match(failure.remedy ?? "", remedy);
    });
  }

  test("what the server itself complains about is not the installer's failure", () => {
    assert.equal(installFailure(line("npx x"), "Error: connect ECONNREFUSED 127.0.0.1:5432"), null);
    assert.equal(installFailure(line("node x.js"), "npm error code E404"), null);
  });

  test("of a line that is drawn over and over the last state is shown, without colours and secrets", () => {
    const drawn = "10 %\r\u001b[32m90 %\u001b[0m of https://ada:hunter22@registry.test\r\n\n";
    assert.equal(lastLineOf(drawn), "90 % of https://ada:[redacted]@registry.test");
    assert.equal(lastLineOf(" \n"), null);
  });
});
