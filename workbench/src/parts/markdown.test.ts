import assert from "node:assert/strict";
import { test } from "node:test";
import { type Block, looksLikeMarkdown, readMarkdown } from "./markdown-blocks.ts";
import { type Inline, readInline } from "./markdown-inline.ts";

/** Short: `strong(a)`, `link[https://a](b)`. */
const show = (pieces: readonly Inline[]): string =>
  pieces
    .map((piece) => {
      if (piece.kind === "text") return piece.text;
      if (piece.kind === "break") return "⏎";
      if (piece.kind === "code") return `code(${piece.text})`;
      if (piece.kind === "image") return `image[${piece.address}](${piece.text})`;
      const place = piece.kind === "link" ? `[${piece.address}]` : "";
      return `${piece.kind}${place}(${show(piece.inside)})`;
    })
    .join("");

const shape = (blocks: readonly Block[]): unknown =>
  blocks.map((block) => {
    if (block.kind === "paragraph") return show(block.inside);
    if (block.kind === "heading") return [`h${block.level}`, show(block.inside)];
    if (block.kind === "code") return ["code", block.language, block.text];
    if (block.kind === "quote") return ["quote", shape(block.blocks)];
    if (block.kind === "table") return ["table", block.head.map(show), ...block.rows.map((row) => row.map(show))];
    if (block.kind === "rule") return "rule";
    return ["list", block.start, ...block.entries.map((one) => [one.isDone, shape(one.blocks)])];
  });

const lines: [string, string][] = [
  ["a **b** c", "a strong(b) c"],
  ["*a* and _b_ and ~~c~~", "emphasis(a) and emphasis(b) and deleted(c)"],
  ["**a *b* c**", "strong(a emphasis(b) c)"],
  ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
  ["`a **b**` ``c`d``", "code(a **b**) code(c`d)"],
  ["\\*a\\*", "*a*"],
  ["[docs](https://a.example/x)", "link[https://a.example/x](docs)"],
  ["see https://a.example/x. Then", "see link[https://a.example/x](https://a.example/x). Then"],
  ["<https://a.example>", "link[https://a.example](https://a.example)"],
  ["![a](https://a.example/x.png)", "image[https://a.example/x.png](a)"],
  // Nothing but the web and mail, and never HTML.
  ["[x](javascript:alert(1))", "[x](javascript:alert(1))"],
  ["[x](data:text/html,hi)", "[x](data:text/html,hi)"],
  ["[x](//evil.example)", "[x](//evil.example)"],
  ["<b onclick='x'>a</b>", "<b onclick='x'>a</b>"],
  ["a  \nb", "a⏎b"],
  ["**open", "**open"],
  ["mcp__git__push", "mcp__git__push"],
];

for (const [given, expected] of lines)
  test(`within a line, ${JSON.stringify(given)} is ${expected}`, () => assert.equal(show(readInline(given)), expected));

test("parts of a text: headings, lists with lists in them, tasks, code, quotes, tables", () => {
  const text = `# Title
One line
and another.
- a
  - b
    more
- [x] done
- [ ] open

3. three
4. four

> quoted
> **well**

\`\`\`ts
const a = "<b>";

\`\`\`
| a | b |
| --- | --: |
| 1 | x \\| y |
---
end`;
  assert.deepEqual(shape(readMarkdown(text)), [
    ["h1", "Title"],
    "One line\nand another.",
    ["list", null, [null, ["a", ["list", null, [null, ["b\nmore"]]]]], [true, ["done"]], [false, ["open"]]],
    ["list", 3, [null, ["three"]], [null, ["four"]]],
    ["quote", ["quoted\nstrong(well)"]],
    ["code", "ts", 'const a = "<b>";\n'],
    ["table", ["a", "b"], ["1", "x | y"]],
    "rule",
    "end",
  ]);
});

test("what is half written is shown as far as it goes", () => {
  assert.deepEqual(shape(readMarkdown("```js\nlet a")), [["code", "js", "let a"]]);
  assert.deepEqual(shape(readMarkdown("| a | b")), ["| a | b"]);
  assert.deepEqual(shape(readMarkdown("")), []);
});

test("hostile texts cost little: work grows with the text, and nothing is nested without end", () => {
  const worst = ["*".repeat(20_000), "[".repeat(20_000), "`".repeat(20_000), "![](".repeat(5_000), "_a".repeat(10_000)];
  for (const text of [...worst, "> ".repeat(5_000), "- ".repeat(5_000), "**a ".repeat(5_000), "| ".repeat(9_000)])
    assert.ok(Array.isArray(readMarkdown(text)));
});

test("plain text and data do not look like Markdown", () => {
  for (const text of ["Hello.", '{"a": 1}', "a_b_c * 2", "2026-11-17 10:00 started"])
    assert.equal(looksLikeMarkdown(text), false, text);
  for (const text of ["# A", "- a\n- b", "a **b** c", "```\nx\n```", "[a](https://b.example)"])
    assert.equal(looksLikeMarkdown(text), true, text);
});

test("a table of Markdown has no more cells than its text", () => {
  const text = `${"a|".repeat(2_000)}\n${"-|".repeat(2_000)}\n${"|\n".repeat(2_000)}`;
  const [table] = readMarkdown(text);
  assert.ok(table?.kind === "table" && table.rows.flat().length <= 2 * table.rows.length);
});
