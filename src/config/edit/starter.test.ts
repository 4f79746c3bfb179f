import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { ConfigValues } from "../../model/config/config.ts";
import { isObject, type UnknownObject } from "../../model/json.ts";
import { ServerDefinition } from "../../model/servers/server.ts";
import { readData } from "./edit-file.ts";
import { writeStarter } from "./starter.ts";

const names = ["toolplane.json", "toolplane.yaml"];

function serversIn(file: string): UnknownObject {
  const data = readData(file);
  assert.ok(isObject(data) && isObject(data.mcpServers));
  return data.mcpServers;
}

/** Takes the comment signs away from what is an example and not a sentence. */
function uncommented(text: string): string {
  return text.replaceAll(/^( *)\/\/ (?=")/gm, "$1").replaceAll(/^( *)# (?=[a-z_]+:|[ -])/gm, "$1");
}

for (const name of names) {
  test(`without servers, ${name} has an example that is valid and does not run`, async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file(name);
    writeStarter(file, {}, false);
    const { example } = serversIn(file);
    const parsed = ServerDefinition.parse({ ...(example as object), transport: "stdio" });
    assert.equal(parsed.enabled, false);
  });

  test(`with servers, ${name} has those and nothing else`, async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file(name);
    const servers = {
      git: { command: "uvx", args: ["mcp-server-git"] },
      "a b": { url: "https://example.org/mcp" },
    };
    writeStarter(file, servers, false);
    assert.equal(JSON.stringify(serversIn(file)), JSON.stringify(servers));
  });

  test(`the examples in the comments of ${name} are valid too`, async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file(name);
    writeStarter(file, {}, false);
    writeFileSync(file, uncommented(readFileSync(file, "utf8")));
    const { mcpServers, ...others } = readData(file) as { mcpServers: object };
    assert.deepEqual(Object.keys(mcpServers), ["example", "remote"]);
    assert.deepEqual(Object.keys(others), ["policy", "toolsets", "lazy"]);
    assert.ok(ConfigValues.safeParse(JSON.parse(JSON.stringify(others))).success);
  });

  test(`an existing ${name} is replaced only by force`, async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file(name);
    writeFileSync(file, "mine");
    assert.throws(() => writeStarter(file, {}, false), {
      code: "CONFIG_INVALID",
      message: /already exists\. Pass --force/,
    });
    assert.equal(readFileSync(file, "utf8"), "mine");
    writeStarter(file, {}, true);
    assert.notEqual(readFileSync(file, "utf8"), "mine");
  });
}
