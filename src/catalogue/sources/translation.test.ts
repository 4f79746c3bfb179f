import assert from "node:assert/strict";
import { test } from "node:test";
import cases from "../../../test/fixtures/translations.json" with { type: "json" };
import { sampleServer } from "../../../test/samples/calls.ts";
import { createToolNameIndex } from "../../model/catalogue/tool-name.ts";
import { type NamelessTool, translateTools } from "./mcp.ts";

/** A translated tool in the words of the seed. */
function inWords({
  id,
  description,
  parameters,
  metadata,
  providers,
  persona,
  source,
}: NamelessTool) {
  const name = `mcp.${id.server}.${id.tool}`;
  assert.deepEqual(createToolNameIndex([id]).find(name), { kind: "one", id });
  const ways = providers.map(({ name: kind, config }) => ({ name: kind, config }));
  return { name, description, parameters, ...metadata, providers: ways, persona, source };
}

for (const { says, server, entry, tool, rejected } of cases) {
  test(`a listed tool: ${says}`, () => {
    const translated = translateTools("notes", sampleServer(server), [entry]);
    assert.deepEqual(translated.rejected, rejected ? [rejected] : []);
    const [found] = translated.tools.map(inWords);
    for (const [field, value] of Object.entries(tool ?? {})) {
      assert.deepEqual(found?.[field as keyof typeof found], value, field);
    }
    assert.equal(found === undefined, tool === undefined);
  });
}

test("a name of more than a thousand characters is refused, and not repeated", () => {
  const listed = [{ name: "A".repeat(1_001) }, { name: "A".repeat(1_000) }];
  const { tools, rejected } = translateTools("notes", sampleServer({}), listed);
  assert.deepEqual(rejected, [
    { tool: "entry 1", reason: "its name has 1001 characters, and 1000 are the most" },
  ]);
  assert.equal(tools.length, 1);
});

test("a type that JSON has not is what other languages mean by it, or anything", () => {
  const properties = {
    count: { type: "int", minimum: 1 },
    when: { type: "datetime", description: "a day" },
    rows: { type: "list", items: { type: "dict", properties: { id: { type: "str" } } } },
    plain: { type: "string" },
  };
  const { tools, rejected } = translateTools("notes", sampleServer({}), [
    { name: "a", inputSchema: { properties } },
  ]);
  assert.deepEqual(rejected, []);
  assert.deepEqual(tools[0]?.parameters.properties, {
    count: { type: "integer", minimum: 1 },
    when: { description: "a day" },
    rows: { type: "array", items: { type: "object", properties: { id: { type: "string" } } } },
    plain: { type: "string" },
  });
});
