import assert from "node:assert/strict";
import { test } from "node:test";
import { stemOf } from "./stem.ts";
import { createDictionary, createTermReader, exactTerm } from "./term-reader.ts";
import { eachWord } from "./words.ts";

const texts = [
  "Reads a file, reads THE file again: readFile read_file -read-file_ HTTPServer2Go",
  "",
  "x 7 a_b __ - 2024-05-01",
  "Café lit le fichier read_file",
  "读取文件 read_file 文件",
  "Чтение файлов, ﬁle １２",
];

test("terms are those of each word in turn, at the first and at the second reading", () => {
  const dictionary = createDictionary();
  const reader = createTermReader(dictionary);
  for (const text of [...texts, ...texts]) {
    let count = 0;
    const terms: number[] = [];
    const read = [...reader.read(text)];
    eachWord(text, (word, isJoined) => {
      if (!isJoined) count += 1;
      terms.push(dictionary.add(stemOf(word)), dictionary.add(exactTerm(word)));
    });
    assert.deepEqual(read, [count, ...terms], text);
  }
});
