import assert from "node:assert/strict";
import { test } from "node:test";
import { PlaneError, reportError } from "@toolplane/core/model/errors";
import { agentRun } from "@toolplane/test/contracts/records";
import { renderRunText, traceEntries } from "./render-text.ts";

test("a run reads from the question to the answer: thoughts first, calls by number, JSON on lines", () => {
  assert.equal(
    renderRunText(agentRun("one")),
    `Run one: completed in 410 ms
asked by ada at 2026-03-01 12:00:00, conversation c-1
model default, style tools, toolset reading
1 turn with tools, 1 call, the model asked 2 times for 240 ms
1,000 tokens: 900 in, 100 out

Question
   Which issues are open?

Reasoning
   I have to look.

1. github_search_issues  succeeded by mcp:github in 42 ms, 2 attempts, call r-1
   {
     "state": "open",
     "limit": 2
   }
   → [
       {
         "number": 7
       },
       {
         "number": 9
       }
     ]

Reasoning
   I have seen both.

Answer
   Two are.`,
  );
});

test("of a run whose conversation is not kept, the question, the calls and the answer are reported", () => {
  const text = renderRunText(agentRun("one", { trace: "none", messages: [] }));
  assert.match(
    text,
    /Question\n {3}Which issues[\s\S]*\n1\. github_search_issues {2}succeeded[\s\S]*Answer\n {3}Two are\.$/,
  );
  const { messages } = agentRun("one");
  const last = renderRunText(
    agentRun("one", { trace: "last_message", messages: messages.slice(-1) }),
  );
  assert.match(
    last,
    /1\. github_search_issues[\s\S]*Reasoning\n {3}I have seen both\.\n\nAnswer\n {3}Two are\.$/,
  );
});

test("a failed run tells its error, and arguments that are no JSON stay what they are", () => {
  const run = agentRun("one", {
    outcome: "failed",
    error: reportError(new PlaneError("TIMEOUT", "No answer.")),
    messages: [
      {
        role: "assistant",
        content: "",
        tool_calls: [
          {
            id: "x",
            type: "function",
            function: { name: "odd", arguments: '{"a": 12345678901234567890, ' },
          },
        ],
      },
    ],
  });
  const text = renderRunText(run);
  assert.match(text, /1\. odd\n {3}\{"a": 12345678901234567890, /);
  assert.match(text, /Error\n {3}No answer\. \[TIMEOUT\]$/);
});

test("numbers in JSON stay as they were written", () => {
  const run = agentRun("one");
  const [, asked] = run.messages;
  if (asked?.role === "assistant" && asked.tool_calls?.[0])
    asked.tool_calls[0].function.arguments = '{"n":12345678901234567890,"m":1.0}';
  assert.match(renderRunText(run), /"n": 12345678901234567890,\n {5}"m": 1\.0/);
});

test("ids that come again in a conversation that goes on belong to the newest calls", () => {
  const earlier = agentRun("zero").messages;
  const run = agentRun("one", { messages: [...earlier, ...agentRun("one").messages] });
  const calls = traceEntries(run).filter((told) => told.kind === "call");
  assert.deepEqual(
    calls.map(({ number, facts, result }) => [number, facts?.record ?? null, result !== null]),
    [
      [1, null, true],
      [2, "r-1", true],
    ],
  );
});

test("nothing that a model or a tool wrote can write to the terminal", () => {
  const odd = "\u001b[2J\u202etxt";
  const text = renderRunText(
    agentRun("one", { question: odd, messages: [{ role: "user", content: odd }] }),
  );
  assert.ok(!/[\u001b\u202e]/.test(text));
});
