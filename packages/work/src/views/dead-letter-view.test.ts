import "@toolplane/test/samples/no-colors";
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { renderSpan } from "@toolplane/core/faces/cli/views";
import { deadLetterView, type KeptDeadLetter } from "@toolplane/core/model/work/dead-letter";
import { sampleLetter, startedAt } from "@toolplane/test/samples/dead-letters";
import { renderDeadLetter, renderDeadLetters } from "./dead-letters.ts";

const minute = 60_000;
const byStatus = { pending: 2, retrying: 0, resolved: 0, abandoned: 1 };

function tableOf(...kept: KeptDeadLetter[]): string {
  const deadLetters = kept.map(deadLetterView);
  const page = { deadLetters, total: deadLetters.length, nextCursor: null, byStatus };
  return renderDeadLetters(page, startedAt + minute);
}

suite("dead letters for people", () => {
  test("a span is shown in the largest unit that fits", () => {
    const spans = [-5, 0, 59_000, minute, 59 * minute, 90 * minute, 49 * 60 * minute].map(
      renderSpan,
    );
    assert.deepEqual(spans, ["0 s", "0 s", "59 s", "1 min", "59 min", "2 h", "2 days"]);
  });

  test("the table tells the age, the next try and what to do", () => {
    const nextRetryAt = new Date(startedAt + 5 * minute).toISOString();
    const table = tableOf(
      sampleLetter("0123456789abcdef", { nextRetryAt }),
      sampleLetter("due"),
      sampleLetter("held", { hold: "may_have_run", nextRetryAt: null }),
    );
    const [, waits, due, held] = table.split("\n");
    assert.match(
      waits ?? "",
      /^01234567 {2}pending .* 1\/3 +1 min +in 4 min +nothing: a plane that serves/,
    );
    assert.match(due ?? "", / due +nothing/);
    assert.match(held ?? "", /it may have run: check, then retry or resolve it$/);
    assert.match(table, /\n\n2 pending, 1 abandoned$/);
    assert.equal(tableOf(), "No call has failed permanently.");
  });

  test("one of them shows everything, and nothing foreign reaches the terminal as it is", () => {
    const history = [
      {
        at: "t",
        status: "abandoned",
        code: null,
        callId: null,
        by: "ada",
        note: "\u001b[31mno",
      } as const,
    ];
    const text = renderDeadLetter(
      deadLetterView(sampleLetter("a", { arguments: { evil: "\u202e" }, history })),
      startedAt,
    );
    assert.match(text, /because of SERVER_UNAVAILABLE .*\[SERVER_UNAVAILABLE\]/);
    assert.match(text, /called by +ada via mcp/);
    assert.match(text, /t {2}abandoned {2}by ada {2}no/);
    assert.ok(!text.includes("\u001b[31m") && !text.includes("\u202e"));
    const without = deadLetterView(sampleLetter("a", { arguments: null, hold: "no_arguments" }));
    assert.match(renderDeadLetter(without, startedAt), /Arguments\nnot kept/);
  });
});
