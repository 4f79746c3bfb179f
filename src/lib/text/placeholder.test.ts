import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { findPlaceholder } from "./placeholder.ts";

const placeholders = [
  "<YOUR_TOKEN>",
  "<your key>",
  "Bearer <token>",
  "Bearer YOUR_TOKEN",
  "your-api-key-here",
  "YOUR_API_KEY",
  "yourtoken",
  "https://your-site.atlassian.net",
  "postgres://<user>:<password>@db/app",
  "API_KEY_HERE",
  "paste your token here",
  "xxx",
  "sk-xxxxxxxx",
  "xxxx-xxxx-xxxx",
  "github_pat_xxxx",
  "ntn_****",
  "***",
  "...",
  "ghp_…",
  "sk-ab12...",
  "[API_KEY]",
  "{{access_token}}",
  "REPLACE_ME",
  "change-me",
  "insert-token",
  "placeholder",
  "/path/to/credentials.json",
];
for (const text of placeholders)
  test(`a placeholder: ${text}`, () => assert.notEqual(findPlaceholder(text), undefined));

const values = [
  "",
  "sk-proj-4fTgYx8xxQ2xxxB-1",
  "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
  "info",
  "my-project",
  "changelog",
  "/home/ann/notes",
  "https://yourtube.example.com/mcp",
  "{message}",
  '{"Authorization": "Bearer 1a2b3c"}',
  "[1, 2]",
  "<b>bold</b>",
  "Ann Example <ann@example.org>",
  "production,here-and-there",
  "1.2.3",
  "*",
  "a..b",
  "postgres://app:s3cret@db.example.org/app",
  "password",
];
for (const text of values)
  test(`a value: ${text}`, () => assert.equal(findPlaceholder(text), undefined));

test("no random key is taken for a placeholder", () => {
  for (const coding of ["hex", "base64", "base64url"] as const)
    for (let times = 0; times < 2000; times++) {
      const key = randomBytes(24).toString(coding);
      assert.equal(findPlaceholder(key), undefined, key);
    }
});

test("only the placeholder is given back, and not what stands beside it", () => {
  assert.equal(findPlaceholder("postgres://app:s3cret@<host>/app"), "<host>");
});
