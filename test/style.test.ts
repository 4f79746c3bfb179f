import assert from "node:assert/strict";
import { test } from "node:test";
import { countIn, measureStyle, type Rates, readAllowed } from "../scripts/style.ts";

/** Of a room that is new. */
const usual: Rates = { vague: 12, ternaries: 27, long: 10, bindings: 23 };

test("the counter sees what it counts", () => {
  const long = "x".repeat(101);
  assert.deepEqual(
    countIn(`const one = isBig ? 1 : 2;\ndays.map(({ at: startedAt }) => startedAt);\n${long}`),
    { bindings: 2, vague: 1, ternaries: 1, long: 1, lines: 3 },
  );
});

for (const [room, rates] of Object.entries(measureStyle()))
  test(`the lines of ${room} read no worse than before`, () => {
    const most = readAllowed()[room] ?? usual;
    const names = Object.keys(rates) as (keyof Rates)[];
    assert.deepEqual(
      names.filter((name) => rates[name] > most[name]).map((name) => `${name} ${rates[name]}`),
      [],
      `at most ${JSON.stringify(most)}; 'npm run style' writes lower figures`,
    );
  });
