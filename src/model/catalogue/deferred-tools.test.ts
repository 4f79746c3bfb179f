import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "./tool.ts";
import { deferredFormats } from "./tool-formats.ts";

const tool = (server: string | null, name: string) =>
  ({
    id: { server, tool: name },
    modelName: server === null ? name : `${server}__${name}`,
    description: `Does ${name}.`,
    parameters: { type: "object" },
    annotations: {},
  }) as unknown as Tool;
const tools = [tool("git", "log"), tool("git", "push"), tool(null, "greet")];
const deferring = {
  isDeferred: ({ id }: Tool) => id.tool !== "log",
  describeServer: (server: string) => (server === "git" ? "Versions of files." : ""),
};

test("Anthropic is sent every definition, a search, and which ones can wait", () => {
  const sent = deferredFormats.anthropic(tools, deferring);
  assert.deepEqual(sent[0], {
    type: "tool_search_tool_bm25_20251119",
    name: "tool_search_tool_bm25",
  });
  assert.deepEqual(
    sent.slice(1).map((one) => [one.name, "defer_loading" in one]),
    [
      ["git__log", false],
      ["git__push", true],
      ["greet", true],
    ],
  );
});

test("the Responses API of OpenAI gets a namespace for each server", () => {
  const parameters = { type: "object", properties: {} };
  const strict = false;
  const written = (name: string, what: string) => ({
    type: "function",
    name,
    description: `Does ${what}.`,
    parameters,
    strict,
  });
  assert.deepEqual(deferredFormats["openai-responses"](tools, deferring), [
    { type: "tool_search" },
    written("git__log", "log"),
    { ...written("greet", "greet"), defer_loading: true },
    {
      type: "namespace",
      name: "git",
      description: "Versions of files.",
      tools: [{ ...written("git__push", "push"), defer_loading: true }],
    },
  ]);
});
