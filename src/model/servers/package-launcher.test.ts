import assert from "node:assert/strict";
import { test } from "node:test";
import { packageLauncher } from "./package-launcher.ts";

test("programs that fetch packages are known however they are written", () => {
  const lines = [
    "npx -y a",
    "/usr/bin/npx a",
    "cmd /c npx.cmd a",
    "env A=1 uvx a",
    "dnx a@1",
    "dotnet dnx a@1",
  ];
  for (const line of lines) {
    const [command = "", ...args] = line.split(" ");
    assert.notEqual(packageLauncher({ command, args }), null, line);
  }
  for (const line of ["node a.js", "dotnet a.dll", "uv run a"]) {
    const [command = "", ...args] = line.split(" ");
    assert.equal(packageLauncher({ command, args }), null, line);
  }
});
