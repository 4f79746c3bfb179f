import assert from "node:assert/strict";
import { test } from "node:test";
import { splitWords } from "./chat.ts";

test("words end at blanks, unless quotes keep them together", () => {
  assert.deepEqual(splitWords("  echo.echo  message='two words' "), [
    "echo.echo",
    "message=two words",
  ]);
  assert.deepEqual(splitWords('a:={"x": 1}'), ["a:={x:", "1}"]);
  assert.deepEqual(splitWords(`a:='{"x": 1}'`), ['a:={"x": 1}']);
  assert.deepEqual(splitWords('name="say \\"hello\\""'), ['name=say "hello"']);
  assert.deepEqual(splitWords("name=it\\'s"), ["name=it's"]);
  assert.deepEqual(splitWords(""), []);
  assert.deepEqual(splitWords('name=""'), ["name="]);
});

test("a quote that is never closed is reported", () => {
  assert.throws(() => splitWords("name='two words"), { code: "USAGE" });
});
