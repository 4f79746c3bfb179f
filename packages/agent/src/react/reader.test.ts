import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLenientJson } from "@toolplane/core/lib/json/lenient-json";
import { cases, isWholeTier } from "@toolplane/test/fixtures/tier";
import { reactOutputs } from "@toolplane/test/samples/react-outputs";
import fc from "fast-check";
import { createReactReader, parseReact, type ReactTurn } from "./reader.ts";

type Heard = { thought: string; answer: string };

function readPieces(pieces: readonly string[]): { turn: ReactTurn; heard: Heard } {
  const heard = { thought: "", answer: "" };
  const reader = createReactReader((type, text) => {
    assert.notEqual(text, "");
    heard[type] += text;
  });
  for (const piece of pieces) reader.push(piece);
  return { turn: reader.end(), heard };
}

/** Cut at these places, which may be anywhere. */
function cut(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort(
    (a, b) => a - b,
  );
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

for (const { title, text, thought, action, answer, problem } of reactOutputs) {
  test(`of what models write, it understands ${title}`, () => {
    const turn = parseReact(text);
    assert.equal(turn.thought, thought ?? "");
    assert.equal(turn.answer, answer ?? null);
    assert.equal(turn.action?.name, action?.[0]);
    if (action)
      assert.deepEqual(
        JSON.parse(parseLenientJson(turn.action?.arguments ?? "").text ?? ""),
        action[1],
      );
    if (problem) assert.match(turn.problem ?? "", problem);
    else assert.equal(turn.problem, null);
  });

  test(`read one character at a time it is the same: ${title}`, () => {
    const { turn, heard } = readPieces([...text]);
    assert.deepEqual(turn, parseReact(text));
    assert.deepEqual(heard, { thought: turn.thought, answer: turn.answer ?? "" });
  });
}

const ticks = "```";
const fragment = fc.oneof(
  fc.constantFrom(
    "Thought:",
    "Action:",
    "Args:",
    "Final Answer:",
    "Observation:",
    "Action Input:",
    "**Action:**",
    "**Final Answer: ",
    "*Thought: ",
    "__",
    "1. Thought:",
    "2) ",
    "## Action\n",
    "\n",
    "\n\n",
    "\r\n",
    " ",
    "\t",
    "          ",
    "*",
    "**",
    "#",
    "_",
    "1",
    ":",
    "：",
    "json",
    ticks,
    `${ticks}json\n`,
    `\n${ticks}\n`,
    "`",
    "{",
    "}",
    '"',
    "\\",
    '{"a": "}"}',
    "{}",
    "[",
    "None",
    "<think>",
    "</think>",
    "<thi",
    "search",
    "Final",
    "Action",
    "thoughts",
    "雨",
    "😀",
  ),
  fc.string({ maxLength: 6 }),
);
const anything = fc.array(fragment, { maxLength: 24 }).map((parts) => parts.join(""));
const known = fc.constantFrom(...reactOutputs.map(({ text }) => text));
const places = fc.array(fc.nat(400), { maxLength: 12 });

test("however a text is cut into pieces, it means the same, and all that is emitted is what it means", () => {
  fc.assert(
    fc.property(fc.oneof(anything, known), places, (text, where) => {
      const whole = parseReact(text);
      const { turn, heard } = readPieces(cut(text, where));
      assert.deepEqual(turn, whole);
      assert.deepEqual(heard, { thought: whole.thought, answer: whole.answer ?? "" });
      assert.deepEqual(readPieces(text.split("")).turn, whole);
    }),
    { numRuns: cases(4_000) },
  );
});

test("every text means exactly one of an action, an answer and a problem", () => {
  fc.assert(
    fc.property(anything, (text) => {
      const { action, answer, problem } = parseReact(text);
      assert.equal([action, answer, problem].filter((one) => one !== null).length, 1);
      if (action) assert.ok(JSON.parse(action.arguments));
    }),
    { numRuns: cases(2_000) },
  );
});

const plain = fc
  .array(fc.stringMatching(/^[a-z][a-z {}"'.:]{0,20}[a-z]$/), { minLength: 1, maxLength: 4 })
  .map((lines) => lines.map((line) => `x${line}`).join("\n"));
const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true });

test("what is written by the rules is read as it was meant", () => {
  fc.assert(
    fc.property(
      plain,
      fc.stringMatching(/^[a-z][a-z0-9_-]{0,20}[a-z]$/),
      object,
      places,
      (thought, name, args, where) => {
        fc.pre(!/^(none|null)$/.test(name));
        const text = `Thought: ${thought}\nAction: ${name}\nArgs: ${JSON.stringify(args, null, 2)}\nObservation: no`;
        const { turn } = readPieces(cut(text, where));
        assert.deepEqual(
          {
            ...turn,
            action: { ...turn.action, arguments: JSON.parse(turn.action?.arguments ?? "null") },
          },
          {
            thought,
            action: { name, arguments: JSON.parse(JSON.stringify(args)) },
            answer: null,
            problem: null,
          },
        );
        assert.equal(parseReact(`Thought: ${thought}\nFinal Answer: ${thought}`).answer, thought);
      },
    ),
    { numRuns: cases(1_000) },
  );
});

test("a text is emitted while it comes, except where it could become something else", () => {
  const heard: string[] = [];
  const reader = createReactReader((type, text) => heard.push(`${type} ${text}`));
  for (const piece of [
    "Thought: I lo",
    "ok",
    " it up.",
    "\nAct",
    "ually no",
    "\nFinal",
    " Answer: 4",
    "2 ",
  ]) {
    reader.push(piece);
  }
  assert.deepEqual(heard, [
    "thought I lo",
    "thought ok",
    "thought  it up.",
    "thought \nActually no",
    "answer 4",
    "answer 2",
  ]);
});

/** With work that grows with the square of a text, a megabyte would not come to an end while anybody waits. */
const many = isWholeTier ? 1 << 20 : 1 << 15;
const long: Record<string, string> = {
  "blank lines behind an action": `Action:${"\n".repeat(many)}x`,
  blanks: " ".repeat(many),
  "tags and blanks": `<think>${"<".repeat(many)}`,
  "open braces": `Action: x\nArgs: y${"{".repeat(many)}`,
  "nested braces": `Action: x\nArgs: ${"{".repeat(many)}`,
  "escaped quotes": `Action: x\nArgs: {"a": "${'\\"'.repeat(many / 2)}`,
  "line breaks in a text": `Action: x\nArgs: {"a": "${"\n".repeat(many)}"}`,
  fences: `Final Answer: ${"```\n".repeat(many / 4)}`,
  labels: "Thought: a\n".repeat(many / 11),
  asterisks: "*".repeat(many),
  "asterisks in a bold answer": `**Final Answer: a${"*".repeat(many)}`,
  "spaces in a name": `Action: a${" ".repeat(many)}{}`,
};

for (const [what, text] of Object.entries(long)) {
  test(`a long text of ${what} comes to an end, whole and in small pieces`, () => {
    const whole = parseReact(text);
    const pieces = Array.from({ length: Math.ceil(text.length / 3) }, (_, at) =>
      text.slice(at * 3, at * 3 + 3),
    );
    assert.deepEqual(readPieces(pieces).turn, whole);
  });
}
