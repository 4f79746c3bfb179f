import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readShapesOf } from "../../../test/fixtures/configs/read-fixture.ts";
import { cases } from "../../../test/fixtures/tier.ts";
import { settingsFromEnvironment } from "./environment-settings.ts";
import { toolKeys } from "./normal-form.ts";
import { fieldReaders } from "./server.ts";

const top =
  "mcpServers servers providers tool_configs mcp tool tools policy users auth lazy toolsets store";
const inner =
  "name type enabled mcp-tool arguments provider_type tool_alias rules scheme api_key endpoint";
const odd = ["__proto__", "constructor", "toString", "", "*", "a.b", "0"];
const words = [...top.split(" "), ...inner.split(" "), ...odd, ...fieldReaders.keys(), ...toolKeys];

const word = fc.constantFrom(...words);
const text = fc.oneof(
  word,
  fc.constantFrom("mcp-tool", "stdio", "'\"\\", '{"url": 1}', "a,b", "*x?", "(optional"),
);
const scalar = fc.oneof(text, fc.string(), fc.double(), fc.boolean(), fc.constant(null));

/** Without a prototype, as documents are, so that nothing can be made a text by accident. */
function withoutPrototype(entries: readonly (readonly [string, unknown])[]): object {
  return Object.assign(Object.create(null), Object.fromEntries(entries));
}

const { data } = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    scalar,
    fc.array(tie("data"), { maxLength: 4 }),
    fc.array(fc.tuple(word, tie("data")), { maxLength: 8 }).map(withoutPrototype),
  ),
}));

/** Half of them begin as a configuration does. */
const anyConfig = fc.oneof(
  data,
  fc
    .array(fc.tuple(fc.constantFrom(...top.split(" ")), data), { maxLength: 6 })
    .map(withoutPrototype),
);

test("no data makes the translation throw, change what it was given, or reach a prototype", () => {
  const inherited = Object.getOwnPropertyNames(Object.prototype).sort();
  fc.assert(
    fc.property(anyConfig, (given) => {
      const before = JSON.stringify(given);
      const { settings, problems } = readShapesOf(given);
      assert.equal(JSON.stringify(given), before);
      for (const { path } of settings) assert.ok(path.length > 0);
      for (const { message, file } of problems) assert.ok(message !== "" && file === "config.json");
    }),
    { numRuns: cases(2000) },
  );
  assert.deepEqual(Object.getOwnPropertyNames(Object.prototype).sort(), inherited);
});

test("no setting is below another, and none is said twice", () => {
  fc.assert(
    fc.property(anyConfig, (given) => {
      const paths = readShapesOf(given).settings.map(
        ({ path }) => `${JSON.stringify(path).slice(0, -1)},`,
      );
      const sorted = paths.sort();
      for (const [at, path] of sorted.slice(1).entries()) {
        assert.ok(!path.startsWith(sorted[at] ?? ""), `${sorted[at]} holds ${path}`);
      }
    }),
    { numRuns: cases(1000) },
  );
});

test("no environment makes the translation throw", () => {
  const names = [
    "ENABLED",
    "DEFAULT_SERVER",
    "TIMEOUT_SECONDS",
    "ALLOW_TOOLS",
    "SERVER_ARGS",
    "SERVER_TRANSPORT",
  ];
  const variable = fc.constantFrom(
    ...names.map((name) => `ATLAS_MCP_${name}`),
    "TOOLPLANE_MCP_SERVER_URL",
  );
  fc.assert(
    fc.property(fc.dictionary(variable, fc.string()), (environment) => {
      settingsFromEnvironment(environment);
    }),
  );
});
