import assert from "node:assert/strict";
import { test } from "node:test";
import { stemOf, stemWord } from "./stem.ts";

test("forms of a word have one stem", () => {
  const cases: [string, string][] = [
    ["caresses", "caress"],
    ["ponies", "poni"],
    ["cats", "cat"],
    ["agreed", "agre"],
    ["feed", "feed"],
    ["plastered", "plaster"],
    ["sing", "sing"],
    ["conflated", "conflat"],
    ["hopping", "hop"],
    ["falling", "fall"],
    ["filing", "file"],
    ["happy", "happi"],
    ["sky", "sky"],
    ["relational", "relat"],
    ["generalizations", "gener"],
    ["adoption", "adopt"],
    ["electricity", "electr"],
    ["controlling", "control"],
    ["rate", "rate"],
  ];
  for (const [word, stem] of cases) assert.equal(stemWord(word), stem, word);
  for (const word of ["search", "searches", "searched", "searching"])
    assert.equal(stemOf(word), "search");
});

test("what is no English word stays as it is", () => {
  for (const word of ["db", "s3", "naïve", "搜索", "2024"]) assert.equal(stemWord(word), word);
});

test("words in Cyrillic letters have one stem in all cases", () => {
  const cases = [
    ["погода", "погоды", "погоде", "погоду"],
    ["город", "города", "городе", "городов", "городам"],
    ["сообщение", "сообщения", "сообщению", "сообщениями"],
    ["пользователь", "пользователю", "пользователеи"],
    ["отправить", "отправь"],
    ["календарь", "календаря"],
    ["файл", "файла", "файлы", "файлов"],
  ];
  for (const words of cases)
    assert.equal(new Set(words.map(stemOf)).size, 1, words.map(stemOf).join());
  assert.deepEqual(["год", "имя"].map(stemWord), ["год", "имя"]);
});
