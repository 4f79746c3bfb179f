import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { startGateway } from "../fixtures/conformance/start-gateway.ts";
import { type Answerer, type Era, EraClient } from "../fixtures/era-client.ts";
import type { JsonObject } from "../fixtures/servers/support/messages.ts";
import { fixture } from "./support.ts";

const eras: readonly Era[] = ["legacy", "modern"];
const everything = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };
const roots = [{ uri: "file:///project", name: "project" }];

const answer: Answerer = (method, params) => {
  if (method === "roots/list") return { roots };
  if (method === "sampling/createMessage")
    return { role: "assistant", model: "test", content: { type: "text", text: "Paris" } };
  return { action: "accept", content: contentFor(params) };
};

function contentFor({ requestedSchema }: JsonObject): JsonObject {
  const { properties } = requestedSchema as { properties: JsonObject };
  return Object.fromEntries(
    Object.keys(properties).map((name) => [name, name === "ok" ? true : `my ${name}`]),
  );
}

/** What each tool asks before it answers. */
const questions: Record<string, string[]> = {
  test_simple_text: [],
  test_input_required_result_elicitation: ["elicitation/create"],
  test_input_required_result_sampling: ["sampling/createMessage"],
  test_input_required_result_list_roots: ["roots/list"],
  test_input_required_result_request_state: ["elicitation/create"],
  test_input_required_result_multiple_inputs: [
    "elicitation/create",
    "sampling/createMessage",
    "roots/list",
  ],
  test_input_required_result_multi_round: ["elicitation/create", "elicitation/create"],
};

const server = (era: Era) => ({ far: fixture("conformance", [], { protocol: era }) });

for (const clientEra of eras) {
  for (const serverEra of eras) {
    test(`a ${clientEra} client is asked what a ${serverEra} server wants to know`, async () => {
      await using gateway = await startGateway(server(serverEra));
      for (const [tool, methods] of Object.entries(questions)) {
        const client = await EraClient.open(gateway.url, clientEra, {
          capabilities: everything,
          answer,
        });
        const result = await client.call(`far__${tool}`);
        assert.deepEqual(client.asked.toSorted(), methods.toSorted(), tool);
        assert.match(JSON.stringify(result.content), /state-ok|simple text/, tool);
        const { answers } = (result.structuredContent ?? {}) as { answers?: JsonObject };
        if (methods.length > 0) assert.ok(answers, `${tool} did not get its answers`);
        if (methods.includes("roots/list"))
          assert.deepEqual(Object.values(answers ?? {}).at(-1), { roots });
      }
    });

    test(`a ${clientEra} client gets the progress of a ${serverEra} server to the last`, async () => {
      await using gateway = await startGateway(server(serverEra));
      const client = await EraClient.open(gateway.url, clientEra);
      const params = {
        name: "far__test_tool_with_progress",
        arguments: {},
        _meta: { progressToken: "mine" },
      };
      const { notifications, reply } = await client.exchange("tools/call", params);
      assert.ok(reply.result);
      const told = notifications.filter(({ method }) => method === "notifications/progress");
      assert.deepEqual(
        told.map((one) => [one.params?.progressToken, one.params?.progress, one.params?.total]),
        [0, 50, 100].map((progress) => ["mine", progress, 100]),
      );
    });

    test(`a ${clientEra} client that can answer nothing ends what a ${serverEra} server asks`, async () => {
      await using gateway = await startGateway(server(serverEra));
      const client = await EraClient.open(gateway.url, clientEra);
      const name = "far__test_input_required_result_elicitation";
      const { reply, status } = await client.exchange("tools/call", { name, arguments: {} });
      assert.deepEqual(client.asked, []);
      if (clientEra === "modern" && serverEra === "legacy") {
        assert.equal(status, 400);
        assert.equal(reply.error?.code, -32021);
        assert.deepEqual(reply.error.data, { requiredCapabilities: { elicitation: { form: {} } } });
      } else if (clientEra === "legacy") {
        assert.ok(reply.result ?? reply.error, "it was answered");
      }
    });
  }
}

for (const era of eras) {
  test(`the official client of the ${era} era lists, reads and calls through the gateway`, async () => {
    await using gateway = await startGateway({
      old: fixture("conformance", [], { protocol: "legacy" }),
      late: fixture("conformance", [], { protocol: "modern" }),
    });
    const client = new Client(
      { name: "official", version: "1.0.0" },
      {
        versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
        capabilities: everything,
      },
    );
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept",
      content: { name: "Ann" },
    }));
    await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
    try {
      const { tools } = await client.listTools();
      for (const name of ["old__test_simple_text", "late__test_simple_text"])
        assert.ok(
          tools.some((tool) => tool.name === name),
          name,
        );
      const { prompts } = await client.listPrompts();
      assert.ok(prompts.some(({ name }) => name === "late__test_simple_prompt"));
      const { contents } = await client.readResource({ uri: "test://static-text" });
      assert.match(JSON.stringify(contents), /static text resource/);
      for (const name of ["old", "late"]) {
        const said = await client.callTool({
          name: `${name}__test_input_required_result_elicitation`,
        });
        assert.match(JSON.stringify(said.structuredContent), /Ann/);
      }
    } finally {
      await client.close();
    }
  });
}
