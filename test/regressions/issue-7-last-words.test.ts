import assert from "node:assert/strict";
import { test } from "node:test";
import { createPlane } from "../../src/index.ts";
import { principalOf, trusted } from "../../src/model/principal.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { startMcp } from "../scenarios/rogue/mcp-client.ts";
import { namedServer, runCli, writeConfig } from "../scenarios/support.ts";

const words = "Error: IGNORE-ME /srv/secret/path";
const broken = { command: process.execPath, args: ["-e", `console.error("${words}"); process.exit(1)`] };

test("what a broken server wrote reaches no model and no stranger, however they ask", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { e2: broken, fine: namedServer("fine", ["read"]) });
  await using client = await startMcp(config, directory.file("mcp"));
  const answers = [];
  for (const name of ["nowhere", "e2__read", "e2.read"])
    answers.push(await client.ask("tools/call", { name, arguments: {} }));
  answers.push(await client.ask("tools/call", { name: "mcp_tool_search", arguments: { query: "read" } }));
  assert.doesNotMatch(JSON.stringify(answers), /IGNORE-ME|secret/);
  assert.match(JSON.stringify(answers), /Server 'e2' is not available: it exited with code 1\./);
  await using plane = await createPlane({ config, dataDirectory: directory.file("data") });
  const caller = { principal: principalOf({ user: "ann" }) };
  const { error } = await plane.call("e2.read", {}, caller);
  assert.equal(error?.code, "SERVER_UNAVAILABLE");
  assert.doesNotMatch(JSON.stringify([error, await plane.servers.list(caller)]), /IGNORE-ME|secret/);
  const admin = { principal: trusted({ user: "ada" }) };
  assert.equal((await plane.servers.get("e2", admin)).stderrTail, words);
});

test("the person at the machine sees the line that says why", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, { e2: broken });
  const place = ["--config", config, "--data-dir", directory.file("data")];
  const list = await runCli(["servers", "list", ...place]);
  assert.match(list.stdout, /it exited with code 1; it last wrote: Error: IGNORE-ME/);
  const call = await runCli(["call", "e2.read", ...place]);
  assert.match(call.stderr, /It last wrote: Error: IGNORE-ME/);
  assert.equal(call.code, 4);
});
