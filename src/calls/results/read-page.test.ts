import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/samples/texts.ts";
import type { ResultQuery } from "../../model/calls/stored-result.ts";
import { readPage } from "./read-page.ts";

const textResult = (text: string) => ({ content: [{ type: "text", text }] });
const lines = Array.from({ length: 50 }, (_, n) =>
  n % 20 === 5 ? `line ${n} ERROR` : `line ${n}`,
).join("\n");
const json = textResult(
  JSON.stringify({ items: [{ name: "a/b", "x.y": 1 }, { name: "c" }], "a/b": { "m~n": true } }),
);

test("pages of any size, one after the other, give the whole text and cut no character", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      async (text, limit) => {
        const result = textResult(`! ${text.toWellFormed()}`);
        const pages: string[] = [];
        for (let offset: number | null = 0; offset !== null; ) {
          const page = await readPage(result, { offset, limit });
          assert.ok(page.text.isWellFormed());
          pages.push(page.text);
          offset = page.nextOffset;
        }
        assert.equal(pages.join(""), result.content[0]?.text);
      },
    ),
  );
});

test("lines are counted where lines are asked for", async () => {
  const page = await readPage(textResult(lines), { lines: true, offset: 48, limit: 5 });
  assert.deepEqual(page, {
    unit: "lines",
    offset: 48,
    total: 50,
    nextOffset: null,
    text: "line 48\nline 49",
  });
});

test("what is looked for comes with the lines around it, a page at a time", async () => {
  const page = await readPage(textResult(lines), { grep: "ERR(OR)?", limit: 2 });
  assert.deepEqual([page.unit, page.total, page.nextOffset], ["matches", 3, 2]);
  assert.equal(
    page.text,
    "4- line 3\n5- line 4\n6: line 5 ERROR\n7- line 6\n8- line 7\n--\n24- line 23\n25- line 24\n26: line 25 ERROR\n27- line 26\n28- line 27",
  );
  const next = await readPage(textResult(lines), { grep: "ERROR", offset: 2 });
  assert.match(next.text, /46: line 45 ERROR/);
  assert.deepEqual((await readPage(textResult(lines), { grep: "nothing" })).total, 0);
});

test("neighbouring matches share what is around them", async () => {
  const { text } = await readPage(textResult("a\nb\nx1\nx2\nc\nd\ne"), { grep: "^x" });
  assert.equal(text, "1- a\n2- b\n3: x1\n4: x2\n5- c\n6- d");
});

test("a pattern that takes other engines for ever takes this one no time", async () => {
  const { total } = await readPage(textResult(`${"a".repeat(50_000)}!`), { grep: "^(a+)+$" });
  assert.equal(total, 0);
});

for (const [path, expected] of [
  ["items.1.name", "c"],
  ["items[1].name", "c"],
  ["$.items[1].name", "c"],
  ["/items/0/name", "a/b"],
  ["/items/0/x.y", "1"],
  ["/a~1b/m~0n", "true"],
  ["items.1", '{\n "name": "c"\n}'],
  ["$result.content.0.type", "text"],
] as const) {
  test(`'${path}' leads to one value`, async () => {
    assert.equal((await readPage(json, { path })).text, expected);
  });
}

for (const [query, message] of [
  [
    { path: "itmes.0" },
    /'path' cannot be 'itmes\.0': at the top there is no 'itmes' but items, a\/b; did you mean 'items'/,
  ],
  [{ path: "items.7" }, /at 'items' there is a list of 2/],
  [{ path: "items.0.name.x" }, /a single value/],
  [{ offset: -1 }, /'offset' cannot be '-1'/],
  [{ offset: 1e9 }, /'offset' cannot be '1000000000': there are only/],
  [{ limit: 0 }, /'limit' cannot be '0'/],
  [{ limit: 100_001 }, /from 1 to 100000 \(characters\)/],
  [{ grep: "(" }, /'grep' cannot be '\('/],
  [{ grep: "" }, /'grep' cannot be ''/],
  [{ ofset: 1 }, /'ofset': there is no such parameter/],
  [{ path: "__proto__" }, /no '__proto__'/],
] as const) {
  test(`${JSON.stringify(query)} is refused by name`, async () => {
    const parameter = Object.keys(query)[0];
    await assert.rejects(
      readPage(json, query as ResultQuery),
      (error: Error & { code: string; data: object }) => {
        assert.equal(error.code, "USAGE");
        assert.match(error.message, message);
        assert.equal((error.data as { parameter: string }).parameter, parameter);
        return true;
      },
    );
  });
}

test("a path into text is refused with what to do instead", async () => {
  await assert.rejects(
    readPage(textResult("plain"), { path: "a" }),
    /is text and not JSON\. Use 'offset'/,
  );
});
