import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentMessage } from "../../../../src/model/agent/agent-run.ts";
import { addEvent, type ChatEvent, type ChatItem } from "./chat-items.ts";

const said = (message: Partial<AgentMessage>): ChatEvent => ({
  message: { id: "m", type: "answer", text: "", end: false, endOfDialog: false, ...message },
});
const after = (...happened: ChatEvent[]) => happened.reduce<readonly ChatItem[]>(addEvent, []);

test("pieces of one message are one item, and another message is another", () => {
  const items = after(
    { question: "Why?", id: "q" },
    said({ text: "Be" }),
    said({ text: "cause." }),
    said({ id: "n", text: "Really." }),
  );
  assert.deepEqual(
    items.map((item) => ("text" in item ? `${item.kind} ${item.text}` : item.kind)),
    ["question Why?", "answer Because.", "answer Really."],
  );
});

test("a call is one card: its arguments come later, then its result; the same id may come again in another turn", () => {
  const call = { id: "c", tool: "a__b" };
  const turn: ChatEvent[] = [
    said({ type: "action", call }),
    said({ type: "action", call: { ...call, arguments: { x: 1 } } }),
    said({
      type: "observation",
      text: "done",
      pictures: ["data:image/png;base64,AA=="],
      call: { ...call, tool: "a.b", status: "succeeded" },
    }),
  ];
  const items = after(...turn, said({ id: "m2", type: "action", call }));
  assert.equal(items.length, 2);
  assert.deepEqual(items[0], {
    kind: "call",
    id: "m-c",
    result: "done",
    pictures: ["data:image/png;base64,AA=="],
    call: { id: "c", tool: "a.b", arguments: { x: 1 }, status: "succeeded" },
  });
  assert.equal(items[1]?.kind === "call" && items[1].result, null);
});

test("a call of an ended run no longer looks busy", () => {
  const items = after(said({ type: "action", call: { id: "c", tool: "a" } }), {
    endedQuestion: "q",
  });
  assert.equal(items[0]?.kind === "call" && items[0].result, "");
});
