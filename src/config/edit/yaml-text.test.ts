import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { stringify } from "yaml";
import { cases } from "../../../test/fixtures/tier.ts";
import { yamlText } from "./yaml-text.ts";

const text = `# My servers
mcpServers:
    # Version control
    git:   # daily
        command:  uvx
        args: ["mcp-server-git"]



    # Notes that fill more than one line, so long that a careless printer would fold them into two or three
    notes: { url: "https://example.org/mcp" }
policy:
    profile: strict # by order
`;

test("setting a value in YAML keeps comments, indentation, quotes and order", () => {
  const more = yamlText.set(text, ["mcpServers", "new"], { command: "x", args: ["y"] });
  const entry = "    new:\n        command: x\n        args:\n            - y\n";
  assert.equal(more, text.replace("policy:", `${entry}policy:`));
});

test("removing a value from YAML takes its lines and nothing else", () => {
  const more = yamlText.set(text, ["mcpServers", "new"], { command: "x", args: ["y"] });
  assert.equal(yamlText.remove(more, ["mcpServers", "new"]), text);
  const less = yamlText.remove(text, ["mcpServers", "notes"]);
  assert.equal(less, text.replace(/ {4}notes: .*\n/, ""));
  assert.equal(yamlText.remove("a: 1\nb:\nc: 3", ["b"]), "a: 1\nc: 3");
  assert.equal(yamlText.remove(text, ["mcpServers", "x"]), null);
});

test("a key without a value takes its first entry", () => {
  assert.equal(
    yamlText.set("mcpServers:\n", ["mcpServers", "a"], { url: "u" }),
    "mcpServers:\n  a:\n    url: u\n",
  );
});

test("an empty YAML text and one of comments take their first entry", () => {
  assert.equal(yamlText.set("", ["m", "a"], 1), "m:\n  a: 1\n");
  assert.equal(yamlText.set("# mine\n", ["m", "a"], 1), "# mine\n\nm:\n  a: 1\n");
});

test("the ends of YAML lines stay, and so does a missing last one", () => {
  assert.equal(yamlText.set("m:\r\n  a: 1", ["m", "b"], 2), "m:\r\n  a: 1\r\n  b: 2");
});

test("YAML lists grow and shrink", () => {
  const list = "servers:\n- name: a\n  command: x # first\n";
  const more = yamlText.set(list, ["servers", 1], { name: "b", url: "u" });
  assert.equal(more, `${list}- name: b\n  url: u\n`);
  assert.equal(yamlText.remove(more, ["servers", 1]), list);
});

test("broken YAML has the line of the first problem", () => {
  assert.throws(() => yamlText.parse("a: 1\nb: [1\nc: }\n"), {
    line: 3,
    message: /^invalid YAML: /,
  });
  assert.throws(() => yamlText.set("m: text\n", ["m", "a"], 1), { message: "m is not a map" });
});

test("where entries share a line, the document is written again and comments stay", () => {
  const flow = "# all\nmcpServers: { a: { url: u } } # mine\n";
  const more = "# all\nmcpServers: { a: { url: u }, b: { url: v } } # mine\n";
  assert.equal(yamlText.set(flow, ["mcpServers", "b"], { url: "v" }), more);
  assert.equal(yamlText.remove(more, ["mcpServers", "b"]), flow);
  assert.match(yamlText.remove("m: # mine\n  a: 1\n", ["m", "a"]) ?? "", /^m:\s+# mine\s+\{\}\n$/);
});

const server = fc.record({
  command: fc.string(),
  args: fc.array(fc.string()),
  env: fc.dictionary(fc.string(), fc.string()),
});

test("whatever the servers: one more can be written and removed, and the text is as it was", () => {
  const property = fc.property(
    fc.dictionary(fc.string(), server, { minKeys: 1 }),
    server,
    fc.boolean(),
    (servers, entry, isCrlf) => {
      const name = "a new one";
      const printed = `# top\nmcpServers:\n${stringify(servers, { lineWidth: 0 }).replaceAll(/^/gm, "  ").trimEnd()}\n# end\n`;
      const text = isCrlf ? printed.replaceAll("\n", "\r\n") : printed;
      const more = yamlText.set(text, ["mcpServers", name], entry);
      assert.equal(
        JSON.stringify(yamlText.parse(more)),
        JSON.stringify({ mcpServers: { ...servers, [name]: entry } }),
      );
      assert.equal(yamlText.remove(more, ["mcpServers", name]), text);
    },
  );
  fc.assert(property, { numRuns: cases(200) });
});
