import assert from "node:assert/strict";
import { test } from "node:test";
import { anyCharacter } from "@toolplane/test/samples/texts";
import fc from "fast-check";
import { eachWord, joinWords, wordsOf } from "./words.ts";

function joinedOf(text: string): string[] {
  const joined: string[] = [];
  eachWord(text, (word, isJoined) => {
    if (isJoined) joined.push(word);
  });
  return joined;
}

test("names are split at case, digits and separators", () => {
  const cases: [string, string[]][] = [
    ["read_file", ["read", "file"]],
    ["readFile", ["read", "file"]],
    ["ReadFile", ["read", "file"]],
    ["HTTPServerError", ["http", "server", "error"]],
    ["get-weather.by/city", ["get", "weather", "city"]],
    ["h264Video", ["264", "video"]],
    ["top10_list2", ["top", "10", "list", "2"]],
    ["__init__", ["init"]],
    ["a", []],
    ["", []],
  ];
  for (const [text, words] of cases) assert.deepEqual(wordsOf(text), words, text);
});

test("a name of several words is also found written as one", () => {
  assert.deepEqual(joinedOf("GitHub and YouTube, read_file; s3 2024-11-15"), [
    "github",
    "youtube",
    "readfile",
    "s3",
  ]);
  assert.equal(joinWords("mcp__Git-Hub__read.file"), "mcpgithubreadfile");
});

test("function words are left out, whatever their case", () => {
  assert.deepEqual(wordsOf("Please show me ALL of the Files"), ["files"]);
});

test("Chinese, Japanese and Korean are found by every two characters", () => {
  assert.deepEqual(wordsOf("使用必应搜索"), ["使用", "用必", "必应", "应搜", "搜索"]);
  assert.deepEqual(wordsOf("12306火车票"), ["12306", "火车", "车票"]);
  assert.deepEqual(wordsOf("書"), ["書"]);
  assert.deepEqual(wordsOf("날씨"), ["날씨"]);
});

test("other ways of writing a letter are the same letter, and what is no letter is nothing", () => {
  assert.deepEqual(wordsOf("ｒｅａｄ Ｆｉｌｅ"), ["read", "file"]);
  assert.deepEqual(wordsOf("Café RÉSUMÉ"), ["cafe", "resume"]);
  assert.deepEqual(wordsOf("ﬁnd 🔍 the 👩‍💻 file ✨"), ["find", "file"]);
  assert.deepEqual(wordsOf("Погода Москва"), ["погода", "москва"]);
  assert.deepEqual(wordsOf("が"), ["が"]);
});

test("no text at all is too odd to be read", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      for (const word of wordsOf(text)) assert.ok(word.length > 0 && word.length <= 40);
    }),
  );
});
