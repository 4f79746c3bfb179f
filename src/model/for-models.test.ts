import assert from "node:assert/strict";
import { test } from "node:test";
import { forModels } from "./errors.ts";

test("what a person would type is left out, and somebody who can is named", () => {
  assert.equal(
    forModels("Server 'a' is not available: it ended. 'toolplane servers logs a' shows what it wrote."),
    "Server 'a' is not available: it ended. A person has to look into it.",
  );
  assert.equal(
    forModels("'a.b' is held back; see 'toolplane pins diff a.b', then 'toolplane pins accept a.b'."),
    "'a.b' is held back. A person has to look into it.",
  );
  assert.equal(
    forModels("No tool 'x'. 'toolplane tools list' shows what there is.", "Search for one."),
    "No tool 'x'. Search for one.",
  );
});

test("a message without commands stays as it is", () => {
  const message = "No tool 'x'. Did you mean 'y'?  It is  spelt so.";
  assert.equal(forModels(message), message);
});
