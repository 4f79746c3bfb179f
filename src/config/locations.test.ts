import assert from "node:assert/strict";
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
    message: /toolplane\.json.*\.mcp\.json.*toolplane\.json.*--config/,
  });
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
      const [first = ""] = /(?<=Looked for )[^,]+/.exec(message) ?? [];
      assert.ok(isAbsolute(first), `looked for ${first}`);
      return true;
    },
  );
});
