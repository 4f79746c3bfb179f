import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import fc from "fast-check";
import { isWholeTier } from "../../../test/fixtures/tier.ts";
import { growthOf, maxGrowth } from "../../../test/samples/growth.ts";
import { readShell } from "./shell.ts";

const wordsOf = (text: string) =>
  readShell(text).map(({ words }) => words.map((word) => word.text));

const cases: [what: string, text: string, words: string[][]][] = [
  [
    "words and lines",
    "a b\n\n c\td ",
    [
      ["a", "b"],
      ["c", "d"],
    ],
  ],
  ["single quotes", "a 'b  $c \"\\'", [["a", 'b  $c "\\']]],
  ["double quotes", 'a "b \\"c\\" \\$d \\e"', [["a", 'b "c" $d \\e']]],
  ["quotes next to each other", `a b'c'"d"\\ e`, [["a", "bcd e"]]],
  ["an apostrophe in the usual spelling", "'it'\\''s'", [["it's"]]],
  ["a quoted line break", "a 'b\nc'", [["a", "b\nc"]]],
  ["a line that goes on", "a \\\n  b\\\nc", [["a", "bc"]]],
  ["comments", "# a\nb # c 'd\ne#f '#g'", [["b"], ["e#f", "#g"]]],
  ["several commands in a line", "a; b && c;", [["a"], ["b"], ["c"]]],
  ["escapes in $'…'", "a $'b\\n\\tc\\'d'", [["a", "b\n\tc'd"]]],
  ["an empty word", "a '' \"\"", [["a", "", ""]]],
  ["a dollar that stands for itself", 'a $ "b$" c$', [["a", "$", "b$", "c$"]]],
];

for (const [what, text, words] of cases) {
  test(`${what} are read as a shell reads them`, () => {
    assert.deepEqual(wordsOf(text), words);
    assert.ok(
      readShell(text).every(
        ({ problem, words: read }) => problem === null && read.every(({ doubt }) => doubt === null),
      ),
    );
  });
}

test("a command and its words know their lines", () => {
  const [first, second, third] = readShell("a \\\n b 'c\n\nd' e\n\n# x\nf; g\nh");
  assert.deepEqual([first?.line, first?.words.map(({ line }) => line)], [1, [1, 2, 2, 4]]);
  assert.deepEqual([second?.line, third?.line], [7, 7]);
});

const doubts: [text: string, about: RegExp][] = [
  ["a $b", /'\$b'/],
  ["a ${b:-c d}", /'\$\{…\}'/],
  ["a $(b ')' c)", /'\$\(…\)'/],
  ["a `b c`", /'`…`'/],
  ['a "x $b"', /'\$b'/],
  ['a "$(b)"', /'\$\(…\)'/],
  ["a *.txt", /names of files/],
  ["a b?", /names of files/],
  ["a [b]", /names of files/],
  ["a {b,c}", /several words/],
  ["a ~/b", /directory/],
  ["a b=~/c", /directory/],
  ["a $'\\x41'", /escape '\\x'/],
];

for (const [text, about] of doubts) {
  test(`${text} is a word that is unknown before it runs`, () => {
    const [command] = readShell(text);
    assert.equal(command?.problem, null);
    assert.match(command?.words.find(({ doubt }) => doubt !== null)?.doubt ?? "", about);
  });
}

const problems: [text: string, about: RegExp][] = [
  ["a | b", /pipe/],
  ["a || b", /alternative/],
  ["a &", /background/],
  ["a > b", /redirection/],
  ["a < b", /redirection/],
  ["(a)", /subshell/],
  ["f() { a; }", /function/],
  ["a 'b", /quote that begins in line 1/],
  ['a "b', /never closed/],
  ["a $'b", /never closed/],
  ['a "$(b', /never closed/],
  ["a <<END\nb\nEND", /here-document/],
  ["; a", /without a command before/],
  ["&& a", /without a command before/],
];

for (const [text, about] of problems) {
  test(`${JSON.stringify(text)} is more than a command`, () => {
    assert.match(readShell(text)[0]?.problem ?? "", about);
  });
}

test("a command has to follow '&&', on the same line or a later one", () => {
  assert.match(readShell("a &&\n# b\n").at(-1)?.problem ?? "", /without a command after/);
  assert.deepEqual(wordsOf("a &&\n\nb"), [["a"], ["b"]]);
});

test("the lines of a here-document are no commands, and what follows them is", () => {
  const commands = readShell("a <<'END'\nrm -rf /\nEND\nb");
  assert.deepEqual(
    commands.map(({ line, words }) => [line, words.map(({ text }) => text)]),
    [
      [1, ["a"]],
      [4, ["b"]],
    ],
  );
});

test("what is read without a doubt is what bash makes of it", () => {
  const piece = fc.constantFrom(
    "'",
    '"',
    "\\",
    "\n",
    " ",
    "$",
    "`",
    "#",
    ";",
    "=",
    "a",
    "b",
    "é",
    "{}",
    "!",
    "-",
    "$'",
  );
  const texts = fc.sample(
    fc.array(piece, { maxLength: 14 }).map((pieces) => `f ${pieces.join("")}`),
    { numRuns: isWholeTier ? 3_000 : 300, seed: 8 },
  );
  const plain = texts.filter((text) => {
    if (text.endsWith("\\")) return false;
    const commands = readShell(text);
    return commands.every(
      ({ problem, words }) =>
        problem === null && words[0]?.text === "f" && words.every(({ doubt }) => doubt === null),
    );
  });
  assert.ok(plain.length > texts.length / 10, `only ${plain.length} of them were plain`);
  const script = `f() { printf '%s\\1' "$@"; printf '\\2'; }\n${plain.map((text) => `${text}\nprintf '\\3'\n`).join("")}`;
  const said = execFileSync("bash", ["--norc"], { input: script, encoding: "utf8" })
    .split("\u0003")
    .slice(0, -1);
  const read = plain.map((text) =>
    readShell(text)
      .map(
        ({ words }) =>
          `${
            words
              .slice(1)
              .map((word) => `${word.text}\u0001`)
              .join("") || "\u0001"
          }\u0002`,
      )
      .join(""),
  );
  assert.deepEqual(read, said);
});

for (const piece of ["'", '"', "$(", "`", "<<a ", "~", "a~", "\\\n", "${", "[", "<<a\n"]) {
  test(`many of ${JSON.stringify(piece)} take no longer each than a few`, () => {
    assert.ok(growthOf((size) => readShell(`a ${piece.repeat(size)}`), 5_000) < maxGrowth);
  });
}
