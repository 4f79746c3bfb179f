import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ServerInput } from "../../src/index.ts";
import { type RunningGateway, startGateway } from "../fixtures/conformance/start-gateway.ts";
import { type Era, EraClient } from "../fixtures/era-client.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import type { JsonObject } from "../fixtures/servers/support/messages.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import { eventually } from "./approving.ts";
import { callsAt, fixture } from "./support.ts";

let postgres: RunningPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres[Symbol.asyncDispose]());

const stores = {
  "one file": (directory: TemporaryDirectory) => ({ dataDirectory: directory.path }),
  Postgres: (directory: TemporaryDirectory, store: string, name: string) => ({
    dataDirectory: directory.file(name),
    store,
  }),
};
const policy = { rules: [{ tool: "echo.put_*", verdict: "ask" as const }] };
const tool = "echo__put_note";
const note = { key: "k", text: "words" };

async function startPlanes(directory: TemporaryDirectory, where: keyof typeof stores, holdMs = 1) {
  const address = postgres.address();
  const log = directory.file("log");
  const mcpServers: Record<string, ServerInput> = { echo: fixture("echo", ["--log", log]) };
  const config = { mcpServers, policy, approvals: { holdMs } };
  const start = (name: string) =>
    startGateway({}, { plane: { config, ...stores[where](directory, address, name) } });
  return { left: await start("left"), right: await start("right"), log };
}

function textOf(result: JsonObject | undefined): string {
  const content = (result?.content ?? []) as { text: string }[];
  return content.map(({ text }) => text).join("\n");
}

/** A call of the client to this plane, whichever it began with. */
async function callAt({ url }: RunningGateway, client: EraClient, era: Era): Promise<string> {
  if (era === "modern") return textOf(await (await EraClient.open(url, "modern")).call(tool, note));
  const message = {
    jsonrpc: "2.0",
    id: "there",
    method: "tools/call",
    params: { name: tool, arguments: note },
  };
  const headers = client.headersFor();
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(message) });
  return textOf(((await response.json()) as { result?: JsonObject }).result);
}

const pendingAt = ({ plane }: RunningGateway, count: number) =>
  eventually(`${count} questions`, async () => {
    const waiting = await plane.approvals.list({ status: "pending" });
    return waiting.length === count ? waiting : undefined;
  });

for (const where of ["one file", "Postgres"] as const) {
  for (const era of ["legacy", "modern"] as const) {
    test(`of two planes on ${where} one gives a ${era} client what its call came to`, async () => {
      await using directory = await temporaryDirectory();
      const { left, right, log } = await startPlanes(directory, where);
      await using _left = left;
      await using _right = right;
      const client = await EraClient.open(left.url, era);
      assert.match(textOf(await client.call(tool, note)), /Call it again with the same arguments/);
      const [held] = await pendingAt(right, 1);
      await right.plane.approvals.answer(String(held?.id), { decision: "approve" });
      assert.equal(callsAt(log).length, 1);
      const texts = await Promise.all([left, right].map((gateway) => callAt(gateway, client, era)));
      const collected = texts.filter((text) => text.includes(`earlier call '${held?.callId}'`));
      const asked = texts.filter((text) => text.includes("APPROVAL_REQUIRED"));
      assert.deepEqual([collected.length, asked.length], [1, 1], texts.join("\n"));
      assert.equal(callsAt(log).length, 1, "the other is a new call, which waits");
      assert.equal((await right.plane.approvals.list({ status: "pending" })).length, 1);
      const record = await eventually("the end of the record", async () => {
        const found = await left.plane.calls.get(String(held?.callId));
        return found.status === "succeeded" ? found : undefined;
      });
      assert.equal(record.id, held?.callId);
      const verified = await left.plane.calls.verify();
      assert.equal(verified.ok, true, JSON.stringify(verified));
      const listed = await right.plane.calls.list({ limit: 10 });
      assert.equal(new Set(listed.map(({ id }) => id)).size, listed.length, "each is listed once");
    });
  }

  test(`a call that takes the caller's place on another plane on ${where} gets what the first one asked`, async () => {
    await using directory = await temporaryDirectory();
    const { left, right, log } = await startPlanes(directory, where, 4_000);
    await using _left = left;
    await using _right = right;
    const client = await EraClient.open(left.url, "legacy");
    await client.call(tool, note);
    const [held] = await pendingAt(left, 1);
    const second = callAt(right, client, "legacy");
    await eventually("its place", async () => {
      const { caller } = await left.plane.approvals.get(String(held?.id));
      return caller?.state === "waits" ? caller : undefined;
    });
    await left.plane.approvals.answer(String(held?.id), { decision: "approve" });
    assert.match(await second, new RegExp(`'${held?.callId}'.*\nstored k$`, "s"));
    assert.equal(callsAt(log).length, 1);
  });
}
