import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createSandbox } from "./sandbox.ts";

const sandbox = createSandbox();
after(() => sandbox.close());

const tree: Record<string, string[]> = { "[]": ["demo", "files"], '["demo"]': ["add", "greet"] };

async function run(source: string) {
  const logs: string[] = [];
  const result = await sandbox.run({
    source,
    seeds: [1, 2, 3, 4],
    startedAt: Date.parse("2026-11-18T12:00:00Z"),
    limits: { memoryBytes: 64 * 1024 * 1024, cpuMs: 60_000, calls: 200 },
    store: "{}",
    owner: "ann",
    signal: new AbortController().signal,
    request: async (_, json) => JSON.stringify({ value: JSON.parse(json) }),
    names: (json) => JSON.stringify(tree[json] ?? []),
    log: (_, text) => void logs.push(text),
  });
  return { result, logs };
}

async function returned(source: string): Promise<unknown> {
  const { result } = await run(source);
  assert.ok(result.ok, JSON.stringify(result));
  return JSON.parse(result.json);
}

async function errorOf(source: string): Promise<{ name: string; message: string; line?: number }> {
  const { result } = await run(source);
  assert.ok(!result.ok, `it returned ${JSON.stringify(result)}`);
  return result.error;
}

const cases: [what: string, source: string, expected: unknown][] = [
  [
    "what is returned keeps Map, Set and bytes",
    "return [new Map([['a', new Set([1])]]), new Uint8Array([1, 2]), new Map([[1, 2]]), 5n]",
    [{ a: [1] }, [1, 2], [[1, 2]], "5"],
  ],
  [
    "arguments keep them, too",
    "return (await tools.demo.add({ all: new Set([1, 2]) })).arguments",
    { all: [1, 2] },
  ],
  [
    "dates and numbers are written for people",
    "const d = new Date(0); return [d.toLocaleDateString('en-US', { month: 'long', day: 'numeric' }), d.toLocaleString(), Intl.NumberFormat('de-DE').format(1234.5), new Intl.DateTimeFormat().resolvedOptions().timeZone]",
    ["January 1", "1/1/1970, 12:00:00 AM", "1.234,5", "UTC"],
  ],
  [
    "large numbers, ranges and lists of locales are there too",
    "return [12345678901234567890n.toLocaleString('de'), new Intl.NumberFormat('en').formatRange(1, 5), Intl.DateTimeFormat.supportedLocalesOf(['de', 'xx']), Intl.getCanonicalLocales('EN-us'), Intl.supportedValuesOf('unit').includes('meter')]",
    ["12.345.678.901.234.567.890", "1–5", ["de"], ["en-US"], true],
  ],
  [
    "a program gives up waiting",
    "const gave = (signal) => tools.demo.add({}, { signal }).then(() => 'answered', (e) => e.name); const c = new AbortController(); const first = gave(c.signal); c.abort(); const heard = []; const late = AbortSignal.timeout(1); late.addEventListener('abort', () => heard.push(late.reason.name)); await sleep(20); return [await first, await gave(AbortSignal.abort()), await gave(new AbortController().signal), await gave(), heard, AbortSignal.any([late]).aborted, late.aborted, c.signal instanceof AbortSignal]",
    ["AbortError", "AbortError", "answered", "answered", ["TimeoutError"], true, true, true],
  ],
  [
    "a list is made of what comes later",
    "return [await Array.fromAsync([Promise.resolve(1), 2], (x) => x * 2), await Array.fromAsync((async function* () { yield 1 })()), await Array.fromAsync({ length: 1, 0: 7 })]",
    [[2, 4], [1], [7]],
  ],
  [
    "names are sorted as people sort",
    "return ['b', 'C', 'a', 'A', 'é', 'f'].sort((a, b) => a.localeCompare(b))",
    ["a", "A", "b", "C", "é", "f"],
  ],
  [
    "words and regions have names",
    "return [[...new Intl.Segmenter('en', { granularity: 'word' }).segment('a b')].filter((one) => one.isWordLike).length, new Intl.DisplayNames(['en'], { type: 'region' }).of('DE')]",
    [2, "Germany"],
  ],
  [
    "a tool is written as it is called",
    "return [String(tools.demo.add), JSON.stringify(tools), tools.demo.add === tools.demo.add]",
    ["tools.demo.add", '["demo","files"]', true],
  ],
  [
    "promises are what they are elsewhere",
    "const p = Promise.resolve(1); class Q extends Promise {} return [p instanceof Promise, p instanceof Object, [].concat(p).length, await Q.resolve(2), await Promise.all([p]), typeof p.then]",
    [true, true, 1, 2, [1], "function"],
  ],
  ["servers are listed", "return Object.keys(tools)", ["demo", "files"]],
  ["tools are listed", "return Object.keys(tools.demo)", ["add", "greet"]],
  [
    "a loop runs over them",
    "const all = []; for (const name in tools.demo) all.push(name); return all",
    ["add", "greet"],
  ],
  [
    "a name is looked for",
    'return ["add" in tools.demo, "sub" in tools.demo, "demo" in tools]',
    [true, false, true],
  ],
  [
    "what was listed is called",
    "const [add] = Object.values(tools.demo); return (await add({ a: 1 })).path",
    ["demo", "add"],
  ],
  [
    "a URL has parts",
    "const u = new URL('../b?x=1#y', 'https://h.example:8443/a/c'); return [u.href, u.host, u.pathname, u.searchParams.get('x'), u.hash]",
    ["https://h.example:8443/b?x=1#y", "h.example:8443", "/b", "1", "#y"],
  ],
  [
    "a URL is changed",
    "const u = new URL('https://h.example/'); u.pathname = '/ä b'; u.searchParams.append('q', 'a&b'); u.searchParams.set('n', 2); return String(u)",
    "https://h.example/%C3%A4%20b?q=a%26b&n=2",
  ],
  [
    "a URL is judged",
    "return [URL.canParse('x'), URL.canParse('x', 'http://h'), URL.parse('nope')]",
    [false, true, null],
  ],
  [
    "parameters",
    "const p = new URLSearchParams({ a: 1, b: 'x y' }); p.append('a', 2); p.delete('b'); return [p.toString(), [...p], p.getAll('a'), p.has('b'), p.size]",
    [
      "a=1&a=2",
      [
        ["a", "1"],
        ["a", "2"],
      ],
      ["1", "2"],
      false,
      2,
    ],
  ],
  [
    "text and bytes",
    "const b = new TextEncoder().encode('ä€😀'); return [Array.from(b), new TextDecoder().decode(b), new TextDecoder().decode(b.buffer.slice(0, 2))]",
    [[195, 164, 226, 130, 172, 240, 159, 152, 128], "ä€😀", "ä"],
  ],
  ["base64", "return [btoa('hello'), atob('aGVsbG8=')]", ["aGVsbG8=", "hello"]],
  [
    "a clone",
    "const a = { at: new Date(0), list: [1, { b: 2 }], map: new Map([['k', new Set([1])]]) }; a.self = a; const c = structuredClone(a); c.list[1].b = 3; return [a.list[1].b, c.at.toISOString(), [...c.map.get('k')], c.self === c]",
    [2, "1970-01-01T00:00:00.000Z", [1], true],
  ],
  [
    "numbers and dates for people",
    "return [new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' }).format(1234.5), (1234567.891).toLocaleString(), new Date(0).toLocaleDateString('en-GB'), new Intl.DateTimeFormat('en-US', { dateStyle: 'long' }).format(new Date(0)), new Intl.PluralRules('en').select(1), new Intl.ListFormat('en').format(['a', 'b']), new Intl.RelativeTimeFormat('en').format(-1, 'day'), [1.5, 2].map(new Intl.NumberFormat('en').format), ['b', 'ä', 'a'].sort(new Intl.Collator('de').compare)]",
    [
      "1.234,50\u00a0€",
      "1,234,567.891",
      "01/01/1970",
      "January 1, 1970",
      "one",
      "a and b",
      "1 day ago",
      ["1.5", "2"],
      ["a", "ä", "b"],
    ],
  ],
  [
    "timers",
    "const seen = []; setTimeout((x) => seen.push(x), 20, 'late'); setTimeout(() => seen.push('soon'), 1); const never = setTimeout(() => seen.push('never'), 5); clearTimeout(never); let n = 0; await new Promise((resolve) => { const i = setInterval(() => { n += 1; if (n === 3) { clearInterval(i); resolve(); } }, 1); }); await new Promise((resolve) => setTimeout(resolve, 60)); queueMicrotask(() => seen.push('micro')); await null; return [...seen, n]",
    ["soon", "late", "micro", 3],
  ],
  ["a big number", "return { n: 12345678901234567890n }", { n: "12345678901234567890" }],
];

for (const [what, source, expected] of cases)
  test(`programs have what a platform has: ${what}`, async () => {
    assert.deepEqual(await returned(source), expected);
  });

test("a promise in the returned value is named with the remedy", async () => {
  const error = await errorOf("return { sum: tools.demo.add({ a: 1 }) }");
  assert.match(error.message, /'sum' of the returned value is a promise\. Put 'await'/);
  assert.match(
    (await errorOf("return [tools.demo.add({}), 2]")).message,
    /'0' of the returned value is a promise/,
  );
  assert.deepEqual(await returned("return tools.demo.add({ a: 1 })"), {
    path: ["demo", "add"],
    arguments: { a: 1 },
  });
});

test("names of other platforms say what to use instead", async () => {
  for (const [name, remedy] of [
    ["fetch('http://x')", /through tools only/],
    ["require('fs')", /no modules/],
    ["process.env", /no environment/],
    ["Buffer.from('x')", /TextEncoder/],
  ] as const)
    assert.match((await errorOf(`await null;\nreturn ${name}`)).message, remedy);
  assert.equal(await returned("return typeof fetch + typeof process"), "undefinedundefined");
});

test("what contains itself, and what is parsed already, is named with the remedy", async () => {
  assert.match(
    (await errorOf("const o = {}; o.o = o; return o")).message,
    /^The returned value: a part of it contains itself\. Leave/,
  );
  assert.match(
    (await errorOf("const o = {}; o.o = o;\nawait tools.a.b(o)")).message,
    /^The arguments: a part of it contains itself/,
  );
  assert.match((await errorOf("return JSON.parse({ a: 1 })")).message, /It is an object already/);
  assert.match(
    (await errorOf("return atob('blob:1')")).message,
    /'blob:1' stands for data that stays outside/,
  );
  assert.equal((await errorOf("const a = 1;\nconst fs = await import('node:fs');")).line, 2);
});

test("wrong input to the platform is an error of the program, with its line", async () => {
  const wrong: [string, RegExp][] = [
    ["new URL('nope')", /Invalid URL/],
    ["new Intl.NumberFormat('en', { style: 'currency' }).format(1)", /currency/i],
    ["new Intl.NumberFormat('no such locale').format(1)", /locale/i],
    ["structuredClone(() => 1)", /cannot be cloned/],
    ["new TextDecoder('letters')", /encoding is not supported/],
    ["atob('*')", /./],
    ["setTimeout('alert(1)', 1)", /takes a function/],
    ["new URL('https://h/' + 'x'.repeat(2_000_000))", /at most 1 MB/],
  ];
  for (const [source, message] of wrong) {
    const error = await errorOf(`const a = 1;\nreturn ${source}`);
    assert.match(error.message, message, source);
    assert.equal(error.line, 2, source);
  }
});

test("what a program does to the platform's parts is its own harm, and reaches nothing", async () => {
  assert.deepEqual(
    await returned("JSON.parse = () => ({ value: 'forged' }); return new URL('http://h/').host"),
    "h",
  );
  const escapes = [
    "URL.constructor('return process')()",
    "new Intl.NumberFormat('en').format.constructor('return process')()",
    "Object.getPrototypeOf(tools).constructor",
    "(() => { class P extends URL { get href() { return 1 } } return new P('http://h/').toString().constructor.constructor('return process')() })()",
  ];
  for (const way of escapes) await errorOf(`return ${way}`);
  const { result } = await run(
    "Intl.__proto__.constructor = 1; return new Intl.Collator('x-y-z-not').compare('a', 'b')",
  );
  assert.ok(typeof result.ok === "boolean");
});

const forgotten: [source: string, said: RegExp][] = [
  [
    "const page = tools.demo.add({});\nreturn page.items.length;",
    /^'items' is read from a promise\. Put 'await'/,
  ],
  [
    "const a = 1;\nconst page = tools.demo.add({}); const { items } = page;",
    /^'items' is read from a promise/,
  ],
  [
    "const page = tools.demo.add({});\nfor (const one of page) console.log(one);",
    /^A promise is walked as a list/,
  ],
  ["const all = [1].map(async () => 1);\nreturn all.join();", /^A promise is used as a text/],
  ["const page = tools.demo.add({});\nreturn `${page}`;", /^A promise is used as a text/],
  [
    "const page = tools.demo.add({});\nreturn JSON.stringify({ page });",
    /^'page' of what is written as JSON is a promise/,
  ],
  [
    "const page = tools.demo.add({});\nreturn await tools.demo.add({ page });",
    /^'page' of the arguments is a promise/,
  ],
];
for (const [source, said] of forgotten)
  test(`a missing await is named with its line: ${source.split("\n")[1]}`, async () => {
    const { message, line } = await errorOf(source);
    assert.match(message, said);
    assert.equal(line, 2);
  });

test("calls that nothing waited for are counted, however quick their answers are", async () => {
  const { result } = await run("tools.demo.add({}); tools.demo.add({}); return 1");
  assert.equal(result.unawaited, 2);
});

test("the console has what others have", async () => {
  const { logs } = await run(
    "console.log('%s: %d', 'a', 2.5, new Map([['k', 1]])); console.group('g'); console.table([{ a: 1 }]); console.groupEnd(); console.assert(false, 'no'); console.count(); console.log(tools.demo, tools.demo.add({}), { p: tools.demo.add({}) }); return 1",
  );
  assert.deepEqual(logs.slice(0, 5), [
    'a: 2 {"k":1}',
    "g",
    '  0: {"a":1}',
    "Assertion failed no",
    "default: 1",
  ]);
  assert.match(
    String(logs[5]),
    /^tools\.demo: add, greet a promise \(put 'await'.*'p' of what is logged is a promise/,
  );
});

const elsewhere: [source: string, said: RegExp][] = [
  ['import fs from "fs";\nreturn 1;', /Programs have no modules/],
  ['return await import("fs");', /Programs have no modules/],
  ["export default async () => 1;", /Programs have no modules/],
  [
    "const result = await tools.demo.add({});\nreturn result.content[0].text;",
    /A call returns the structured content itself/,
  ],
  ["throw { code: 5 };", /\{"code":5\}/],
  ["throw new Error('a', { cause: new Error('b') });", /^a \(because of Error: b\)$/],
];
for (const [source, said] of elsewhere)
  test(`what other platforms have is explained: ${source.split("\n").at(-1)}`, async () =>
    assert.match((await errorOf(source)).message, said));

test("what a program keeps has an end, however small its pieces are, and the next one has all of it", async () => {
  for (const source of [
    "const all = [];\nfor (let i = 0; i < 300; i++) all.push(new Uint8Array(1e6));\nreturn all.length",
    "const all = []; for (let i = 0; i < 1e7; i++) all.push({ i }); return all.length",
    "const all = []; for (let i = 0; i < 1e5; i++) { all.push('x'.repeat(5_000) + i); if (i % 100 === 0) await null } return all.length",
  ]) {
    assert.match(
      (await errorOf(source)).message,
      /needs more than 128 MB of memory\. Ask for less/,
      source,
    );
    assert.equal(await returned("return new Uint8Array(5e7).length"), 5e7);
  }
});
