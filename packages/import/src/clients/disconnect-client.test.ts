import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { JsonObject } from "@toolplane/core/model/json";
import {
  emptyHome,
  filesBelow,
  fullHome,
  gateway,
  request,
  userFiles,
} from "@toolplane/test/fixtures/clients/client-home";
import { temporaryDirectory } from "@toolplane/test/fixtures/start-server";
import {
  readData,
  readServerEntries,
  removeFromFile,
  setInFile,
} from "@toolplane/test/samples/core";
import type { Where } from "./client-files.ts";
import { clientNames } from "./clients.ts";
import { connectClient } from "./connect-client.ts";
import { disconnectClient } from "./disconnect-client.ts";

function cursorFile(where: Where, content?: string): string {
  const file = join(where.home, ".cursor/mcp.json");
  mkdirSync(dirname(file), { recursive: true });
  if (content !== undefined) writeFileSync(file, content);
  return file;
}

function serversIn(file: string): JsonObject {
  return (readData(file) as { mcpServers: JsonObject }).mcpServers;
}

test("connecting twice is harmless and keeps the first backup", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  for (const client of clientNames()) {
    const file = join(where.home, userFiles.linux[client]);
    const before = readFileSync(file);
    await connectClient(client, where, request(where));
    const connected = readFileSync(file);
    const again = await connectClient(client, where, request(where));
    assert.deepEqual([again.backup, again.isChanged], [`${file}.toolplane-backup`, false]);
    assert.deepEqual(readFileSync(file), connected);
    const other = { command: "/opt/toolplane", args: ["mcp", "--standalone"] };
    await connectClient(client, where, request(where, { gateway: () => other }));
    assert.deepEqual(readFileSync(`${file}.toolplane-backup`), before);
    assert.equal((await disconnectClient(client, where)).outcome, "restored");
    assert.deepEqual(readFileSync(file), before, client);
  }
});

test("a backup is kept while it is the only copy of a server that was taken out by hand", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const before =
    '{\n  "mcpServers": {\n    "a": { "command": "a" },\n    "b": { "command": "b" }\n  }\n}\n';
  const file = cursorFile(where, before);
  await connectClient("cursor", where, request(where, { keep: true }));
  for (const name of ["a", "b"]) removeFromFile(file, ["mcpServers", name]);
  const done = await disconnectClient("cursor", where);
  assert.equal(JSON.stringify(serversIn(file)), "{}");
  assert.deepEqual(
    done.missing.map(({ name }) => name),
    ["a", "b"],
  );
  assert.equal(readFileSync(String(done.backup), "utf8"), before);
  // The next connection keeps that copy, too.
  await connectClient("cursor", where, request(where));
  await disconnectClient("cursor", where);
  assert.equal(readFileSync(`${file}.toolplane-backup-1`, "utf8"), before);
});

test("what was moved comes back beside a server that was added meanwhile", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  const file = cursorFile(where);
  const before = serversIn(file);
  await connectClient("cursor", where, request(where));
  setInFile(file, ["mcpServers", "mine"], { command: "mine" });
  const done = await disconnectClient("cursor", where);
  assert.equal(
    JSON.stringify(sortedEntries(serversIn(file))),
    JSON.stringify(sortedEntries({ ...before, mine: { command: "mine" } })),
  );
  assert.deepEqual([done.outcome, done.returned], ["merged", ["github", "browser"]]);
  // The comments inside of the servers are in the backup alone.
  assert.match(readFileSync(String(done.backup), "utf8"), /a personal token/);
});

function sortedEntries(servers: JsonObject): [string, unknown][] {
  return Object.entries(servers).sort(([a], [b]) => (a < b ? -1 : 1));
}

test("a server with the name of a moved one stays as it was written, and the backup has the other", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const file = cursorFile(where, '{"mcpServers":{"a":{"command":"old"}}}');
  await connectClient("cursor", where, request(where));
  setInFile(file, ["mcpServers", "a"], { command: "new" });
  const done = await disconnectClient("cursor", where);
  assert.equal(readFileSync(file, "utf8"), '{"mcpServers":{"a":{"command":"new"}}}');
  assert.deepEqual(done.missing, [{ name: "a", reason: "another server has its name now" }]);
  assert.deepEqual(done.returned, []);
  assert.match(readFileSync(String(done.backup), "utf8"), /old/);
});

test("a client that wrote its file again gets its servers back, and a backup without comments goes", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  const file = join(where.home, ".claude.json");
  const before = readData(file) as JsonObject;
  await connectClient("claude-code", where, request(where));
  const rewritten = { ...(readData(file) as JsonObject), numStartups: 185 };
  writeFileSync(file, JSON.stringify(rewritten));
  const done = await disconnectClient("claude-code", where);
  assert.deepEqual(
    JSON.parse(readFileSync(file, "utf8")),
    JSON.parse(JSON.stringify({ ...before, numStartups: 185 })),
  );
  assert.equal(done.backup, null);
  assert.deepEqual(
    filesBelow(dirname(file)).filter((name) => /\.toolplane-/.test(name)),
    [],
  );
});

test("a server that was added while the client was connected is moved by the next connect and comes back", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const file = cursorFile(where, '{\n  "mcpServers": {\n    "a": { "command": "a" }\n  }\n}\n');
  const wanted = request(where);
  await connectClient("cursor", where, wanted);
  setInFile(file, ["mcpServers", "later"], { command: "later" });
  assert.deepEqual(
    (await connectClient("cursor", where, wanted)).moved.map(({ name }) => name),
    ["later"],
  );
  assert.deepEqual(
    readServerEntries(wanted.into).map(({ name }) => name),
    ["a", "later"],
  );
  assert.deepEqual(Object.keys(serversIn(file)), ["toolplane"]);
  assert.deepEqual((await disconnectClient("cursor", where)).returned, ["a", "later"]);
  assert.equal(
    JSON.stringify(serversIn(file)),
    '{"a":{"command":"a"},"later":{"command":"later"}}',
  );
});

test("a file that was deleted meanwhile is restored", async () => {
  await using root = await temporaryDirectory();
  const where = fullHome(root.path, "linux");
  const file = cursorFile(where);
  const before = readFileSync(file);
  await connectClient("cursor", where, request(where));
  rmSync(file);
  assert.equal((await disconnectClient("cursor", where)).outcome, "restored");
  assert.deepEqual(readFileSync(file), before);
});

test("a server that was edited in our configuration is not removed from it", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  cursorFile(where, '{"mcpServers":{"a":{"command":"a"},"b":{"command":"b"}}}');
  const wanted = request(where);
  await connectClient("cursor", where, wanted);
  setInFile(wanted.into, ["mcpServers", "a", "timeoutMs"], 5);
  const { removed, stays } = await disconnectClient("cursor", where, { remove: true });
  assert.deepEqual(
    [removed, stays],
    [[{ name: "b", path: wanted.into }], [{ name: "a", path: wanted.into }]],
  );
});

test("an entry of the same name that was there before comes back", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const file = join(where.home, ".codeium/windsurf/mcp_config.json");
  mkdirSync(dirname(file), { recursive: true });
  const before = '{"mcpServers":{"toolplane":{"serverUrl":"http://example.org:7777/mcp"}}}';
  writeFileSync(file, before);
  await connectClient("windsurf", where, request(where));
  writeFileSync(file, `${readFileSync(file, "utf8")}\n`);
  await disconnectClient("windsurf", where);
  assert.equal(readFileSync(file, "utf8"), `${before}\n`);
});

test("maps that were made for our entry go with it, others stay", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const file = join(where.home, ".gemini/settings.json");
  mkdirSync(dirname(file));
  for (const before of ['{\n  "ui": {}\n}\n', '{\n  "ui": {},\n  "mcpServers": {}\n}\n']) {
    writeFileSync(file, before);
    await connectClient("gemini", where, request(where));
    writeFileSync(file, readFileSync(file, "utf8").replace('"ui": {}', '"ui": { "theme": "x" }'));
    await disconnectClient("gemini", where);
    assert.equal(readFileSync(file, "utf8"), before.replace('"ui": {}', '"ui": { "theme": "x" }'));
  }
});

test("a file made for us goes even when the client wrote it again", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const { path } = await connectClient("claude-code", where, request(where));
  writeFileSync(path, JSON.stringify(readData(path)));
  assert.equal((await disconnectClient("claude-code", where)).outcome, "deleted");
  assert.deepEqual(filesBelow(root.path), []);
});

test("a connection that was ended by hand starts again with a new backup", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  await connectClient("cursor", where, request(where));
  const file = cursorFile(where, '{"mcpServers":{"mine":{"command":"x"}}}');
  await connectClient("cursor", where, request(where, { keep: true }));
  await disconnectClient("cursor", where);
  assert.equal(readFileSync(file, "utf8"), '{"mcpServers":{"mine":{"command":"x"}}}');
  assert.deepEqual(filesBelow(root.path), [file]);
});

test("an entry without a record is taken out alone", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const file = cursorFile(where, JSON.stringify({ mcpServers: { toolplane: gateway } }));
  assert.equal((await connectClient("cursor", where, request(where))).backup, null);
  await disconnectClient("cursor", where);
  assert.equal(readFileSync(file, "utf8"), '{"mcpServers":{}}');
  // One that is replaced is no part of what the client had.
  cursorFile(
    where,
    JSON.stringify({ mcpServers: { toolplane: { command: "toolplane", args: ["mcp"] } } }),
  );
  await connectClient("cursor", where, request(where));
  await disconnectClient("cursor", where);
  assert.equal(readFileSync(file, "utf8"), '{"mcpServers":{}}');
  assert.equal(existsSync(`${file}.toolplane-backup`), false);
});
