import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../../test/fixtures/tier.ts";
import { growthOf, maxGrowth } from "../../../test/samples/growth.ts";
import { anyCharacter } from "../../../test/samples/texts.ts";
import { repairTruncatedJson } from "./repair-json.ts";

const examples: [text: string, repaired: unknown][] = [
  ['{"a": 1', { a: 1 }],
  ['{"a": [1, {"b": "c', { a: [1, { b: "c" }] }],
  ['{"a": 1,', { a: 1 }],
  ['{"a": 1, "b', { a: 1 }],
  ['{"a": 1, "b":', { a: 1 }],
  ['{"a": 1, "b": tr', { a: 1 }],
  ['{"a": "x\\', { a: "x" }],
  ['{"a": "quote \\" and { [', { a: 'quote " and { [' }],
  ['{"a": "first\\nsecond', { a: "first\nsecond" }],
  ['"a": 1}', { a: 1 }],
  ['"a": 1', { a: 1 }],
];

for (const [text, expected] of examples) {
  test(`${text} is completed`, () => assert.deepEqual(repairTruncatedJson(text)?.value, expected));
}

test("only where brackets alone were cut off nothing was guessed", () => {
  const sure = ['{"a": "b"', '{"a": [1, {"b": true', '{"a": [1]', '"a": "b"'];
  const guessed = [
    '{"a": "b',
    '{"a": 1',
    '{"a": "b",',
    '{"a": "b", "c',
    '{"a": "b", "c":',
    '{"a": [1, tr',
    '{"a": "b\\\\',
  ];
  for (const text of sure) assert.equal(repairTruncatedJson(text)?.isGuess, false, text);
  for (const text of guessed) assert.equal(repairTruncatedJson(text)?.isGuess, true, text);
});

const hopeless = [
  "hello",
  "nul",
  "-",
  '"just text',
  "please say hi",
  '{"a" 1}',
  "{a: 1}",
  '{"a": 1} more',
  '{"a": 1}}',
  "[1, 2",
  "{hello",
  "{{",
];

for (const text of hopeless) {
  test(`${text} is not taken for an object that was cut off`, () => {
    assert.equal(repairTruncatedJson(text), undefined);
  });
}

/** Is `cut` what remains of `whole` when its text ends early? */
function isBeginningOf(cut: unknown, whole: unknown): boolean {
  if (typeof cut === "string") return typeof whole === "string" && whole.startsWith(cut);
  if (typeof cut === "number") return typeof whole === "number";
  if (typeof cut !== "object" || cut === null) return cut === whole;
  if (typeof whole !== "object" || whole === null || Array.isArray(cut) !== Array.isArray(whole))
    return false;
  const wholeEntries = Object.entries(whole);
  const cutEntries = Object.entries(cut);
  return cutEntries.every(([key, value]) => {
    const found = wholeEntries.find(([other]) => other === key);
    return found !== undefined && isBeginningOf(value, found[1]);
  });
}

const objects = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue({ maxDepth: 3 }), {
  maxKeys: 4,
});

test("an object cut at any point is repaired to its beginning or not at all", () => {
  fc.assert(
    fc.property(objects, fc.nat(), fc.constantFrom(undefined, 2), (value, place, indent) => {
      const whole = JSON.stringify(value, null, indent);
      const text = whole.slice(0, place % whole.length);
      const repaired = repairTruncatedJson(text)?.value;
      if (repaired === undefined) return;
      assert.ok(typeof repaired === "object" && repaired !== null && !Array.isArray(repaired));
      assert.ok(
        isBeginningOf(repaired, JSON.parse(whole)),
        `${text} became ${JSON.stringify(repaired)}`,
      );
    }),
    { numRuns: cases(1000) },
  );
});

test("an object that only lost its last braces is always repaired whole", () => {
  fc.assert(
    fc.property(objects, (value) => {
      const whole = JSON.stringify({ last: value });
      for (const lost of [1, 2]) {
        assert.deepEqual(repairTruncatedJson(whole.slice(0, -lost))?.value, JSON.parse(whole));
      }
    }),
  );
});

test("any text at all gives an object or nothing, and never throws", () => {
  const noise = fc.string({ unit: fc.constantFrom(...'{}[]",:\\ tru1e-.\n😀') });
  fc.assert(
    fc.property(noise, (text) => {
      const repaired = repairTruncatedJson(text)?.value;
      if (repaired === undefined) return;
      assert.ok(typeof repaired === "object" && repaired !== null && !Array.isArray(repaired));
    }),
    { numRuns: cases(1000) },
  );
});

for (const [what, filler] of [
  ["a long word", "A"],
  ["a long gap", " "],
  ["many commas", ","],
] as const) {
  test(`${what} in a broken text does not hold up the process`, () => {
    const growth = growthOf(
      (size) => assert.equal(repairTruncatedJson(`{"a": "b" ${filler.repeat(size)} !`), undefined),
      5_000,
    );
    assert.ok(growth < maxGrowth, `eight times as much took ${growth} times as long`);
  });
}
