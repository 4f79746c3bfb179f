import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { createToolPaths, renderDeclarations } from "../../src/model/catalogue/tool-paths.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { compile, projectCompiler } from "../fixtures/declarations.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";

const object = (properties: object, more: object = {}) =>
  ({ type: "object", properties, ...more }) as JsonObject;
let deep: object = { type: "string" };
for (let level = 0; level < 60; level++) deep = object({ deeper: deep });
const circular = object(
  { self: { $ref: "#/$defs/a" } },
  { $defs: { a: object({ again: { $ref: "#/$defs/a" } }) } },
);

const names = [
  "plain",
  "with-dash",
  "with.dot",
  "with space",
  "1starts_with_digit",
  "class",
  "constructor",
  "__proto__",
  "toString",
  "then",
  "a*/b",
  "quote\"'`",
  "back\\slash",
  "line\nbreak",
  "\u2028separator",
  "${injected}",
  "ünïcödé",
  "日本語",
  "🙂",
  "a_b",
  "a-b",
  "",
];
const texts = [
  "",
  "*/ export const x = 1; /*",
  "line\nbreak // comment",
  "`${process.exit(1)}`",
  "\u202eflip",
  "<!--",
  "x".repeat(5_000),
];
const schemas: unknown[] = [
  {},
  { type: "object" },
  object({ a: { type: "string" } }, { required: ["a"] }),
  object(
    Object.fromEntries(names.map((name) => [name, { type: "number", description: texts[1] }])),
  ),
  object({ a: { enum: ["x", 'y"', "*/", 1, null, true, { b: 1 }] } }),
  object({ a: { const: "a`${b}" } }),
  object({
    a: { type: ["string", "null"] },
    b: { type: "array", items: { type: ["number", "boolean"] } },
  }),
  object({
    a: { anyOf: [{ type: "string" }, object({ b: {} })] },
    c: { oneOf: [] },
    d: { allOf: [object({ e: {} })] },
  }),
  object({
    a: { type: "array" },
    b: { type: "array", prefixItems: [{ type: "string" }, {}] },
    c: { type: "nonsense" },
  }),
  object({}, { additionalProperties: { type: "string" } }),
  object({ a: true, b: false, c: 7, d: null, e: [] }),
  deep,
  circular,
  object({ a: { $ref: "https://example.com/schema.json" }, b: { $ref: "#/nowhere" } }),
  { type: "object", properties: [], required: "a" },
  { type: "array", items: { type: "string" } },
  true,
];

const hostile = schemas.flatMap((schema, at) =>
  names.map((name, which) => ({
    id: {
      server: which % 5 === 0 ? null : `server ${names[(at + which) % names.length]}`,
      tool: `${name}${at}`,
    },
    description: texts[(at + which) % texts.length] as string,
    parameters: (typeof schema === "object" && schema !== null ? schema : {}) as JsonObject,
    ...(which % 2 === 0 && { outputSchema: schema as JsonObject }),
  })),
);

test("what a model reads of hostile tools is TypeScript that the compiler takes, in both lengths", async () => {
  await using directory = await temporaryDirectory();
  const paths = createToolPaths(hostile);
  const calls = hostile.map(({ id }) => `  await (${paths.render(id)} as any)({});`);
  for (const isShort of [true, false]) {
    const text = renderDeclarations(hostile, paths, { isShort });
    const program = `${text}\nexport async function program() {\n${calls.join("\n")}\n}\n`;
    await writeFile(directory.file(`${isShort ? "short" : "long"}.ts`), program);
  }
  const files = [directory.file("short.ts"), directory.file("long.ts")];
  const options = [
    "--noEmit",
    "--strict",
    "--target",
    "esnext",
    "--module",
    "esnext",
    "--types",
    "",
    "--ignoreConfig",
  ];
  assert.equal(await compile(projectCompiler, [...options, ...files]), "");
});

test("a program that uses a tool wrongly does not compile, so that the declarations say something", async () => {
  await using directory = await temporaryDirectory();
  const tool = {
    id: { server: "files", tool: "read-file" },
    description: "Reads a file.",
    parameters: object({ path: { type: "string" } }, { required: ["path"] }),
    outputSchema: object({ size: { type: "number" } }, { required: ["size"] }),
  };
  const paths = createToolPaths([tool]);
  const text = renderDeclarations([tool], paths);
  const compiled = async (line: string) => {
    const file = directory.file("one.ts");
    await writeFile(file, `${text}\nexport async function program() { ${line} }\n`);
    return compile(projectCompiler, [
      "--noEmit",
      "--strict",
      "--target",
      "esnext",
      "--types",
      "",
      "--ignoreConfig",
      file,
    ]);
  };
  assert.equal(
    await compiled('const { size } = await tools.files.read_file({ path: "a" }); return size + 1;'),
    "",
  );
  assert.match(await compiled("return tools.files.read_file({ file: 1 });"), /TS2353|TS2345/);
  assert.match(
    await compiled('return (await tools.files.read_file({ path: "a" })).length;'),
    /TS2339/,
  );
});
