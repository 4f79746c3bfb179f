import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { defaultConfigFiles, defaultDataDirectory, noConfigFound } from "./locations.ts";

test("the user's file comes before the project's, and only those that exist", async () => {
  await using directory = await temporaryDirectory();
  const environment = { XDG_CONFIG_HOME: directory.file("home") };
  const project = directory.file("project");
  await mkdir(directory.file("home/toolplane"), { recursive: true });
  await mkdir(project);
  const files = [
    directory.file("home/toolplane/toolplane.json"),
    join(project, ".mcp.json"),
    join(project, "toolplane.json"),
  ];
  assert.deepEqual(defaultConfigFiles(project, environment), []);
  for (const file of files) await writeFile(file, "{}");
  assert.deepEqual(defaultConfigFiles(project, environment), files);
});

test("where nothing is found, every place that was looked at is named", () => {
  assert.throws(() => noConfigFound("/project", { XDG_CONFIG_HOME: "/home" }), {
    code: "CONFIG_INVALID",
    message: /toolplane\.json and \.mcp\.json in \/project and \/home\/toolplane.*--config/,
  });
});

test("a client is not told that the files of clients were looked at, but how it gets their servers", () => {
  assert.throws(
    () => noConfigFound("/project", { XDG_CONFIG_HOME: "/home" }, true),
    ({ message }: Error) =>
      !message.includes("files of your clients") && message.includes("'toolplane connect'"),
  );
});

test("data goes where the environment says, else under the home directory", () => {
  assert.equal(defaultDataDirectory({ XDG_DATA_HOME: "/data" }), join("/data", "toolplane"));
  assert.ok(defaultDataDirectory({}).startsWith(homedir()));
});

test("an empty variable counts as unset", () => {
  const environment = { XDG_CONFIG_HOME: "", XDG_DATA_HOME: "" };
  assert.ok(isAbsolute(defaultDataDirectory(environment)));
  assert.throws(
    () => noConfigFound("/project", environment),
    ({ message }: Error) => {
      const [own = ""] = /(?<=in \/project and )[^,]+/.exec(message) ?? [];
      assert.ok(isAbsolute(own), `looked in ${own}`);
      return true;
    },
  );
});

test("a pipe in the place of a configuration keeps no command waiting", {
  skip: process.platform === "win32",
}, async () => {
  await using directory = await temporaryDirectory();
  const pipe = directory.file(".mcp.json");
  execFileSync("mkfifo", [pipe]);
  const environment = { XDG_CONFIG_HOME: directory.file("home") };
  assert.deepEqual(defaultConfigFiles(directory.path, environment), [pipe]);
});
