import assert from "node:assert/strict";
import { test } from "node:test";
import { reasonLine } from "./failures.ts";

test("the line that says why is found among what a runtime writes around it", () => {
  const node = `node:fs:2482
    throw new Error("x");
    ^

Error: ENOENT: no such file or directory, open 'settings.json'
    at Object.openSync (node:fs:562:18)
    at main (/srv/app/main.js:3:1) {
  errno: -2
}

Node.js v24.21.0`;
  assert.equal(reasonLine(node), "Error: ENOENT: no such file or directory, open 'settings.json'");
  const python = `Traceback (most recent call last):
  File "main.py", line 1, in <module>
    import nothing
ModuleNotFoundError: No module named 'nothing'`;
  assert.equal(reasonLine(python), "ModuleNotFoundError: No module named 'nothing'");
});

test("without such a line it is the last one, and never a long one", () => {
  assert.equal(reasonLine("starting\nno licence\n\n"), "no licence");
  assert.equal(reasonLine(" \n "), null);
  assert.equal(reasonLine(`Error: ${"x".repeat(5_000)}`)?.length, 200);
});
