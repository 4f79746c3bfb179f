import assert from "node:assert/strict";
import { test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { type Era, EraClient } from "../fixtures/era-client.ts";
import type { JsonObject } from "../fixtures/servers/support/messages.ts";
import {
  readLog,
  receivedMessages,
  startHttpFixture,
  temporaryDirectory,
} from "../fixtures/start-server.ts";
import { fixture } from "./support.ts";

const forms = { elicitation: { form: {} } };
const answer = () => ({ action: "accept", content: { colour: "blue" } });

function textOf({ content }: JsonObject): string {
  const [{ text }] = content as unknown as [{ text: string }];
  return text;
}

function ableClient(url: string, era: Era): Promise<EraClient> {
  return EraClient.open(url, era, { capabilities: forms, answer });
}

function countIn(file: string, method: string): number {
  return receivedMessages(readLog(file), method).length;
}

test("the process that all share speaks the era of the first client that can be asked", async () => {
  await using directory = await temporaryDirectory();
  const log = directory.file("log");
  await using gateway = await startGateway({ both: fixture("either-era", ["--log", log]) });
  const plain = await EraClient.open(gateway.url, "legacy");
  assert.equal(textOf(await plain.call("both__era")), "later");
  const older = await ableClient(gateway.url, "legacy");
  assert.equal(textOf(await older.call("both__ask")), "blue");
  const later = await ableClient(gateway.url, "modern");
  assert.equal(textOf(await later.call("both__era")), "older");
  assert.equal(textOf(await later.call("both__ask")), "blue");
  assert.equal(countIn(log, "initialize"), 1);
  const { protocolVersion, protocolReason } = await gateway.plane.servers.get("both");
  assert.equal(protocolVersion, "2025-11-25");
  assert.match(protocolReason ?? "", /era-client was the first client that declares elicitation/);
});

test("twenty first calls of clients that can be asked open one session of their era", async () => {
  await using directory = await temporaryDirectory();
  const log = directory.file("log");
  await using gateway = await startGateway({ both: fixture("either-era", ["--log", log]) });
  const clients = await Promise.all(
    Array.from({ length: 4 }, () => ableClient(gateway.url, "legacy")),
  );
  const calls = Array.from({ length: 20 }, (_, at) => clients[at % 4]?.call("both__era"));
  const texts = (await Promise.all(calls)).map((result) => textOf(result as JsonObject));
  assert.deepEqual(new Set(texts), new Set(["older"]));
  assert.equal(countIn(log, "initialize"), 1);
});

test("after a client of the later era, the process stays in it", async () => {
  await using gateway = await startGateway({ both: fixture("either-era") });
  const later = await ableClient(gateway.url, "modern");
  assert.equal(textOf(await later.call("both__era")), "later");
  const older = await ableClient(gateway.url, "legacy");
  assert.equal(textOf(await older.call("both__era")), "later");
});

for (const [title, entry] of [
  ["over HTTP", async () => ({})],
  ["where sessions are not shared", async () => ({ session: "principal" })],
] as const) {
  test(`${title}, each client is spoken for in its own era`, async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const isRemote = title === "over HTTP";
    await using server = isRemote
      ? await startHttpFixture("either-era", ["--http", "--log", log])
      : null;
    const both = server
      ? { url: server.url }
      : fixture("either-era", ["--log", log], await entry());
    await using gateway = await startGateway({ both });
    const older = await ableClient(gateway.url, "legacy");
    const later = await ableClient(gateway.url, "modern");
    const plain = await EraClient.open(gateway.url, "legacy");
    for (let round = 0; round < 2; round++) {
      assert.equal(textOf(await older.call("both__ask")), "blue");
      assert.equal(textOf(await later.call("both__era")), "later");
      assert.equal(textOf(await plain.call("both__era")), "later");
    }
    assert.equal(countIn(log, "initialize"), 1);
    const { protocolVersion, protocolReason } = await gateway.plane.servers.get("both");
    assert.equal(protocolVersion, "2026-07-28");
    assert.match(protocolReason ?? "", /one session speaks 2025-11-25/);
  });

  test(`${title}, a server that refuses the handshake is asked for it once`, async () => {
    await using directory = await temporaryDirectory();
    const log = directory.file("log");
    const isRemote = title === "over HTTP";
    const words = ["--only-later", "--log", log];
    await using server = isRemote
      ? await startHttpFixture("either-era", ["--http", ...words])
      : null;
    const only = server ? { url: server.url } : fixture("either-era", words, await entry());
    await using gateway = await startGateway({ only });
    const older = await ableClient(gateway.url, "legacy");
    for (let round = 0; round < 3; round++)
      assert.equal(textOf(await older.call("only__era")), "later");
    assert.equal(countIn(log, "initialize"), 1);
  });
}

test("a shared process that refuses the handshake goes on in the later era", async () => {
  await using directory = await temporaryDirectory();
  const log = directory.file("log");
  await using gateway = await startGateway({
    only: fixture("either-era", ["--only-later", "--log", log]),
  });
  const older = await ableClient(gateway.url, "legacy");
  for (let round = 0; round < 3; round++)
    assert.equal(textOf(await older.call("only__era")), "later");
  assert.equal(countIn(log, "initialize"), 1);
  const { protocolReason } = await gateway.plane.servers.get("only");
  assert.match(protocolReason ?? "", /does not speak an older one/);
});
