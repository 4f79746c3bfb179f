import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { argumentCases } from "../../test/fixtures/argument-cases.ts";
import { parseArguments } from "./validate.ts";

for (const { title, input, expected } of argumentCases) {
  const verb =
    expected === "error" ? "are refused" : expected.repaired ? "are repaired" : "are taken";
  test(`arguments given as ${title} ${verb}`, () => {
    if (expected !== "error") return assert.deepEqual(parseArguments(input, "echo"), expected);
    assert.throws(() => parseArguments(input, "echo"), {
      code: "INVALID_ARGUMENTS",
      message: /'echo'/,
    });
  });
}

for (const word of ["hello", "None", "undefined", "True", "-", '"text', '{"a": 1} rest']) {
  test(`'${word}' is refused instead of running as something else`, () => {
    assert.throws(() => parseArguments(word, "echo"), { code: "INVALID_ARGUMENTS" });
  });
}

test("complete JSON is never repaired", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.constantFrom("", " ", "\n"),
      (value, space) => {
        const text = space + JSON.stringify(value) + space;
        assert.deepEqual(parseArguments(text, "echo"), {
          arguments: JSON.parse(text),
          repaired: false,
        });
      },
    ),
  );
});

test("a refusal does not repeat what was given, because errors are recorded", () => {
  for (const given of [
    "hunter2 is my password",
    '{"password": hunter2}',
    '{"password": "hunter2" "',
  ]) {
    assert.throws(
      () => parseArguments(given, "login"),
      ({ message }: Error) => !message.includes("hunter2"),
      given,
    );
  }
});

test("a refusal says what was given instead of an object", () => {
  assert.throws(() => parseArguments([1], "echo"), { message: /not a list/ });
  assert.throws(() => parseArguments("42", "echo"), { message: /not a number/ });
});

test("a refusal says where the JSON is broken", () => {
  assert.throws(() => parseArguments('{"a": 1 "b": 2}', "echo"), {
    message:
      "The arguments of 'echo' are not valid JSON: they break at position 8 (line 1, column 9).",
  });
  assert.throws(() => parseArguments('{"a":', "echo"), { message: /they end too early\.$/ });
});

test("more names than any tool declares are refused before each is looked at", () => {
  const names = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`name${at}`, 1]));
  for (const given of [names, JSON.stringify(names)])
    assert.throws(() => parseArguments(given, "echo"), {
      message: /have 10001 names, and a call takes 10000 at most/,
    });
});
