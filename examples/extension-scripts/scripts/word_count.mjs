#!/usr/bin/env node
// tool: word_count
// description: Counts the words of a text.
// side-effects: none
// parameter: text string required The text.
import { json } from "node:stream/consumers";

const { text } = await json(process.stdin);
console.log(JSON.stringify({ words: text.split(/\s+/).filter(Boolean).length }));
