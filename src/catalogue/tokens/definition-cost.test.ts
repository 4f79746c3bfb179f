import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "../../model/catalogue/tool.ts";
import { toolFormats } from "../../model/catalogue/tool-formats.ts";
import { countDefinitions, loadTokenCounter, maxTokens, summarizeTool } from "./definition-cost.ts";

const tool = (description: string, more: Partial<Tool> = {}) =>
  ({
    id: { server: "s", tool: "look" },
    name: "s.look",
    modelName: "s__look",
    description,
    parameters: { type: "object" },
    annotations: {},
    ...more,
  }) as Tool;

test("a summary says what a tool is called, where it is from and how its description begins", () => {
  assert.deepEqual(summarizeTool(tool("x".repeat(120)), 100), {
    name: "s__look",
    description: `${"x".repeat(100)}…`,
    server: "s",
    tool: "look",
  });
  assert.equal(summarizeTool(tool("short"), 100).description, "short");
  assert.equal(summarizeTool(tool(`${"x".repeat(99)}😀`), 100).description, `${"x".repeat(99)}…`);
});

test("tokens are counted on the JSON that a client gets", async () => {
  const one = tool("Looks at <|endoftext|> what there is.");
  const count = await loadTokenCounter();
  const [cost] = await countDefinitions([one], 100);
  assert.equal(cost?.fullTokens, count(JSON.stringify(toolFormats.mcp([one])[0])));
  assert.ok(maxTokens([one]) >= (cost?.fullTokens ?? 0));
});

test("a definition is counted again when it changed", async () => {
  const parameters = { type: "object" };
  const [short] = await countDefinitions([tool("Looks.", { parameters })], 100);
  const [long] = await countDefinitions([tool("Looks. ".repeat(50), { parameters })], 100);
  const [again] = await countDefinitions([tool("Looks.", { parameters })], 100);
  assert.ok((long?.fullTokens ?? 0) > (short?.fullTokens ?? 0) + 50);
  assert.equal(again?.fullTokens, short?.fullTokens);
  const [cut] = await countDefinitions([tool("Looks. ".repeat(50), { parameters })], 10);
  assert.ok((cut?.summaryTokens ?? 0) < (long?.summaryTokens ?? 0));
});

test("counting ends when it is known to be enough", async () => {
  const tools = Array.from({ length: 10 }, () => tool("Looks at what there is."));
  assert.equal((await countDefinitions(tools, 100, (sum) => sum > 20)).length, 1);
});
