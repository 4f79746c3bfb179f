import assert from "node:assert/strict";
import { test } from "node:test";
import { checkBroken } from "./check-configuration.ts";

const broken: [reason: string, fix: RegExp][] = [
  [
    "env.TOKEN: environment variable API_TOKEN is not set",
    /^Set API_TOKEN, or .*\$\{API_TOKEN:-default\} in 'env.TOKEN' of 'notes'/,
  ],
  ["notes: neither 'command' nor 'url' is given", /^Add 'command' .* or 'url' .* to server 'notes'/],
  ["notes: stdio needs a 'command'", /^Add 'command' to server 'notes'/],
  ["timeoutMs: must be a number, not a string", /^Correct 'timeoutMs' of 'notes'/],
];

for (const [reason, fix] of broken) {
  test(`an entry that is out of order is reported with what to change: ${reason}`, () => {
    const check = checkBroken("notes", reason);
    assert.deepEqual([check.name, check.ok, check.detail], ["configuration", false, `${reason}.`]);
    assert.match(check.fix ?? "", fix);
  });
}
