import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleTool } from "../../../test/samples/calls.ts";
import { isToolFormat, toolFormats } from "./tool-formats.ts";

const tool = sampleTool({
  annotations: { readOnlyHint: true },
  outputSchema: { type: "object" },
  title: "Write",
});
const { parameters } = tool;

test("each model's API gets what it calls tools", () => {
  const description = "Writes a note.";
  assert.deepEqual(toolFormats.openai([tool]), [
    { type: "function", function: { name: "notes__write", description, parameters } },
  ]);
  assert.deepEqual(toolFormats["openai-responses"]([tool]), [
    { type: "function", name: "notes__write", description, parameters, strict: false },
  ]);
  assert.deepEqual(toolFormats.anthropic([tool]), [
    { name: "notes__write", description, input_schema: parameters },
  ]);
  assert.deepEqual(toolFormats.mcp([tool]), [
    {
      name: "notes__write",
      title: "Write",
      description,
      inputSchema: parameters,
      outputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
    },
  ]);
  assert.deepEqual(toolFormats["ai-sdk"]([tool]), {
    notes__write: { description, inputSchema: parameters },
  });
  assert.deepEqual(toolFormats["json-schema"]([tool]), {
    notes__write: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "notes__write",
      description,
      ...parameters,
    },
  });
});

test("an object without properties has none instead of leaving them out, where that is refused", () => {
  const [bare] = toolFormats.openai([sampleTool({ parameters: { type: "object" } })]);
  assert.deepEqual(bare?.function.parameters, { type: "object", properties: {} });
});

test("only what is in the table is a format", () => {
  assert.deepEqual(["openai", "ai-sdk", "toString", ""].map(isToolFormat), [
    true,
    true,
    false,
    false,
  ]);
});
