import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { temporaryDirectory } from "../../../test/fixtures/start-server.ts";
import { cases } from "../../../test/fixtures/tier.ts";
import type { JsonObject } from "../../model/json.ts";
import { readData } from "./edit-file.ts";
import { addServerEntry, putServerEntry, removeServerEntry } from "./server-entries.ts";

const definition = { command: "npx", args: ["-y", "thing"] };

type Case = [title: string, name: string, before: string, after: unknown];

const shapes: Case[] = [
  ["an empty file", "a.json", "", { mcpServers: { new: definition } }],
  ["an empty object", "a.json", "{}", { mcpServers: { new: definition } }],
  [
    "mcpServers",
    "a.json",
    '{"mcpServers":{"a":{"url":"u"}},"servers":{}}',
    { mcpServers: { a: { url: "u" }, new: definition }, servers: {} },
  ],
  ["a map of servers", "a.json", '{"servers":{}}', { servers: { new: definition } }],
  [
    "a list of servers",
    "a.json",
    '{"servers":[{"name":"a","url":"u"}]}',
    {
      servers: [
        { name: "a", url: "u" },
        { name: "new", ...definition },
      ],
    },
  ],
  ["a flat map", "a.json", '{"a":{"command":"x"}}', { a: { command: "x" }, new: definition }],
  [
    "other settings only",
    "a.json",
    '{"policy":{}}',
    { policy: {}, mcpServers: { new: definition } },
  ],
  [
    "a YAML map",
    "a.yaml",
    "servers:\n  a:\n    url: u\n",
    { servers: { a: { url: "u" }, new: definition } },
  ],
  ["an open YAML key", "a.yml", "mcpServers:\n", { mcpServers: { new: definition } }],
  [
    "a YAML list",
    "a.yaml",
    "servers:\n  - name: a\n    url: u\n",
    {
      servers: [
        { name: "a", url: "u" },
        { name: "new", ...definition },
      ],
    },
  ],
];

for (const [title, name, before, after] of shapes) {
  test(`a server is added the way the file holds servers: ${title}`, async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file(name);
    writeFileSync(file, before);
    await addServerEntry(file, "new", definition);
    assert.equal(JSON.stringify(readData(file)), JSON.stringify(after));
    await removeServerEntry(file, "new");
    assert.doesNotMatch(readFileSync(file, "utf8"), /new|npx/);
  });
}

test("a new file gets mcpServers", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("new/toolplane.json");
  await addServerEntry(file, "new", definition);
  assert.equal(JSON.stringify(readData(file)), JSON.stringify({ mcpServers: { new: definition } }));
});

test("a name that is taken is refused with what to do, wherever it stands", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("a.json");
  for (const text of [
    '{"mcpServers":{},"servers":{"a":{}}}',
    '{"servers":[{"name":"a"}]}',
    '{"a":{"url":"u"}}',
  ]) {
    writeFileSync(file, text);
    await assert.rejects(addServerEntry(file, "a", definition), {
      code: "CONFIG_INVALID",
      message: /already has a server 'a'\. .*toolplane servers remove a$/,
    });
    assert.equal(readFileSync(file, "utf8"), text);
  }
});

test("removing what is not there names the nearest server", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("a.json");
  writeFileSync(file, '{"mcpServers":{"github":{"url":"u"}}}');
  await assert.rejects(removeServerEntry(file, "gihtub"), {
    code: "NOT_FOUND",
    message: /^No server 'gihtub' in .*a\.json\. Did you mean 'github'\?$/,
  });
  await assert.rejects(removeServerEntry(directory.file("none.json"), "a"), { code: "NOT_FOUND" });
});

test("a file that is a list is no place for a server", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("a.json");
  writeFileSync(file, "[]");
  await assert.rejects(addServerEntry(file, "a", definition), {
    code: "CONFIG_INVALID",
    message: /top level/,
  });
});

const server = fc.record({ command: fc.string({ minLength: 1 }), args: fc.array(fc.string()) });
const setting = fc.oneof(fc.jsonValue(), server) as fc.Arbitrary<JsonObject>;
const content = fc.record(
  {
    mcpServers: fc.dictionary(fc.string(), server),
    servers: fc.oneof(fc.dictionary(fc.string(), server), fc.array(server)),
    other: setting,
    $schema: fc.constant("https://example.org/schema.json"),
  },
  { requiredKeys: [] },
);

test("whatever the file: adding and removing a server leaves the data and the comments as they were", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("a.json");
  const property = fc.asyncProperty(
    content,
    fc.constantFrom("", " ", "  ", "\t"),
    server,
    async (given, indent, entry) => {
      const data = JSON.parse(JSON.stringify(given)) as JsonObject;
      const lines = JSON.stringify(data, null, indent).split("\n");
      writeFileSync(file, lines.map((line, at) => `${line} // comment ${at}\n`).join(""));
      await addServerEntry(file, "a new one", entry);
      assert.ok(readFileSync(file, "utf8").includes("a new one"));
      await removeServerEntry(file, "a new one");
      const rest = JSON.parse(JSON.stringify(readData(file))) as JsonObject;
      if (!("mcpServers" in data) && JSON.stringify(rest.mcpServers) === "{}")
        delete rest.mcpServers;
      assert.deepEqual(rest, data);
      const comments = readFileSync(file, "utf8").match(/\/\/ comment \d+$/gm);
      assert.deepEqual(
        comments,
        lines.map((_, at) => `// comment ${at}`),
      );
    },
  );
  await fc.assert(property, { numRuns: cases(200) });
});

const places: [title: string, before: string, after: unknown][] = [
  ["in a map", '{"mcpServers":{"a":{"url":"u"},"b":{}}}', { mcpServers: { a: definition, b: {} } }],
  ["in a list", '{"servers":[{"name":"a"}]}', { servers: [{ name: "a", ...definition }] }],
  [
    "twice",
    '{"mcpServers":{"a":{}},"servers":{"a":{}}}',
    { mcpServers: { a: definition }, servers: {} },
  ],
  ["nowhere", '{"mcpServers":{}}', { mcpServers: { a: definition } }],
];

for (const [title, before, after] of places) {
  test(`a server that stands ${title} is put in one write`, async () => {
    await using directory = await temporaryDirectory();
    const file = directory.file("a.json");
    writeFileSync(file, before);
    await putServerEntry(file, "a", definition);
    assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), after);
  });
}
