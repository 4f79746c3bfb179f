import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parse as parseReference, stringify } from "yaml";
import { cases } from "../../../test/fixtures/tier.ts";
import { anyCharacter } from "../../../test/samples/texts.ts";
import { parseYaml } from "./parse-yaml.ts";

function parsed(text: string) {
  const { document, problems } = parseYaml("config.yaml", text);
  if (document === null) return assert.fail(problems.map(({ message }) => message).join("; "));
  return { ...document, problems };
}

const values: [title: string, text: string, json: string][] = [
  [
    "mappings, lists and scalars",
    "a: 1\nb:\n  - x\n  - true\n  -\nc: {d: ~}",
    '{"a":1,"b":["x",true,null],"c":{"d":null}}',
  ],
  ["keys that are no texts", "1.0: a\ntrue: b\n~: c\n: d", '{"1.0":"a","true":"b","~":"c","":"d"}'],
  ["an alias", "a: &x {b: 1}\nc: *x", '{"a":{"b":1},"c":{"b":1}}'],
  ["an alias as a key", "&k a: 1\nb: {*k : 2}", '{"a":1,"b":{"a":2}}'],
  ["an anchor given twice", "- &x 1\n- *x\n- &x 2\n- *x", "[1,1,2,2]"],
  ["a merge", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3", '{"a":{"b":1,"c":2},"d":{"b":1,"c":3}}'],
  ["a merge after the key", "a: &x {b: 1}\nd:\n  b: 3\n  <<: *x", '{"a":{"b":1},"d":{"b":3}}'],
  ["a merge of several", "<<: [{a: 1}, {a: 2, b: 2}]\nc: 3", '{"a":1,"b":2,"c":3}'],
  ["a quoted <<", '"<<": {a: 1}', '{"<<":{"a":1}}'],
  [
    "words that YAML 1.1 took for others",
    "%YAML 1.1\n---\na: yes\nb: 2001-01-01",
    '{"a":"yes","b":"2001-01-01"}',
  ],
  ["a start of the document", "---\na: 1\n...\n", '{"a":1}'],
  ["JSON", '{"a": [1, "b"]}', '{"a":[1,"b"]}'],
];

for (const [title, text, json] of values) {
  test(`${title} can be read`, () => {
    const { data, problems } = parsed(text);
    assert.deepEqual([JSON.stringify(data), problems], [json, []]);
  });
}

test("every value knows the line of its key or its place in a list, and what came by an alias its own", () => {
  const text = "# first\na:\n  b: &x\n    c: 1\nd:\n  - 1\n  - e: *x\n";
  for (const end of ["\n", "\r\n"]) {
    const { lineOf } = parsed(text.replaceAll("\n", end));
    const paths = [["a"], ["a", "b"], ["a", "b", "c"], ["d", 1], ["d", 1, "e"], ["d", 1, "e", "c"]];
    assert.deepEqual(paths.map(lineOf), [2, 3, 4, 7, 7, 4]);
    assert.deepEqual([["a", "x", "y"], ["x"], []].map(lineOf), [2, 2, 2]);
  }
});

const broken: [title: string, text: string, line: number, says: RegExp][] = [
  ["an empty file", "", 1, /the file is empty/],
  ["a file of comments", "# nothing\n", 1, /the file is empty/],
  ["a document of nothing", "---\n", 1, /the file is empty/],
  ["two documents", "a: 1\n---\nb: 2\n", 2, /more than one YAML document/],
  ["a tab as indentation", "a:\n\tb: 1", 2, /tabs are not allowed/],
  ["an open bracket", "a: 1\nb: [1, 2", 2, /invalid YAML/],
  ["a mapping in a line", "a: b: c", 1, /nested mappings are not allowed/],
  ["an alias without an anchor", "a: 1\nb: *x", 2, /the alias \*x has no anchor before it/],
  ["an alias of what it stands in", "a: &x\n  - *x", 2, /the alias \*x has no anchor before it/],
  ["a merge of a scalar", "a: 1\n<<: 3", 2, /'<<' merges mappings only/],
  ["a list as a key", "a: 1\n? [b]\n: 2", 2, /cannot be a key/],
];

for (const [title, text, line, says] of broken) {
  test(`${title} is a problem with its line`, () => {
    const { document, problems } = parseYaml("config.yaml", text);
    assert.equal(document, null);
    assert.deepEqual(problems.map(({ file, severity, line }) => [file, severity, line]).at(0), [
      "config.yaml",
      "error",
      line,
    ]);
    assert.match(problems[0]?.message ?? "", says);
    assert.match(problems[0]?.hint ?? "", /\.$/);
  });
}

test("all errors of a file are reported, but never its text", () => {
  const { problems } = parseYaml("f", 'a: "x" hunter2\nb: @hunter2\nc: 1\n"hunter2" }\n');
  assert.deepEqual(
    problems.map(({ line }) => line),
    [1, 2, 4],
  );
  assert.doesNotMatch(JSON.stringify(problems), /hunter2/);
});

test("a key given twice is a warning with both lines, and the last one counts", () => {
  const { data, lineOf, problems } = parsed("servers:\n  a: 1\n  a: 2\n");
  assert.equal(JSON.stringify(data), '{"servers":{"a":2}}');
  assert.equal(lineOf(["servers", "a"]), 3);
  assert.deepEqual(
    problems.map(({ severity, line, path, message }) => [severity, line, path, message]),
    [["warning", 3, "servers.a", "'a' is given twice, on lines 2 and 3; the last one counts"]],
  );
});

test("an unknown tag is a warning, and its value is kept", () => {
  const { data, problems } = parsed("a: 1\nb: !secret x\nc: !!binary aGk=");
  assert.equal(JSON.stringify(data), '{"a":1,"b":"x","c":"aGk="}');
  assert.deepEqual(
    problems.map(({ severity, line }) => [severity, line]),
    [
      ["warning", 2],
      ["warning", 3],
    ],
  );
});

test("a key named __proto__ is just a key, merged or not", () => {
  const { data } = parsed(
    "a: &x {__proto__: {polluted: true}}\nb: {<<: *x}\n__proto__: {polluted: true}",
  );
  assert.deepEqual(Object.keys(data as object), ["a", "b", "__proto__"]);
  assert.deepEqual(Object.keys((data as { b: object }).b), ["__proto__"]);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

for (const unit of ["[", "{a: ", "- ", "? ", "[a: "]) {
  test(`fifty thousand times '${unit}' is a problem and no crash`, () => {
    const { document, problems } = parseYaml("f", unit.repeat(50_000));
    assert.equal(document, null);
    assert.equal(problems[0]?.message, "nested deeper than 200 levels");
  });
}

test("two hundred levels are fine, and one more is not", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  assert.equal(JSON.stringify(parsed(nested(200)).data), nested(200));
  assert.equal(parseYaml("f", nested(201)).problems[0]?.message, "nested deeper than 200 levels");
});

test("levels are counted through aliases", () => {
  const nested = (inner: string) => "[".repeat(150) + inner + "]".repeat(150);
  const { problems } = parseYaml("f", `a: &x ${nested("1")}\nb: ${nested("*x")}`);
  assert.equal(problems[0]?.message, "nested deeper than 200 levels");
});

const tenTimes = (name: string) => `[${Array(10).fill(name)}]`;
const tower = [
  "&a0 1",
  ...Array.from({ length: 30 }, (_, at) => `&a${at + 1} ${tenTimes(`*a${at}`)}`),
];
const keys = Array.from({ length: 2_000 }, (_, at) => `k${at}: 1`).join(", ");

for (const [title, text] of [
  ["aliases of aliases", tower.map((line) => `- ${line}`).join("\n")],
  ["merges of merges", `- &x {${keys}}\n- {${"<<: *x, ".repeat(1000)}}`],
] as const) {
  test(`${title} that would fill the memory are a problem`, () => {
    const { document, problems } = parseYaml("f", text);
    assert.equal(document, null);
    assert.equal(problems[0]?.message, "aliases repeat more than 10000 values");
  });
}

test("any JSON value printed as YAML is read again", () => {
  // A key `<<` asks for a merge, which is a matter of its own.
  const unmerged = fc.jsonValue().filter((value) => !JSON.stringify(value).includes("<<"));
  fc.assert(
    fc.property(unmerged, (value) => {
      const text = stringify(value, { aliasDuplicateObjects: false, compat: null });
      assert.equal(JSON.stringify(parsed(text).data), JSON.stringify(parseReference(text)));
    }),
  );
});

const yamlNoise = fc.array(
  fc.constantFrom(
    ..."{}[]\",:'\\ \n\t-?&*!|>%@#~<ab1.",
    ": ",
    "- ",
    "\n  ",
    "&a ",
    "*a",
    "<<: ",
    "---\n",
    "!!map ",
  ),
  { maxLength: 40 },
);
const noise = fc.oneof(
  yamlNoise.map((units) => units.join("")),
  fc.string({ unit: anyCharacter }),
);

test("any text at all gives a document or an error, and never throws", () => {
  fc.assert(
    fc.property(noise, (text) => {
      const { document, problems } = parseYaml("f", text);
      assert.equal(
        problems.some(({ severity }) => severity === "error"),
        document === null,
        text,
      );
      for (const { line } of problems) assert.ok(line !== null && line >= 1);
    }),
    { numRuns: cases(2000) },
  );
});
