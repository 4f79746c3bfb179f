import "../../../../test/samples/no-colors.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentMessage } from "../../../model/agent/agent-run.ts";
import { streamMessages } from "./agent-messages.ts";

const piece = (
  type: AgentMessage["type"],
  text: string,
  more: Partial<AgentMessage> = {},
): AgentMessage => ({
  id: type,
  type,
  text,
  end: false,
  endOfDialog: false,
  ...more,
});

function shown(messages: readonly AgentMessage[], hasAside = true) {
  let answer = "";
  let aside = "";
  const hear = streamMessages({
    answer: (text) => {
      answer += text;
    },
    ...(hasAside
      ? {
          aside: (text: string) => {
            aside += text;
          },
        }
      : {}),
  });
  for (const message of messages) hear(message);
  return { answer, aside };
}

test("pieces are shown as they come, and each message ends its line once", () => {
  const { answer, aside } = shown([
    piece("thought", "I "),
    piece("thought", "look."),
    piece("thought", "", { end: true }),
    piece("action", "", {
      end: true,
      call: { id: "1", tool: "fx__echo", arguments: { b: 1, a: 2 } },
    }),
    piece("observation", " seen \n", {
      end: true,
      call: { id: "1", tool: "fx.echo", status: "tool_error" },
    }),
    piece("answer", "It "),
    piece("answer", "is so."),
    piece("answer", "", { end: true, endOfDialog: true }),
  ]);
  assert.equal(aside, '… I look.\n→ fx__echo {"a":2,"b":1}\n← tool_error seen\n');
  assert.equal(answer, "It is so.\n");
});

test("what tools and models say cannot draw on the terminal, and does not flood it", () => {
  const { answer, aside } = shown([
    piece("answer", "\u001b[31mred\u001b[0m\u0007", { end: true }),
    piece("observation", "x".repeat(2_000), { end: true }),
  ]);
  assert.equal(answer, "red\n");
  assert.match(aside, /^← x{400}… \(2,000 characters\)\n$/);
});

test("without a watcher only the answer is shown", () => {
  const { answer, aside } = shown(
    [piece("thought", "hm", { end: true }), piece("answer", "yes", { end: true })],
    false,
  );
  assert.deepEqual([answer, aside], ["yes\n", ""]);
});

test("where the answer is printed at the end, only what turned out to be none is shown before", () => {
  let aside = "";
  const hear = streamMessages({
    aside: (text) => {
      aside += text;
    },
  });
  for (const message of [
    piece("answer", "Let me "),
    piece("answer", "look."),
    piece("answer", "", { end: true }),
    piece("action", "", { end: true, call: { id: "1", tool: "fx__echo" } }),
    piece("answer", "It is so."),
    piece("answer", "", { end: true, endOfDialog: true }),
  ])
    hear(message);
  assert.equal(aside, "Let me look.\n→ fx__echo \n");
});
