import assert from "node:assert/strict";
import { test } from "node:test";
import { looksSecret } from "./redact.ts";

test("names that hold secrets are known by their words, not by their letters", () => {
  const secret = [
    "API_KEY",
    "apiKey",
    "X-API-Key",
    "GITHUB_TOKEN",
    "--token",
    "DB_PASSWORD",
    "PAT",
  ];
  const open = ["MONKEY", "KEYBOARD", "TOKENIZER", "PATH", "AUTHOR", "LOG_LEVEL"];
  assert.deepEqual(
    [...secret, "Authorization", "Cookie"].filter((name) => !looksSecret(name)),
    [],
  );
  assert.deepEqual(open.filter(looksSecret), []);
});
