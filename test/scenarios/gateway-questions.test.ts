import assert from "node:assert/strict";
import { test } from "node:test";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { type Era, EraClient } from "../fixtures/era-client.ts";
import type { JsonObject } from "../fixtures/servers/support/messages.ts";
import { fixture } from "./support.ts";

const server = { raw: fixture("verbatim") };
const forms = { elicitation: { form: {} } };

/** What the server got, as it came. */
function told({ content }: JsonObject): JsonObject {
  const [{ text }] = content as unknown as [{ text: string }];
  return (JSON.parse(text) as { result: JsonObject }).result;
}

test("where a client cannot be asked and no person is there, the server learns it at once", async () => {
  await using gateway = await startGateway(server, { plane: { answersQuestions: true } });
  const client = await EraClient.open(gateway.url, "legacy");
  assert.deepEqual(told(await client.call("raw__asking")), { action: "cancel" });
});

test("someone who watches the questions may answer for a client that cannot be asked", async () => {
  await using gateway = await startGateway(server, { plane: { answersQuestions: true } });
  const { plane } = gateway;
  const client = await EraClient.open(gateway.url, "legacy");
  const asked = new Promise<string>((resolve) => {
    plane.on("question.asked", ({ questionId }) => resolve(questionId));
  });
  assert.deepEqual(await plane.questions.list(), []);
  const called = client.call("raw__asking");
  await plane.questions.answer(await asked, { action: "accept", content: { name: "Ann" } });
  assert.deepEqual(told(await called), { action: "accept", content: { name: "Ann" } });
});

for (const era of ["legacy", "modern"] as const satisfies Era[]) {
  test(`a form that a ${era} client fills in wrongly does not reach the server`, async () => {
    await using gateway = await startGateway(server);
    for (const content of [
      { name: 5 },
      { count: 1 },
      { name: "Ann", count: "many" },
      "Ann",
      null,
    ]) {
      const answer = () => ({ action: "accept", content });
      const client = await EraClient.open(gateway.url, era, { capabilities: forms, answer });
      assert.deepEqual(
        told(await client.call("raw__asking")),
        { action: "cancel" },
        JSON.stringify(content),
      );
    }
    const content = { name: "Ann", count: 2 };
    const client = await EraClient.open(gateway.url, era, {
      capabilities: forms,
      answer: () => ({ action: "accept", content }),
    });
    assert.deepEqual(told(await client.call("raw__asking")), { action: "accept", content });
  });
}

for (const era of ["legacy", "modern"] as const satisfies Era[]) {
  test(`who asks a ${era} client for a yes alone gets nothing else`, async () => {
    await using gateway = await startGateway({ elicit: fixture("elicit") });
    const answer = () => ({ action: "accept", content: { note: "from the client" } });
    const client = await EraClient.open(gateway.url, era, { capabilities: forms, answer });
    const { structuredContent } = await client.call("elicit__ask_approval");
    assert.doesNotMatch(JSON.stringify(structuredContent), /from the client/);
    assert.match(JSON.stringify(structuredContent), /accept/);
  });
}

test("a client finds in its log what was wrong with its answer", async () => {
  await using gateway = await startGateway(server);
  const answer = () => ({ action: "accept", content: { name: 5 } });
  const client = await EraClient.open(gateway.url, "legacy", { capabilities: forms, answer });
  const { notifications } = await client.exchange("tools/call", {
    name: "raw__asking",
    arguments: {},
  });
  const logged = notifications.filter(({ method }) => method === "notifications/message");
  assert.match(JSON.stringify(logged), /is not what the server asked for: .*name/);
});

test("what is asked here says whose words it is, as every other result does", async () => {
  await using gateway = await startGateway(server);
  const client = await EraClient.open(gateway.url, "modern", { capabilities: forms });
  const { reply } = await client.exchange("tools/call", { name: "raw__asking", arguments: {} });
  const { resultType, _meta } = reply.result as JsonObject;
  assert.equal(resultType, "input_required");
  assert.ok((_meta as JsonObject)["io.modelcontextprotocol/serverInfo"]);
});

for (const era of ["legacy", "modern"] as const satisfies Era[]) {
  test(`no address but one of the web reaches a ${era} client that opens addresses`, async () => {
    await using gateway = await startGateway({
      elicit: fixture("elicit"),
      modern: fixture("modern", [], { protocol: "modern" }),
    });
    const answer = () => ({ action: "accept" });
    const client = await EraClient.open(gateway.url, era, {
      capabilities: { elicitation: { url: {} } },
      answer,
    });
    for (const url of ["javascript:alert(1)", "file:///etc/passwd", "vscode://settings"]) {
      const { structuredContent } = await client.call("elicit__ask_url", { url });
      assert.equal(((structuredContent as JsonObject).error as JsonObject).code, -32602, url);
      await assert.rejects(
        client.call("modern__visit", { url }),
        /only http: and https: are opened/,
      );
    }
    assert.deepEqual(client.asked, []);
    await client.call("elicit__ask_url");
    await client.call("modern__visit", { url: "https://example.com/consent" });
    assert.deepEqual(client.asked, ["elicitation/create", "elicitation/create"]);
  });
}
