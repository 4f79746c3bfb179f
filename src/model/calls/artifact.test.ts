import assert from "node:assert/strict";
import { test } from "node:test";
import { readArtifacts, viewOfArtifacts } from "./result.ts";

const b64 = Buffer.from("echo hi").toString("base64");
const said = {
  results: "done",
  artifacts: [{ name: "plan.sh", b64, mime: "application/x-sh" }],
  meta_data: { n: 1 },
};

for (const [where, result] of Object.entries({
  "structured content": { content: [], structuredContent: said },
  "the only text": { content: [{ type: "text", text: JSON.stringify(said) }] },
})) {
  test(`artifacts in ${where} are found`, () => {
    const found = readArtifacts(result);
    assert.ok(found);
    assert.deepEqual(viewOfArtifacts(found), [
      { name: "plan.sh", mimeType: "application/x-sh", bytes: 7 },
    ]);
    assert.equal(Buffer.from(found.artifacts[0]?.content ?? []).toString(), "echo hi");
    assert.deepEqual([found.results, found.metadata], ["done", { n: 1 }]);
  });
}

test("other spellings of the fields are understood", () => {
  const found = readArtifacts({
    content: [],
    structuredContent: { result: 0, "meta-data": 1, artifacts: [{ name: "a", b64: "" }] },
  });
  assert.deepEqual([found?.results, found?.metadata, found?.artifacts[0]?.bytes], [0, 1, 0]);
});

test("what is no such result is not changed", () => {
  for (const text of [
    "artifacts",
    '{"artifacts": 1}',
    '{"artifacts": []}',
    '{"artifacts": [',
    '["artifacts"]',
  ])
    assert.equal(readArtifacts({ content: [{ type: "text", text }] }), null);
});

test("an artifact that cannot be used is named, and the others are kept", () => {
  const found = readArtifacts({
    content: [],
    structuredContent: { artifacts: [{ b64 }, { name: "x", b64: "?" }, { name: "ok", b64 }] },
  });
  assert.deepEqual(found?.problems, [
    "Artifact 1 has no name.",
    "Artifact 'x' has no valid base64 in 'b64'.",
  ]);
  assert.deepEqual(
    found?.artifacts.map(({ name }) => name),
    ["ok"],
  );
});
