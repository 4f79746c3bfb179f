import assert from "node:assert/strict";
import { test } from "node:test";
import { Compliance } from "../../model/access/compliance.ts";
import { createComplianceCheck } from "./grant.ts";

const levels = ["Public", "External", "Internal", "SOC2", "HIPAA", "FedRAMP"];
/** Written down once more, by what a caller at the level may use. */
const allowed: Record<string, string[]> = {
  Public: ["Public"],
  External: ["External"],
  Internal: ["Internal"],
  SOC2: ["SOC2"],
  HIPAA: ["HIPAA", "SOC2"],
  FedRAMP: ["FedRAMP", "SOC2"],
};

for (const from of levels) {
  test(`the shipped levels let ${from} use ${allowed[from]?.join(" and ")} and nothing else`, () => {
    const check = createComplianceCheck("default");
    const may = levels.filter((to) => check(from, to) === null);
    assert.deepEqual(may.sort(), [...(allowed[from] ?? [])].sort());
  });
}

test("a level goes by its aliases, in any case and with blanks around it", () => {
  const check = createComplianceCheck("default");
  for (const name of ["SOC2", "soc-2", "SOC 2", " soc2 "])
    assert.equal(check("HIPAA", name), null, name);
  assert.notEqual(check("soc-2", "hipaa"), null);
});

test("who has no level and what has none are kept from nothing", () => {
  const all: Compliance[] = ["default", { levels: [], unknown: "strict" }, null];
  for (const settings of all) {
    const check = createComplianceCheck(settings);
    assert.deepEqual(
      [check(null, "HIPAA"), check("HIPAA", null), check(null, null)],
      [null, null, null],
    );
  }
});

test("an unknown level is let through, or refused where that is wanted", () => {
  assert.equal(createComplianceCheck("default")("HIPAA", "Secret"), null);
  const strict = createComplianceCheck({
    levels: [{ name: "A", description: "", aliases: [], allowed_with: ["A"] }],
    unknown: "strict",
  });
  assert.match(strict("A", "Secret") ?? "", /the compliance level 'Secret' is unknown/);
  assert.match(strict("Secret", "A") ?? "", /'Secret'/);
  assert.match(strict("Secret", "Secret") ?? "", /'Secret'/);
  assert.equal(strict("A", "A"), null);
});

test("without levels no caller is refused", () => {
  assert.equal(createComplianceCheck(null)("HIPAA", "Public"), null);
});

const wrong: [title: string, given: unknown][] = [
  ["two levels of one name", { levels: [{ name: "A" }, { name: "a" }] }],
  ["an alias that is another level", { levels: [{ name: "A" }, { name: "B", aliases: ["A"] }] }],
  ["an unlisted level in allowed_with", { levels: [{ name: "A", allowed_with: ["B"] }] }],
  ["a word that is not default", "strict"],
  ["a misspelt key", { level: [] }],
];
for (const [title, given] of wrong) {
  test(`${title} is no setting of levels`, () => assert.throws(() => Compliance.parse(given)));
}
