import assert from "node:assert/strict";
import { test } from "node:test";
import { createEventBus } from "./event-bus.ts";

type Event = { type: "red" | "blue"; value: number };

test("a listener hears the events of its type, in their order", () => {
  const heard: number[] = [];
  const bus = createEventBus<Event>();
  bus.on("red", ({ value }) => heard.push(value));
  for (const [type, value] of [
    ["red", 1],
    ["blue", 2],
    ["red", 3],
  ] as const)
    bus.emit({ type, value });
  assert.deepEqual(heard, [1, 3]);
});

test("a listener that was taken off hears nothing more, and the others still do", () => {
  const heard: string[] = [];
  const bus = createEventBus<Event>();
  const off = bus.on("red", () => heard.push("first"));
  bus.on("red", () => heard.push("second"));
  off();
  off();
  bus.emit({ type: "red", value: 1 });
  assert.deepEqual(heard, ["second"]);
});

test("a listener that throws harms no other and is reported", (context) => {
  const heard: string[] = [];
  const bus = createEventBus<Event>();
  const warn = context.mock.method(process, "emitWarning", () => undefined);
  bus.on("red", () => {
    throw new Error("mine alone");
  });
  bus.on("red", () => heard.push("second"));
  bus.emit({ type: "red", value: 1 });
  assert.deepEqual(heard, ["second"]);
  const warnings = warn.mock.calls.map(({ arguments: [text] }) => String(text));
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /'red'.*mine alone/);
});
