import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutCommands } from "./page-words.ts";

test("advice for a terminal is left out, and what is said beside it stays", () => {
  const cases: [string, string][] = [
    ["No tool 'x'. 'toolplane tools list' lists them.", "No tool 'x'."],
    ["No run 'x' found. List them: toolplane calls runs", "No run 'x' found."],
    [
      "No call 'x' of yours is recorded. 'calls' lists those that are.",
      "No call 'x' of yours is recorded.",
    ],
    [
      "'x' was not added: it exited. To write it anyway, add --force.",
      "'x' was not added: it exited.",
    ],
    ["'x' needs key. Say it with --set key=….", "'x' needs key."],
    [
      "The server 'x' lists no tools. Check 'command'.",
      "The server 'x' lists no tools. Check 'command'.",
    ],
    // Better than nothing.
    ["Run 'toolplane trust'.", "Run 'toolplane trust'."],
  ];
  for (const [message, shown] of cases) assert.equal(withoutCommands(message), shown);
});
