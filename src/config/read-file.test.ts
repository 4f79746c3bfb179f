import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { test } from "node:test";
import { temporaryDirectory } from "../../test/fixtures/start-server.ts";
import { readConfigFile } from "./read-file.ts";

async function read(text: string) {
  await using directory = await temporaryDirectory();
  const file = directory.file("config.json");
  await writeFile(file, text);
  return readConfigFile(file);
}

async function readData(text: string) {
  const file = await read(text);
  if (!("data" in file)) return assert.fail(file.message);
  return file;
}

test("comments, trailing commas and a mark of the byte order are no problem", async () => {
  const { data } = await readData('\ufeff// servers\n{ "a": [1, 2,], /* b */ "c": null, }\n');
  assert.equal(JSON.stringify(data), '{"a":[1,2],"c":null}');
});

test("every value knows its line, whatever the ends of lines are", async () => {
  const text = [
    "{",
    '  "servers": {',
    '    "a": { "command": "x" },',
    '    "b": {',
    '      "args": [',
    '        "1",',
    "        2",
    "]}}}",
  ];
  for (const end of ["\n", "\r\n"]) {
    const { lineOf } = await readData(text.join(end));
    const lines = [
      ["servers"],
      ["servers", "a", "command"],
      ["servers", "b", "args"],
      ["servers", "b", "args", 1],
    ];
    assert.deepEqual(lines.map(lineOf), [2, 3, 5, 7]);
  }
});

test("what is not there has the line of what would hold it", async () => {
  const { lineOf } = await readData('{\n"servers": {\n"a": {}\n}}');
  assert.deepEqual([["servers", "a", "env", "X"], ["other"], []].map(lineOf), [3, 1, 1]);
});

test("a key named __proto__ is just a key", async () => {
  const { data } = await readData('{"__proto__": {"polluted": true}}');
  assert.deepEqual(Object.keys(data as object), ["__proto__"]);
  assert.equal((data as { polluted?: boolean }).polluted, undefined);
});

const broken: [title: string, text: string, line: number][] = [
  ["a missing comma", '{\n"a": 1\n"b": 2}', 3],
  ["an open brace", '{\n"a": 1', 2],
  ["an empty file", "", 1],
  ["a file of comments", "// nothing\n", 2],
  ["single quotes", "{\n\n'a': 1}", 3],
];

for (const [title, text, line] of broken) {
  test(`${title} is a problem with its line`, async () => {
    const problem = await read(text);
    if ("data" in problem) return assert.fail("it was read");
    assert.deepEqual([problem.severity, problem.line], ["error", line]);
    assert.match(problem.message, /^is not valid JSON: [a-z ]+$/);
  });
}

test("a file that is not there is a problem, and so is one that cannot be read", async () => {
  await using directory = await temporaryDirectory();
  const missing = readConfigFile(directory.file("none.json"));
  assert.ok(!("data" in missing));
  assert.equal(missing.message, "no such file");
  const folder = readConfigFile(directory.path);
  assert.ok(!("data" in folder));
  assert.match(folder.message, /cannot be read: EISDIR/);
});
