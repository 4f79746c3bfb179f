import assert from "node:assert/strict";
import { test } from "node:test";
import { choicesFor, readAnswer } from "./approval-prompt.ts";

const held = { adminRequired: false, allowEdit: true };

test("only a yes is a yes, and nothing typed decides nothing", () => {
  assert.deepEqual(readAnswer("y", held), { decision: "approve" });
  assert.deepEqual(readAnswer(" Yes ", held), { decision: "approve" });
  assert.deepEqual(readAnswer("n", held), { decision: "reject" });
  assert.deepEqual(readAnswer("no not today", held), { decision: "reject", reason: "not today" });
  assert.deepEqual(readAnswer("a", held), { decision: "approve", remember: { for: "tool" } });
  assert.equal(readAnswer("edit", held), "edit");
  for (const later of ["", "  ", "l", "later"]) assert.equal(readAnswer(later, held), null);
  for (const other of ["yep", "1", "ok", "/approve"])
    assert.equal(readAnswer(other, held), undefined);
});

test("what cannot be chosen is neither shown nor taken", () => {
  const strict = { adminRequired: true, allowEdit: false };
  assert.equal(choicesFor(held), "yes, no, always (for this tool), edit (its arguments) or later");
  assert.equal(choicesFor(strict), "yes, no or later");
  for (const word of ["always", "edit"]) assert.equal(readAnswer(word, strict), undefined);
});
