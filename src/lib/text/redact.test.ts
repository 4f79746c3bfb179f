import assert from "node:assert/strict";
import { test } from "node:test";
import { redact } from "./redact.ts";

const secrets: [title: string, text: string, secret: string][] = [
  ["an API key by its prefix", "using sk-proj-abcdEFGH12345678 now", "abcdEFGH12345678"],
  ["a GitHub token", "remote: ghp_abcdefghijklmnop1234 rejected", "abcdefghijklmnop1234"],
  ["a fine-grained GitHub token", "github_pat_11ABCDEFG0abcdefgh", "11ABCDEFG0abcdefgh"],
  ["a Slack token", "xoxb-1234567890-abcdef", "1234567890-abcdef"],
  ["an AWS key id", "AKIAIOSFODNN7EXAMPLE", "IOSFODNN7EXAMPLE"],
  ["a JSON web token", "got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "eyJzdWIiOiIxIn0"],
  ["a bearer header", "Authorization: Bearer abcdef123456", "abcdef123456"],
  ["a basic header", "authorization: basic dXNlcjpwYXNz", "dXNlcjpwYXNz"],
  ["a variable", "API_KEY=hunter2hunter2", "hunter2hunter2"],
  ["a JSON field", '{"password": "hunter2"}', "hunter2"],
  ["a JSON field whose value has spaces", '{"password": "hun ter 2"}', "hun ter 2"],
  ["a short JSON field", '{"secret":"abc"}', "abc"],
  ["a field of JSON inside of JSON", '{"body":"{\\"token\\": \\"hunter2\\"}"}', "hunter2"],
  ["a spaced field of JSON inside of JSON", '{"body":"{\\"token\\": \\"hun ter\\"}"}', "hun ter"],
  ["a quoted assignment", "password = 'hun, ter'", "hun, ter"],
  ["a value with a backslash", "password=hun\\ter2", "hun\\ter2"],
  ["a restricted key", "rk-live1234567890", "live1234567890"],
  ["a Google key", "AIzaSyA1234567890abcdefghijklmnop", "SyA1234567890"],
  ["a query parameter", "https://example.com/?token=hunter2&page=2", "hunter2"],
  ["a header", "x-api-key: hunter2", "hunter2"],
  ["the password of a URL", "postgres://app:hunter2@db.example.com/app", "hunter2"],
];

for (const [title, text, secret] of secrets) {
  test(`${title} is hidden`, () => {
    const shown = redact(text);
    assert.ok(!shown.includes(secret), shown);
    assert.match(shown, /\[redacted\]/);
  });
}

test("a long text of nothing but spaces, backslashes or quotes is looked through, too", () => {
  for (const piece of [" ", "\\", ": ", '\\"', "key ", "key= ", "bearer ", "\n"]) {
    const text = piece.repeat(200_000 / piece.length);
    assert.equal(redact(`${text}sk-proj-abcdEFGH12345678`).includes("abcdEFGH"), false);
  }
});

test("a secret in a column of its own is hidden", () => {
  assert.equal(redact(`password:${" ".repeat(30)}hunter2`).includes("hunter2"), false);
});

test("what surrounds a secret stays readable", () => {
  assert.equal(
    redact("GET https://example.com/?token=hunter2&page=2 failed"),
    "GET https://example.com/?token=[redacted]&page=2 failed",
  );
});

test("every secret of a text is hidden", () => {
  assert.equal(
    redact("a=1 token=hunter2 secret=hunter3"),
    "a=1 token=[redacted] secret=[redacted]",
  );
});

test("ordinary text is not changed", () => {
  const text =
    "Error: ENOENT: no such file 'tokens.txt' (key missing, https://example.com:8080/path)";
  assert.equal(redact(text), text);
});

test("a sentence about a secret is no secret", () => {
  for (const text of [
    "env.GITHUB_TOKEN: environment variable GITHUB_TOKEN is not set",
    "auth.token: must be a string, not a number",
    "API key: missing. Basic authentication is required, or Bearer authentication.",
    "The option --token needs a value; basic understanding of it helps.",
  ])
    assert.equal(redact(text), text);
  // What only begins like such a word, or stands behind an equals sign, is none.
  assert.equal(redact("token: mustard42 secret=required"), "token: [redacted] secret=[redacted]");
});

test("a sentence about a key that holds a secret stays readable", () => {
  const text = "auth.token: nothing reads secrets of the kind 'cmd'";
  assert.equal(redact(text), text);
});
