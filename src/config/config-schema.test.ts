import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isObject } from "../model/json.ts";
import { descriptions } from "./descriptions.ts";
import { configSchema } from "./schemas.ts";

/** Keys whose inside is described elsewhere: a manifest has a document of its own. */
const described = ["tools"];

function keysOf(schema: unknown, key = ""): string[] {
  if (!isObject(schema) || described.includes(key)) return [];
  const own = Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(
    ([name, inner]) => {
      const innerKey = key === "" ? name : `${key}.${name}`;
      return [innerKey, ...keysOf(inner, innerKey)];
    },
  );
  const others =
    Array.isArray(schema.anyOf) && schema.anyOf.some(({ type }) => type === "null")
      ? schema.anyOf
      : [];
  const inside = [schema.additionalProperties, schema.items, ...others];
  return [...own, ...inside.flatMap((one) => keysOf(one, key))];
}

test("every key of the configuration is described, and nothing else is", () => {
  assert.deepEqual([...new Set(keysOf(configSchema()))].sort(), Object.keys(descriptions).sort());
});

test("the schema takes a usual configuration and refuses a wrong type", () => {
  const validate = new Ajv2020({ strict: false, formats: { uri: true } }).compile(configSchema());
  assert.equal(
    validate({
      mcpServers: { git: { command: "git-mcp", args: ["."] } },
      policy: { profile: "strict" },
    }),
    true,
  );
  assert.equal(validate({ mcpServers: { git: { command: 7 } } }), false);
  assert.equal(validate({ policy: { profile: "lax" } }), false);
});
