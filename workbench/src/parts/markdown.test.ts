import assert from "node:assert/strict";
import { test } from "node:test";
import { looksLikeMarkdown, type MarkdownNode, readMarkdown } from "./markdown-tree.ts";

/** Short: `strong(a)`, `link[https://a](b)`. */
const show = (nodes: readonly MarkdownNode[]): string =>
  nodes
    .map(({ kind, text, level, address, isDone, inside }) => {
      if (kind === "text") return text;
      if (kind === "softbreak") return "\n";
      const more = [level || "", address, isDone ?? ""].filter((part) => part !== "").join(" ");
      return `${kind}${more === "" ? "" : `[${more}]`}(${inside.length > 0 ? show(inside) : text})`;
    })
    .join("");

const inLine = (text: string) => show(readMarkdown(text)?.[0]?.inside ?? []);

const lines: [string, string][] = [
  ["a **b** c", "a strong(b) c"],
  ["*a* and _b_ and ~~c~~", "em(a) and em(b) and s(c)"],
  ["snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"],
  ["`a **b**`", "code_inline(a **b**)"],
  ["[docs](https://a.example/x)", "link[https://a.example/x](docs)"],
  ["see https://a.example/x. Then", "see link[https://a.example/x](https://a.example/x). Then"],
  ["![a](https://a.example/x.png)", "image[https://a.example/x.png](a)"],
  ["a\nb", "a\nb"],
  ["mcp__git__push", "mcp__git__push"],
  // Nothing but the web and mail, and never HTML.
  ["[x](javascript:alert)", "link(x)"],
  ["[x](JaVaScRiPt:alert)", "link(x)"],
  ["[x](data:text/html,hi)", "link(x)"],
  ["[x](//evil.example)", "link(x)"],
  ["[x](/workbench/settings)", "link(x)"],
  ["<b onclick='x'>a</b>", "<b onclick='x'>a</b>"],
  ["<https://a.example>", "link[https://a.example](https://a.example)"],
];

for (const [given, expected] of lines)
  test(`within a line, ${JSON.stringify(given)} is ${JSON.stringify(expected)}`, () =>
    assert.equal(inLine(given), expected));

test("parts of a text: headings, lists with lists in them, tasks, code, quotes, tables", () => {
  const text =
    '# Title\n\n- a\n  - b\n- [x] done\n- [ ] open\n\n3. three\n\n> quoted\n\n```ts\nconst a = "<b>";\n```\n\n| a | b |\n| --- | --: |\n| 1 | 2 |\n\n---\n';
  assert.equal(
    show(readMarkdown(text) ?? []),
    [
      "heading[1](Title)",
      "bullet_list(list_item(paragraph(a)bullet_list(list_item(paragraph(b))))",
      "list_item[true](paragraph(done))list_item[false](paragraph(open)))",
      "ordered_list[3](list_item(paragraph(three)))",
      "blockquote(paragraph(quoted))",
      'fence[ts](const a = "<b>";)',
      "table(thead(tr(th(a)th(b)))tbody(tr(td(1)td(2))))",
      "hr()",
    ].join(""),
  );
});

test("<script> between blocks stays text", () => {
  assert.equal(
    show(readMarkdown("<script>alert(1)</script>\n\nx") ?? []),
    "paragraph(<script>alert(1)</script>)paragraph(x)",
  );
});

test("hostile texts are nested no deeper than a page shows, and too many parts are none", () => {
  const depth = (nodes: readonly MarkdownNode[]): number =>
    nodes.length === 0 ? 0 : 1 + Math.max(...nodes.map(({ inside }) => depth(inside)));
  for (const text of [
    "> ".repeat(5_000),
    "- ".repeat(5_000),
    "**a ".repeat(5_000),
    "[".repeat(20_000),
    "![](".repeat(5_000),
  ])
    assert.ok(depth(readMarkdown(text) ?? []) < 50, text.slice(0, 8));
  assert.equal(readMarkdown("*a* ".repeat(20_000)), null);
  assert.equal(
    readMarkdown(`${"a|".repeat(2_000)}\n${"-|".repeat(2_000)}\n${"|\n".repeat(2_000)}`),
    null,
  );
});

test("plain text and data do not look like Markdown", () => {
  for (const text of ["Hello.", '{"a": 1}', "a_b_c * 2", "2026-11-17 10:00 started"])
    assert.equal(looksLikeMarkdown(text), false, text);
  for (const text of ["# A", "- a\n- b", "a **b** c", "```\nx\n```", "[a](https://b.example)"])
    assert.equal(looksLikeMarkdown(text), true, text);
});
