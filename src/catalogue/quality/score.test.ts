import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../model/json.ts";
import { scoreDefinition } from "./score.ts";

const text = (description?: string): JsonObject => ({
  type: "string",
  ...(description ? { description } : {}),
});
const schema = (properties: JsonObject, required?: string[]): JsonObject => ({
  type: "object",
  properties,
  ...(required ? { required } : {}),
});
const good = "Reads a file of the project and answers with its text.";

type Golden = [
  name: string,
  description: string,
  parameters: JsonObject,
  score: number,
  checks: string[],
  examples?: true,
];

const golden: Golden[] = [
  ["read_file", good, schema({ path: text("Where it is") }, ["path"]), 100, []],
  ["ping", "", schema({}), 60, ["no_description"]],
  ["list_files", "Lists them.", schema({}), 80, ["short_description"]],
  ["list_files", "list files", schema({}), 65, ["short_description", "restates_name"]],
  ["delete_repository", "delete the repository now", schema({}), 85, ["restates_name"]],
  [
    "readFile",
    good,
    schema({ path: text(), encoding: text(), limit: text() }),
    75,
    ["undocumented_properties", "no_required", "name_style"],
  ],
  [
    "query",
    good,
    schema({ a: text(), b: text(), c: text(), d: text(), e: text(), f: text() }, ["a"]),
    80,
    ["undocumented_properties"],
  ],
  ["read_file", good, schema({ path: text("Where it is") }, ["path"]), 90, ["no_examples"], true],
  ["mcp_readFile", "Reads a file, e.g. README.md, and tells its text.", schema({}), 100, [], true],
  [
    "DoIt",
    "",
    schema({ a: text(), b: text(), c: text(), d: text() }),
    20,
    ["no_description", "undocumented_properties", "no_required", "no_examples", "name_style"],
    true,
  ],
];

test("ten tools have the score that the table of penalties gives them", () => {
  for (const [name, description, parameters, score, checks, requireExamples = false] of golden) {
    const found = scoreDefinition({ name, description, parameters }, { requireExamples });
    assert.equal(found.score, score, `${name}: ${JSON.stringify(found.checks)}`);
    assert.deepEqual(
      found.checks.map(({ check }) => check),
      checks,
    );
    assert.equal(100 - found.checks.reduce((sum, { penalty }) => sum + penalty, 0), score);
  }
});

test("what would help is said with the names of this tool", () => {
  const parameters = schema({ userId: text(), limit: text("How many") });
  const { checks } = scoreDefinition({ name: "getHTTPUser-v2", description: good, parameters });
  assert.deepEqual(
    checks.map(({ fix }) => fix),
    [
      "Describe 'userId'.",
      'Add "required" with those of "userId", "limit" that a call cannot do without, or an empty list.',
      "Call it 'get_http_user_v2'.",
    ],
  );
});

test("a list of required properties that is empty says that none is", () => {
  const parameters = schema({ limit: text("How many") }, []);
  assert.equal(scoreDefinition({ name: "list_files", description: good, parameters }).score, 100);
});

test("a schema of nonsense costs nothing but itself", () => {
  for (const properties of [null, 7, [], { a: null, b: 3 }]) {
    const { score } = scoreDefinition({
      name: "x",
      description: good,
      parameters: { properties } as JsonObject,
    });
    assert.ok(score >= 80);
  }
});
