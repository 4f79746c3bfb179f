import assert from "node:assert/strict";
import { test } from "node:test";
import { createTextTail } from "./redact.ts";

test("only the last part of a stream is kept", () => {
  const tail = createTextTail(11);
  tail.add("one two thr");
  tail.add("ee four");
  assert.equal(tail.text(), "three four");
});

test("the kept text is trimmed, printable and without secrets, even when they came in pieces", () => {
  const tail = createTextTail(200);
  tail.add("\n\u001b[31mfailed: tok");
  tail.add("en=hunter2hunter2\u001b[0m\n");
  assert.equal(tail.text(), "failed: token=[redacted]");
});

test("a secret whose beginning is no longer kept does not show its end", () => {
  const tail = createTextTail(20);
  tail.add("token=hunter2hunter2hunter2 and then");
  assert.doesNotMatch(tail.text(), /hunter2/);
});

test("a stream that said nothing is empty", () => assert.equal(createTextTail(10).text(), ""));
