import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cases } from "../../../test/fixtures/tier.ts";
import { growthOf, maxGrowth } from "../../../test/samples/growth.ts";
import { looksSecret } from "../../lib/text/redact.ts";
import { maskSecrets } from "./mask.ts";

const secretKeys = [
  "key",
  "token",
  "secret",
  "password",
  "authorization",
  "api_key",
  "apiKey",
  "cookie",
  "credential",
  "Authorization",
  "X-API-Key",
  "Set-Cookie",
  "GITHUB_TOKEN",
  "githubtoken",
  "OPENAI_API_KEY",
  "accessKey",
  "clientSecret",
  "client-secret",
  "PGPASSWORD",
  "DB_PASS",
  "BASIC_AUTH",
  "auth_header",
  "credentials",
  "--api-key",
];
const plainKeys = [
  "command",
  "url",
  "author",
  "auth",
  "keyboard",
  "monkey",
  "tokenizer",
  "passthrough",
  "session",
  "compass",
  "description",
];

for (const key of secretKeys)
  test(`'${key}' looks secret`, () => assert.equal(looksSecret(key), true));
for (const key of plainKeys)
  test(`'${key}' does not look secret`, () => assert.equal(looksSecret(key), false));

const secret = "hunter2hunter2";
const examples: [title: string, value: unknown, shown: unknown][] = [
  ["a token", { token: secret }, { token: "***" }],
  ["a short token", { token: "12345678" }, { token: "***" }],
  [
    "a variable",
    { env: { GITHUB_TOKEN: secret, HOME: "/root" } },
    { env: { GITHUB_TOKEN: "***", HOME: "***" } },
  ],
  [
    "a header",
    { headers: { Authorization: `Bearer ${secret}` } },
    { headers: { Authorization: "***" } },
  ],
  [
    "whatever is handed over to a server",
    {
      env: { SITE: "a1b2c3d4e5f6g7h8", NODE_ENV: "production", ROOT: "/srv/data/2026/files" },
      note: "a1b2c3d4e5f6g7h8",
    },
    {
      env: { SITE: "***", NODE_ENV: "***", ROOT: "***" },
      note: "a1b2c3d4e5f6g7h8",
    },
  ],
  ["a list of tokens", { tokens: [secret, secret] }, { tokens: ["***", "***"] }],
  [
    "a map of secrets",
    { secrets: { a: secret, type: "plain" } },
    { secrets: { a: "***", type: "plain" } },
  ],
  ["a number", { password: 1234567890, pass: 1234 }, { password: "***", pass: "***" }],
  ["a count", { thresholdTokens: 8000, token_limit: 5 }, { thresholdTokens: 8000, token_limit: 5 }],
  ["a switch", { idempotency_key: true, key: null }, { idempotency_key: true, key: null }],
  ["a reference", { token: "${TOKEN}", a: "${file:/x}" }, { token: "${TOKEN}", a: "${file:/x}" }],
  ["a reference in a header", { Authorization: "Bearer ${T}" }, { Authorization: "Bearer ${T}" }],
  ["a reference beside a secret", { token: `\${A}${secret}` }, { token: "${A}***" }],
  ["a fallback", { token: `\${A:-${secret}}`, b: "${B:-x}" }, { token: "${A:-***}", b: "${B:-x}" }],
  ["an escaped reference", { description: "write $${X}" }, { description: "write $${X}" }],
  [
    "a server with the name of a secret",
    { servers: { tokens: { command: "x" } } },
    { servers: { tokens: { command: "x" } } },
  ],
  [
    "a model named models",
    { models: { models: { apiKey: secret } } },
    { models: { models: { apiKey: "***" } } },
  ],
  [
    "a parameter's schema",
    { properties: { key: { type: "string" } } },
    { properties: { key: { type: "string" } } },
  ],
  [
    "a way to sign in",
    { auth: { type: "bearer", token: secret } },
    { auth: { type: "bearer", token: "***" } },
  ],
  ["a known shape", { note: "ghp_abcdefghijklmnop1234" }, { note: "***" }],
  ["a known shape in a sentence", { note: "use sk-abcdefgh12345678 now" }, { note: "use *** now" }],
  [
    "a key named __proto__",
    JSON.parse(`{"__proto__": {"token": "${secret}"}}`),
    JSON.parse('{"__proto__": {"token": "***"}}'),
  ],
  [
    "what JSON has no word for",
    { a: undefined, b: [undefined], c: () => 1 },
    { b: [null], c: null },
  ],
];

for (const [title, value, shown] of examples) {
  test(`${title} is shown as it may be`, () => assert.deepEqual(maskSecrets(value), shown));
}

for (const [url, shown] of [
  [`postgres://app:${secret}@db/app`, "postgres://app:***@db/app"],
  ["postgres://app:p@ss@db/app", "postgres://app:***@db/app"],
  [`https://x.io/?token=${secret}&page=2`, "https://x.io/?token=***&page=2"],
  [`https://x.io/?page=2&api_key=${secret}#a`, "https://x.io/?page=2&api_key=***#a"],
  [`https://x.io/?sig=${secret}`, "https://x.io/?sig=***"],
  [`https://${secret}123@x.io/`, "https://***@x.io/"],
  ["https://app:${PASSWORD}@x.io/?token=${T}", "https://app:${PASSWORD}@x.io/?token=${T}"],
  ["ssh://git@github.com/a/b?page=2", "ssh://git@github.com/a/b?page=2"],
  [
    "https://x.io/v2/repos/{owner}/list?code=abc&auth=x&pw=1&key=2&page=2",
    "https://x.io/v2/repos/{owner}/list?code=***&auth=***&pw=***&key=***&page=2",
  ],
  ["https://hooks.x.io/services/T0001AB12C/hunter2hunter2", "https://hooks.x.io/services/***/***"],
  [
    "https://api.x.io/bot123456:ABC-DEF1234/send?chat={chat}&q=${Q}",
    "https://api.x.io/***/send?chat={chat}&q=${Q}",
  ],
] as const) {
  test(`the URL ${url} is shown as ${shown}`, () =>
    assert.deepEqual(maskSecrets({ url }), { url: shown }));
}

for (const [given, shown] of [
  [
    ["--api-key", secret, "-v"],
    ["--api-key", "***", "-v"],
  ],
  [
    ["--token", "--verbose"],
    ["--token", "--verbose"],
  ],
  [[`--token=${secret}`], ["--token=***"]],
  [
    ["--token=${T}", "--token", "${T}"],
    ["--token=${T}", "--token", "${T}"],
  ],
  [
    ["-e", `API_KEY=${secret}`],
    ["-e", "API_KEY=***"],
  ],
  [[`--env=API_KEY=${secret}`], ["--env=API_KEY=***"]],
  [
    ["--header", `X-API-Key: ${secret}`],
    ["--header", "X-API-Key: ***"],
  ],
  [[`--header=Authorization: Bearer ${secret}`], ["--header=Authorization: ***"]],
  [[`--url=https://a:${secret}@b/`], ["--url=https://a:***@b/"]],
  [
    ["--root=/a", "C:\\b", "a=b"],
    ["--root=/a", "C:\\b", "a=b"],
  ],
] as const) {
  test(`the arguments ${given.join(" ")} are shown as ${shown.join(" ")}`, () =>
    assert.deepEqual(maskSecrets({ args: given }), { args: shown }));
}

test("a value by itself is masked for the place it comes from", () => {
  assert.equal(maskSecrets(secret, ["servers", "a", "env", "API_KEY"]), "***");
  assert.equal(maskSecrets(secret, ["servers", "api_key", "command"]), secret);
  assert.equal(maskSecrets(secret, ["tokens", 0]), "***");
});

const anySecret = fc
  .string({
    unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_./+=!%&@: \"'\\é😀"),
    minLength: 12,
    maxLength: 40,
  })
  .filter((text) => !text.startsWith("-"));

test("a secret under a key that looks secret shows no part of itself", () => {
  const place = fc.constantFrom<(key: string, value: string) => unknown>(
    (key, value) => ({ servers: { a: { env: { [key]: value } } } }),
    (key, value) => ({ servers: { [key]: { headers: { [key]: value } } } }),
    (key, value) => ({ [key]: [value, { deep: { a: value } }] }),
    (key, value) => ({ [key]: { anything: value, list: [[value]] } }),
    (key, value) => ({ args: [`--${key}=${value}`, `--${key}`, `-${value}`] }),
    (key, value) => ({ [key]: `\${UNSET:-${value}}` }),
  );
  const keys = fc.constantFrom(...secretKeys.filter((key) => !key.startsWith("-")));
  fc.assert(
    fc.property(keys, anySecret, place, (key, value, put) => {
      const shown = JSON.stringify(maskSecrets(put(key, value)));
      const end = JSON.stringify(value.slice(-6)).slice(1, -1);
      assert.ok(!shown.includes(end), shown);
    }),
    { numRuns: cases(2000) },
  );
});

test("a long text takes no longer to mask than its length", () => {
  for (const unit of ["a=", "://a:", "?a=", "${A:-", "a:", "@", "token "]) {
    const growth = growthOf(
      (size) => maskSecrets({ args: [unit.repeat(size)], text: unit.repeat(size) }),
      2_500,
    );
    assert.ok(growth < maxGrowth, `'${unit}': eight times as much took ${growth} times as long`);
  }
});

test("what is sent to servers only is masked whatever it is called", () => {
  const config = {
    inject: [{ parameter: "_team", from: "constant", value: "the-blue-team" }],
    overlays: {
      "a.b": {
        arguments: [
          { name: "region", fixed: { deep: 1 } },
          { name: "q", fixed: "${Q}", default: "x" },
        ],
      },
    },
  };
  assert.deepEqual(maskSecrets(config), {
    inject: [{ parameter: "_team", from: "constant", value: "***" }],
    overlays: {
      "a.b": {
        arguments: [
          { name: "region", fixed: "***" },
          { name: "q", fixed: "${Q}", default: "x" },
        ],
      },
    },
  });
});
