import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { choicesFor, dropTyped, readAnswer } from "./approval-prompt.ts";

const held = { adminRequired: false, allowEdit: true };

test("only a yes is a yes, and nothing typed decides nothing", () => {
  assert.deepEqual(readAnswer("y", held), { decision: "approve" });
  assert.deepEqual(readAnswer(" Yes ", held), { decision: "approve" });
  assert.deepEqual(readAnswer("n", held), { decision: "reject" });
  assert.deepEqual(readAnswer("no not today", held), { decision: "reject", reason: "not today" });
  assert.deepEqual(readAnswer("a", held), { decision: "approve", remember: { for: "tool" } });
  assert.equal(readAnswer("edit", held), "edit");
  for (const later of ["", "  ", "l", "later"]) assert.equal(readAnswer(later, held), null);
  for (const other of ["yep", "1", "ok", "/approve"]) assert.equal(readAnswer(other, held), undefined);
});

test("what cannot be chosen is neither shown nor taken", () => {
  const strict = { adminRequired: true, allowEdit: false };
  assert.equal(choicesFor(held), "yes, no, always (for this tool), edit (its arguments) or later");
  assert.equal(choicesFor(strict), "yes, no or later");
  for (const word of ["always", "edit"]) assert.equal(readAnswer(word, strict), undefined);
});

/** Keys that were pressed before anybody listened, and what becomes of them. */
function typedAhead(typed: readonly string[]) {
  const taken: string[] = [];
  const modes: boolean[] = [];
  const input = Object.assign(new EventEmitter(), {
    isTTY: true,
    isRaw: false,
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
    pause: () => taken.push("paused"),
  });
  input.on("newListener", (event: string, hear: (text: string) => void) => {
    if (event !== "data") return;
    for (const text of typed)
      setImmediate(() => {
        taken.push(text);
        hear(text);
      });
  });
  return { input, taken, modes };
}

test("what was typed before a question is read past, up to its last key", async () => {
  const { input, taken, modes } = typedAhead(["y\n", "y", "\n"]);
  await dropTyped(input);
  assert.deepEqual(taken, ["y\n", "y", "\n", "paused"]);
  assert.deepEqual(modes, [true, false]);
  assert.equal(input.listenerCount("data"), 0);
});

test("so it is where the machine is so busy that the time for it is over before anybody looks", async () => {
  const { input, taken } = typedAhead(["y\n"]);
  const dropping = dropTyped(input);
  const busyUntil = Date.now() + 200;
  while (Date.now() < busyUntil);
  await dropping;
  assert.deepEqual(taken, ["y\n", "paused"]);
});
