// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of the configuration
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../test/samples/texts.ts";
import { expandAll, expandText } from "./expand.ts";

const environment = { USER: "ada", EMPTY: "", NESTED: "${USER}", _x9: "odd" };

const cases: [text: string, expanded: string, unset?: string[]][] = [
  ["plain", "plain"],
  ["${USER}", "ada"],
  ["prefix-${USER}-suffix", "prefix-ada-suffix"],
  ["${USER}${_x9}", "adaodd"],
  ["${MISSING:-fallback}", "fallback"],
  ["${MISSING:-}", ""],
  ["${USER:-fallback}", "ada"],
  ["${EMPTY}", ""],
  ["${EMPTY:-fallback}", "fallback"],
  ["${NESTED}", "${USER}"],
  ["$USER and ${1X} and ${} and $${", "$USER and ${1X} and ${} and $${"],
  ["${MISSING}", "${MISSING}", ["MISSING"]],
  ["${MISSING} ${USER} ${OTHER}", "${MISSING} ada ${OTHER}", ["MISSING", "OTHER"]],
];

for (const [text, expanded, unset = []] of cases) {
  test(`'${text}' becomes '${expanded}'${unset.length > 0 ? ` and ${unset} is told to be unset` : ""}`, () => {
    const heard: string[] = [];
    assert.equal(
      expandText(text, environment, (name) => heard.push(name)),
      expanded,
    );
    assert.deepEqual(heard, unset);
  });
}

test("a value is never expanded again, whatever it holds", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (value) => {
      const text = expandText("[${VALUE:-unset}]", { VALUE: value }, () => assert.fail("it is set"));
      assert.equal(text, `[${value === "" ? "unset" : value}]`);
    }),
  );
});

test("every string of a value is expanded, and the rest is left as it is", () => {
  const value = { args: ["--user", "${USER}"], env: { A: "${USER}", "${USER}": 1 }, on: true, no: null };
  const expanded = expandAll(value, environment, () => assert.fail("all are set"));
  assert.deepEqual(expanded, {
    args: ["--user", "ada"],
    env: { A: "ada", "${USER}": 1 },
    on: true,
    no: null,
  });
});

test("an unset variable is told with the place where it is used", () => {
  const heard: [string, string][] = [];
  const value = { url: "${A}", env: { TOKEN: "x${B}" }, args: ["-", "${C}"] };
  expandAll(value, {}, (name, path) => heard.push([name, String(path)]));
  assert.deepEqual(
    heard.map(([name]) => name),
    ["A", "B", "C"],
  );
  assert.match(heard[1]?.[1] ?? "", /env.TOKEN/);
  assert.match(heard[2]?.[1] ?? "", /args\W1/);
});
