import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyCharacter } from "../../../test/samples/texts.ts";
import type { Environment } from "../environment.ts";
import { expandEnvironment } from "./references.ts";
import { resolveSecrets } from "./resolve-secrets.ts";

const environment = {
  USER: "ada",
  EMPTY: "",
  NESTED: "${USER}",
  _x9: "odd",
  DOLLAR: "$",
  FILE: "${file:/x}",
};

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
  ["$USER and ${1X} and ${}", "$USER and ${1X} and ${}"],
  ["$${USER} and $${", "${USER} and ${"],
  ["$$${USER}", "$ada"],
  ["${MISSING}", "${MISSING}", ["MISSING"]],
  ["${MISSING} ${USER} ${OTHER}", "${MISSING} ada ${OTHER}", ["MISSING", "OTHER"]],
  ["${constructor} ${__proto__}", "${constructor} ${__proto__}", ["constructor", "__proto__"]],
  ["${USER}:${file:token}", "ada:${file:token}"],
  ["${command:echo ${USER}}", "${command:echo ${USER}}"],
  ["${keychain:a/b}", "${keychain:a/b}"],
  ["$${file:token}", "$${file:token}"],
  ["${FILE}", "$${file:/x}"],
];

for (const [text, expanded, unset = []] of cases) {
  test(`'${text}' becomes '${expanded}'${unset.length > 0 ? ` and ${unset} is reported as unset` : ""}`, () => {
    const heard: string[] = [];
    assert.equal(
      expandEnvironment(text, environment, (name) => heard.push(name)),
      expanded,
    );
    assert.deepEqual(heard, unset);
  });
}

const inFull = async (text: string, values: Environment) =>
  resolveSecrets(
    expandEnvironment(text, values, () => assert.fail("all are set")),
    { directory: import.meta.dirname },
  );

for (const [text, values, final] of [
  ["${A}", { A: "${file:/etc/passwd}" }, "${file:/etc/passwd}"],
  ["${A}{file:/etc/passwd}", { A: "$" }, "${file:/etc/passwd}"],
  ["${A}${B}", { A: "$", B: "{command:id}" }, "${command:id}"],
  ["${A}sswd}", { A: "${file:/etc/pa" }, "${file:/etc/passwd}"],
  ["${A:-${command:id}}", {}, "${command:id}"],
  ["$${file:/etc/passwd}", {}, "${file:/etc/passwd}"],
] as const) {
  test(`'${text}' with ${JSON.stringify(values)} never becomes a reference, even when secrets are put in`, async () =>
    assert.equal(await inFull(text, values), final));
}

const tricky = fc.array(
  fc.oneof(
    fc.constantFrom("$", "{", "}", "${file:x}", "${command:", "$${", ":-", "file:"),
    anyCharacter,
  ),
  { maxLength: 8 },
);

test("a value is never expanded again, whatever it holds", async () => {
  await fc.assert(
    fc.asyncProperty(tricky, tricky, async (first, second) => {
      const A = first.join("");
      const B = second.join("");
      assert.equal(await inFull("[${A:-unset}${B}]", { A, B }), `[${A === "" ? "unset" : A}${B}]`);
    }),
    { numRuns: 500 },
  );
});

test("every text of a value is expanded, and the rest is left as it is", () => {
  const value = {
    args: ["--user", "${USER}"],
    env: { A: "${USER}", "${USER}": 1 },
    on: true,
    no: null,
  };
  const expanded = expandEnvironment(value, environment, () => assert.fail("all are set"));
  assert.deepEqual(expanded, {
    args: ["--user", "ada"],
    env: { A: "ada", "${USER}": 1 },
    on: true,
    no: null,
  });
});

test("an unset variable is reported with the place where it is used", () => {
  const heard: unknown[] = [];
  const value = { url: "${A}", env: { TOKEN: "x${B}" }, args: ["-", "${C}"] };
  expandEnvironment(value, {}, (name, path) => heard.push([name, path]));
  assert.deepEqual(heard, [
    ["A", ["url"]],
    ["B", ["env", "TOKEN"]],
    ["C", ["args", 1]],
  ]);
});

test("a key named __proto__ is just a key, with a prototype or without", () => {
  const bare: { [key: string]: unknown } = Object.create(null);
  Object.defineProperty(bare, "__proto__", { value: { polluted: "${USER}" }, enumerable: true });
  for (const value of [bare, JSON.parse('{"__proto__": {"polluted": "${USER}"}}')]) {
    const expanded = expandEnvironment(value, environment, () => assert.fail("all are set"));
    assert.equal(JSON.stringify(expanded), '{"__proto__":{"polluted":"ada"}}');
    assert.equal(Object.getPrototypeOf(expanded), Object.getPrototypeOf(value));
  }
  assert.equal(({} as { polluted?: string }).polluted, undefined);
});
