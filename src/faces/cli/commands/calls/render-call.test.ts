import "../../../../../test/samples/no-colors.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { callRecord } from "../../../../../test/contracts/records.ts";
import { renderBars, renderCall, renderChain, renderPayload } from "./render-call.ts";

const good = {
  streams: 1,
  ok: true,
  calls: 3,
  checkpoints: [],
  head: "ab12",
  broken: null,
  headFound: null,
  lost: [],
};

test("each stage is as long as its share of the longest one", () => {
  assert.deepEqual(
    renderBars([
      { stage: "resolve", ms: 10 },
      { stage: "execute", ms: 20 },
      { stage: "route", ms: 0 },
    ]),
    [
      `resolve  ${"█".repeat(15)}${" ".repeat(15)}  10 ms`,
      `execute  ${"█".repeat(30)}  20 ms`,
      `route    ▏${" ".repeat(29)}  0 ms`,
    ],
  );
  assert.deepEqual(renderBars([]), []);
});

test("a call is shown with who, why, what was tried and the hashes", () => {
  const text = renderCall(
    callRecord("one", {
      stored: "r_1",
      attempts: [
        { provider: "mcp:a", ok: false, durationMs: 3, error: "SERVER_UNAVAILABLE", sent: false },
      ],
    }),
  );
  assert.match(text, /called by\s+ada via mcp/);
  assert.match(text, /verdict\s+allow \(profile\): read only/);
  assert.match(text, /arguments\s+query, repository, state, username \(injected\)/);
  assert.match(text, /kept as\s+r_1 \(toolplane results get r_1\)/);
  assert.match(text, /mcp:a {2}SERVER_UNAVAILABLE, never sent {2}3 ms/);
  assert.match(text, /result hash\s+sha256:fcde/);
});

test("names that others made up cannot write to the terminal", () => {
  const odd = callRecord("one", { tool: "a\u001b[2Jb" });
  assert.ok(!renderCall(odd).includes("\u001b[2J") && !renderPayload(odd).includes("\u001b[2J"));
});

test("the chain is reported in words, with the first call that is wrong", () => {
  assert.match(renderChain(good), /^3 calls recorded; none was changed[\s\S]*Head: ab12\./);
  const broken = { id: "x", at: "then", reason: "it was changed" };
  assert.match(
    renderChain({ ...good, ok: false, broken }),
    /broken at call 'x' of then: it was changed\./,
  );
  assert.match(
    renderChain({ ...good, ok: false, headFound: false }),
    /The hash you gave is not in the record/,
  );
  const aged = { ...good, checkpoints: [{ at: "then", removed: 7 }] };
  assert.match(renderChain(aged), /7 older calls removed because of their age/);
  const lost = [{ after: "Monday", until: "Friday" }];
  assert.match(
    renderChain({ ...good, ok: false, lost }),
    /The calls after Monday up to Friday were stored and are gone/,
  );
});
