import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { lastingProgram } from "./lasting-program.ts";

const skip = process.platform === "win32";
const platform = "linux";

test("a program in places that stay is started there, by the name that PATH has for it", {
  skip,
}, async () => {
  await using root = await temporaryDirectory();
  const script = "/usr/lib/node_modules/toolplane/dist/bin.js";
  const asIs = lastingProgram(["/usr/bin/node", script], {
    dataDirectory: root.path,
    environment: {},
    platform,
  });
  assert.deepEqual(asIs.program, ["/usr/bin/node", script]);
  const cellar = root.file("Cellar/node/24.1.0/bin");
  mkdirSync(cellar, { recursive: true });
  mkdirSync(root.file("bin"));
  writeFileSync(join(cellar, "node"), "");
  symlinkSync(join(cellar, "node"), root.file("bin/node"));
  const environment = { PATH: `${cellar}:${root.file("bin")}` };
  const brewed = lastingProgram([join(cellar, "node"), script], {
    dataDirectory: root.path,
    environment,
    platform,
  });
  assert.deepEqual(brewed.program, [root.file("bin/node"), script]);
});

test("a client goes on after an upgrade of Node and of the program", { skip }, async () => {
  await using root = await temporaryDirectory();
  const home = root.file("home dir");
  const versions = join(home, ".nvm/versions/node");
  /** What a version manager installs: Node, and a program that says which one it is. */
  const install = (version: string) => {
    const bin = join(versions, version, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "node"), `#!/bin/sh\necho "node ${version} $(basename "$1") $2"\n`);
    writeFileSync(join(bin, "toolplane"), `#!/usr/bin/env node\n`);
    for (const file of ["node", "toolplane"]) chmodSync(join(bin, file), 0o755);
    return [join(bin, "node"), join(bin, "toolplane")] as const;
  };
  const before = install("v22.1.0");
  const dataDirectory = join(home, "data");
  const lasting = lastingProgram(before, { dataDirectory, environment: {}, platform });
  lasting.prepare();
  const [command, ...args] = lasting.program;
  assert.deepEqual([command, args], [join(dataDirectory, "bin/toolplane"), []]);
  assert.equal(statSync(command).mode & 0o777, 0o700);
  const env = { HOME: home, PATH: "/usr/bin:/bin" };
  const run = () => execFileSync(command, ["mcp"], { env, encoding: "utf8", stdio: "pipe" }).trim();
  assert.equal(run(), "node v22.1.0 toolplane mcp");
  rmSync(join(versions, "v22.1.0"), { recursive: true });
  assert.throws(run, /not where it was.*toolplane connect/);
  install("v24.2.0");
  assert.equal(run(), "node v24.2.0 toolplane mcp");
});
