import assert from "node:assert/strict";
import { test } from "node:test";
import { tomlText } from "./edit-file.ts";

const path = ["mcp_servers", "ours"];
const entry = { command: "toolplane", args: ["mcp"] };
const block = '[mcp_servers.ours]\ncommand = "toolplane"\nargs = [ "mcp" ]\n';

const texts: [title: string, text: string][] = [
  ["an empty file", ""],
  ["single keys", 'model = "gpt-5" # best\n'],
  [
    "other tables",
    '[mcp_servers.git]\ncommand = "uvx"\n\n# more\n[mcp_servers.git.env]\nA = "1"\n',
  ],
  ["Windows ends of lines", "[a]\r\nb = 1\r\n"],
  ["a text that looks like our table", "note = '''\n[mcp_servers.ours]\n'''\n"],
];

for (const [title, text] of texts) {
  test(`a table can be added to ${title} and removed again`, () => {
    const more = tomlText.set(text, path, entry);
    assert.ok(more.startsWith(text));
    assert.equal(more.slice(text.length).replaceAll("\r", "").trimStart(), block);
    assert.equal(tomlText.remove(more, path), text);
    assert.equal(tomlText.set(more, path, entry), more);
  });
}

test("a last line without an end gets one", () => {
  assert.equal(tomlText.set("a = 1", path, entry), `a = 1\n\n${block}`);
});

test("a table goes with the tables below it, wherever they stand, and nothing else goes", () => {
  const text = `a = [
  [1, 2],
  ["]"],
]
${block}# why
[mcp_servers."ours".env]
A = """
[x]
"""

# the next one
[other] # "quoted
b = 'c'
[mcp_servers.ours.more]
[mcp_servers.ours-too]
command = "x"
`;
  assert.equal(
    tomlText.remove(text, path),
    `a = [
  [1, 2],
  ["]"],
]
# why

# the next one
[other] # "quoted
b = 'c'
[mcp_servers.ours-too]
command = "x"
`,
  );
});

test("tables in a form that cannot be cut out of the text are refused", () => {
  const inline = 'mcp_servers = { ours = { command = "x" } }\n';
  for (const edit of [
    () => tomlText.set(inline, path, entry),
    () => tomlText.remove(inline, path),
  ]) {
    assert.throws(edit, { message: /write it as a table \[mcp_servers\.ours\]/ });
  }
  assert.equal(tomlText.remove("a = 1\n", path), null);
});

test("broken TOML has its line", () => {
  assert.throws(() => tomlText.parse("a = 1\nb = \n"), { line: 2, message: /^invalid TOML: \w/ });
});
