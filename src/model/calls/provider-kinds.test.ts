import assert from "node:assert/strict";
import { test } from "node:test";
import { providerKinds } from "./provider-kinds.ts";

const kindsWithSchema = Object.entries(providerKinds).flatMap(([kind, { schema, document }]) =>
  schema === null ? [] : [{ kind, keys: Object.keys(schema.shape), row: document?.config }],
);

for (const { kind, keys, row } of kindsWithSchema) {
  test(`the row of '${kind}' in the documents names every key of its schema`, () => {
    assert.deepEqual(
      keys.filter((key) => !row?.includes(`\`${key}\``)),
      [],
    );
  });
}
