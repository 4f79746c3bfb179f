import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { PassThrough, Readable } from "node:stream";
import { test } from "node:test";
import { temporaryDirectory } from "../../../../test/fixtures/start-server.ts";
import { readCallArguments, readPiped } from "./call-arguments.ts";

const cases: [title: string, args: string | undefined, values: string[], expected: unknown][] = [
  ["nothing is an empty object", undefined, [], {}],
  ["JSON is taken as it is, as its text", '{"a": [1.0]}', [], '{"a": [1.0]}'],
  ["empty JSON is an empty object", " ", [], {}],
  ["what is no object is left to the plane to refuse", "[1]", [], [1]],
  ["a pair is text", undefined, ["a=1", "b=", "c=true"], { a: "1", b: "", c: "true" }],
  [
    "a pair with a colon is JSON",
    undefined,
    ["a:=1", 'b:=["x"]', "c:=null"],
    { a: 1, b: ["x"], c: null },
  ],
  [
    "a value may hold equals signs and lines",
    undefined,
    ["url=http://h/?a=b", "t=1\n2"],
    { url: "http://h/?a=b", t: "1\n2" },
  ],
  ["a key may hold a colon", undefined, ["ns:key=v"], { "ns:key": "v" }],
  ["pairs win over JSON", '{"a": 1, "b": 2}', ["b=3"], { a: 1, b: "3" }],
  ["pairs may follow null", "null", ["a=1"], { a: "1" }],
  ["JSON may be a word of its own", undefined, ['{"a": [1.0]}'], '{"a": [1.0]}'],
  ["pairs win over a word of JSON", undefined, ['{"a": 1}', "b=2", "a=3"], { a: "3", b: "2" }],
  ["the last of equal keys wins", undefined, ["a=1", "a=2"], { a: "2" }],
];

for (const [title, args, values, expected] of cases) {
  test(title, async () => assert.deepEqual(await readCallArguments(args, values), expected));
}

test("a key named __proto__ is just a key", async () => {
  const read = await readCallArguments(undefined, ['__proto__:={"polluted": true}']);
  assert.deepEqual(Object.keys(read as object), ["__proto__"]);
});

const refused: [title: string, args: string | undefined, values: string[], message: RegExp][] = [
  ["broken JSON", '{"a": ', [], /--args is not valid JSON.*Quote it/],
  [
    "a pair without an equals sign",
    undefined,
    ["text"],
    /'text' is not an argument.*key=value or key:=json/,
  ],
  ["a pair without a key", undefined, ["=x"], /'=x' is not an argument/],
  ["the sign for standard input", undefined, ["-"], /'-' is not an argument.*'--args -' reads all/],
  ["broken JSON in a pair", undefined, ["a:=hello"], /a is not valid JSON.*write a=/],
  ["JSON twice", "{}", ["{}"], /given twice/],
  [
    "a broken word of JSON",
    undefined,
    ['{"a": '],
    /^What begins with '\{' is not valid JSON.*Quote it for the shell, e\.g\. '\{"key":"value"\}'/,
  ],
  ["no JSON in a pair", undefined, ["a:="], /a is not valid JSON/],
  ["pairs beside JSON that is not an object", "[1]", ["a=1"], /must be a JSON object/],
  [
    "a file that is not there",
    "@/no/such/file.json",
    [],
    /'\/no\/such\/file\.json'.*cannot be read.*Check the path/,
  ],
];

for (const [title, args, values, message] of refused) {
  test(`${title} is a usage error with the remedy`, async () => {
    await assert.rejects(readCallArguments(args, values), { code: "USAGE", message });
  });
}

test("arguments may come from a file", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("args.json"), '{"a": "ß"}\n');
  assert.deepEqual(await readCallArguments(`@${directory.file("args.json")}`, ["b=2"]), {
    a: "ß",
    b: "2",
  });
});

test("a file of arguments that is not JSON is named, with what it has to hold", async () => {
  await using directory = await temporaryDirectory();
  const file = directory.file("args.json");
  await writeFile(file, "{a: 1}");
  await assert.rejects(readCallArguments(`@${file}`, []), (thrown: Error) => {
    assert.ok(thrown.message.startsWith(`The file '${file}' is not valid JSON: `), thrown.message);
    assert.ok(
      thrown.message.endsWith('It has to hold one JSON object, as in {"key": "value"}.'),
      thrown.message,
    );
    return true;
  });
});

test("what comes on standard input is JSON, and nothing is none", async () => {
  assert.equal(await readCallArguments(undefined, [], '{"a": 1}\n'), '{"a": 1}\n');
  assert.deepEqual(await readCallArguments(undefined, ["b=2"], '{"a": 1}'), { b: "2" });
  await assert.rejects(
    readCallArguments(undefined, [], "milk\n"),
    /Standard input is not valid JSON.*\/dev\/null/s,
  );
  assert.equal(await readPiped(Readable.from(['{"a"', ": 1}"])), '{"a": 1}');
  assert.equal(await readPiped(Readable.from([])), "");
  const silent = new PassThrough();
  assert.equal(await readPiped(silent), "");
  assert.ok(silent.destroyed);
});
