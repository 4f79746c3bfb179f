import assert from "node:assert/strict";
import { test } from "node:test";
import { readShapesOf } from "../../../test/fixtures/configs/read-fixture.ts";
import { isObject } from "../../model/json.ts";

const server = { command: "x", require_approval: ["push"] };

function rules(data: object): unknown[] {
  const found = readShapesOf(data).settings.filter(({ path }) => path[0] === "policy");
  assert.deepEqual(
    found.map(({ path }) => path.join(".")),
    ["policy.rules"],
  );
  const [setting] = found;
  return Array.isArray(setting?.value) ? setting.value : [];
}

test("every tool that needs approval becomes a rule, all of a file in one setting", () => {
  const found = rules({ git: server, mail: { command: "y", require_approval: ["send", "drop"] } });
  assert.deepEqual(
    found.map((rule) => isObject(rule) && [rule.tool, rule.server, rule.verdict]),
    [
      ["git.push", "git", "ask"],
      ["mail.send", "mail", "ask"],
      ["mail.drop", "mail", "ask"],
    ],
  );
});

const orders: [own: string[], all: string[]][] = [
  [[], ["ask"]],
  [["deny"], ["deny", "ask"]],
  [["allow"], ["ask", "allow"]],
  [
    ["deny", "allow", "queue"],
    ["deny", "ask", "allow", "queue"],
  ],
];

for (const [own, all] of orders) {
  test(`beside rules that [${own}] the question stands as [${all}]`, () => {
    const data = { git: server, policy: { rules: own.map((verdict) => ({ tool: "*", verdict })) } };
    assert.deepEqual(
      rules(data).map((rule) => isObject(rule) && rule.verdict),
      all,
    );
    assert.equal(data.policy.rules.length, own.length);
  });
}

test("a demand for approval that cannot be read is an error", () => {
  const { problems } = readShapesOf({
    a: { command: "x", require_approval: "push" },
    b: { command: "x", require_approval: [7] },
  });
  assert.deepEqual(
    problems.map(({ path, severity }) => [path, severity]),
    [
      ["a.require_approval", "error"],
      ["b.require_approval[0]", "error"],
    ],
  );
});
