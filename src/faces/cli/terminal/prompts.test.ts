import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { dropTyped } from "./prompts.ts";

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
  assert.equal(await dropTyped(input), true);
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

test("a line's end alone is read past without a word", async () => {
  assert.equal(await dropTyped(typedAhead(["\n"]).input), false);
});
