import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleMetadata, sampleTool } from "../../../test/samples/calls.ts";
import { isRepeatable, SideEffects, type Tool, ToolManifest, ToolMetadata } from "./tool.ts";

const repeatable: [title: string, changes: Partial<Tool>, expected: boolean][] = [
  ["a tool without a description", {}, false],
  ["a tool with an idempotency key", { metadata: sampleMetadata({ idempotency_key: true }) }, true],
  [
    "a tool that requires an idempotency key",
    { metadata: sampleMetadata({ idempotency_key: { required: true } }) },
    true,
  ],
  ["a trusted read", { trusted: true, annotations: { readOnlyHint: true } }, true],
  ["a trusted idempotent write", { trusted: true, annotations: { idempotentHint: true } }, true],
  ["a trusted write", { trusted: true, annotations: { readOnlyHint: false } }, false],
  ["a read of an untrusted server", { annotations: { readOnlyHint: true } }, false],
];

for (const [title, changes, expected] of repeatable) {
  test(`${title} ${expected ? "may" : "may not"} run twice`, () => {
    assert.equal(isRepeatable(sampleTool(changes)), expected);
  });
}

for (const value of [
  "none",
  "write",
  "network",
  "read_external_service",
  "filesystem",
  "compute",
  "system",
  "database",
]) {
  test(`'${value}' is a side effect`, () => assert.equal(SideEffects.parse(value), value));
}

test("an unknown side effect is refused with the list of known ones", () => {
  const { error } = SideEffects.safeParse("magic");
  assert.match(JSON.stringify(error?.issues), /none.*write.*read_external_service.*database/);
});

const entry = { name: "lookup", description: "Looks things up.", side_effects: "none" };

test("a manifest entry needs a name, a description and its side effects; the rest has defaults", () => {
  const {
    version,
    auth,
    idempotency_key,
    parameters,
    providers,
    allow_parallel,
    requires_consent,
  } = ToolManifest.parse(entry);
  assert.deepEqual(
    { version, auth, idempotency_key, parameters, providers, allow_parallel, requires_consent },
    {
      version: "1.0.0",
      auth: { required: false },
      idempotency_key: false,
      parameters: { type: "object" },
      providers: [],
      allow_parallel: undefined,
      requires_consent: false,
    },
  );
});

const refused: [title: string, change: Record<string, unknown>][] = [
  ["an empty name", { name: "" }],
  ["an empty description", { description: "" }],
  ["an empty version", { version: "" }],
  ["parameters that are no object schema", { parameters: { type: "array" } }],
  ["an empty required name", { parameters: { type: "object", required: [""] } }],
  ["a negative timeout", { default_timeout: -1 }],
  ["auth that does not say whether it is required", { auth: { type: "oauth" } }],
  ["an unknown safety level", { safety_level: "extreme" }],
  ["a negative cost", { cost_per_call: -1 }],
  ["a provider without a name", { providers: [{ priority: 1 }] }],
  ["a priority that is no whole number", { providers: [{ name: "mcp", priority: 1.5 }] }],
];

for (const [title, change] of refused) {
  test(`a manifest with ${title} is refused`, () => {
    assert.equal(ToolManifest.safeParse({ ...entry, ...change }).success, false);
  });
}

test("further keys of auth, parameters and providers are kept", () => {
  const parsed = ToolManifest.parse({
    ...entry,
    auth: { required: true, envs: { KEY: { required: true } }, vault: "x" },
    parameters: { type: "object", additionalProperties: false },
    providers: [{ name: "http", region: "eu" }],
  });
  assert.equal(parsed.auth.vault, "x");
  assert.equal(parsed.parameters.additionalProperties, false);
  assert.deepEqual(parsed.providers, [
    { name: "http", priority: 100, health_check_interval: 300, config: {}, region: "eu" },
  ]);
});

test("metadata without side effects declares nothing of them", () => {
  assert.equal(ToolMetadata.parse({}).side_effects, "network");
});
