import assert from "node:assert/strict";
import { test } from "node:test";
import { readEnd, readHookAnswer } from "./hook.ts";

const goOn = { decision: "continue", reason: "", payload: null };
const printed = (stdout: string) => readEnd({ code: 0, stdout, stderr: "a warning" });

test("exit code 0 without a word, or with an answer that decides nothing, goes on", () => {
  for (const stdout of ["", " \n", "{}", '{"decision":"continue"}', '{"systemMessage":"hello"}'])
    assert.deepEqual(printed(stdout), goOn, stdout);
});

test("an answer has a decision, a reason and a payload", () => {
  const answer = { decision: "modify", reason: "why", payload: { arguments: {} } };
  assert.deepEqual(printed(JSON.stringify(answer)), answer);
  assert.deepEqual(readHookAnswer(answer), answer);
  assert.deepEqual(readHookAnswer({ decision: "deny", reason: 7 }), { ...goOn, decision: "deny" });
});

test("exit code 2 blocks, with what was written to standard error as the reason", () => {
  const end = { code: 2, stdout: '{"decision":"continue"}', stderr: "not today" };
  assert.deepEqual(readEnd(end), { decision: "deny", reason: "not today", payload: null });
});

test("every other exit code is a failure, whatever was printed", () => {
  const end = { code: 1, stdout: '{"decision":"continue"}', stderr: "Traceback" };
  assert.deepEqual(readEnd(end), { failed: "it ended with exit code 1", detail: "Traceback" });
});

const none: [stdout: string, failed: RegExp][] = [
  ['{"decision":', /not JSON/],
  ["ok", /not JSON/],
  ['"continue"', /not an object/],
  ["null", /not an object/],
  ["[]", /not an object/],
  ['{"decision":"allow"}', /none of continue, modify, require_approval, deny/],
  ['{"decision":"modify","payload":[]}', /'payload' is not an object/],
  [`{"payload":${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}}`, /nested too deeply/],
];
for (const [stdout, failed] of none) {
  test(`${stdout.slice(0, 40)} is no answer`, () => {
    const said = printed(stdout);
    assert.ok("failed" in said);
    assert.match(said.failed, failed);
  });
}
