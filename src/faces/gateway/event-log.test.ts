import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventLog, maxKeptEvents } from "./http-session.ts";

test("what came after an event on its stream is reported again, in order and without other streams", () => {
  const log = createEventLog();
  const first = log.add(1, "a");
  log.add(2, "other");
  log.add(1, "b");
  log.add(1, "c");
  const missed = log.after(first.id);
  assert.equal(missed?.stream, 1);
  assert.deepEqual(
    missed?.events.map(({ text }) => text),
    ["b", "c"],
  );
});

test("what was forgotten, or never was, is not made up", () => {
  const log = createEventLog();
  const first = log.add(1, "a");
  for (let at = 0; at <= maxKeptEvents; at += 1) log.add(1, String(at));
  assert.equal(log.after(first.id), undefined);
  for (const id of ["", "1", "x-1", "1-1", "1-999999-0", "1-1-0; drop"])
    assert.equal(log.after(id), undefined, id);
});

test("an event of another plane is none of ours, and its stream is known", () => {
  const here = createEventLog("here");
  const there = createEventLog("there");
  const { id } = there.add(0, "a");
  here.add(0, "b");
  assert.equal(here.after(id), undefined);
  assert.deepEqual([here.streamElsewhere(id), there.streamElsewhere(id)], [0, undefined]);
  assert.equal(here.streamElsewhere("nonsense"), undefined);
});
