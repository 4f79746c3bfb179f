import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../../model/calls/call.ts";
import { type ErrorCode, errorTable, PlaneError, reportError } from "../../model/errors.ts";
import type { UnknownObject } from "../../model/json.ts";
import { problemResponse, renderOutcome } from "./render.ts";

const call: Outcome["call"] = {
  id: "call-1",
  tool: "notes.write",
  status: "succeeded",
  durationMs: 1,
  provider: "mcp",
  attempts: 1,
  repaired: false,
  dropped: [],
  warnings: [],
};

function failed(error: PlaneError): Outcome {
  return { ok: false, call: { ...call, status: "failed" }, error: reportError(error) };
}

const bodyOf = async (response: Response) => (await response.json()) as UnknownObject;

test("a result is the body of an ordinary answer", async () => {
  const outcome: Outcome = { ok: true, call, result: { content: [] } };
  const response = renderOutcome(outcome);
  assert.deepEqual(
    [response.status, response.headers.get("content-type")],
    [200, "application/json"],
  );
  assert.deepEqual(await bodyOf(response), outcome);
});

test("a tool that said no and a call that waits are no errors of HTTP", async () => {
  for (const [code, status] of [
    ["TOOL_ERROR", 200],
    ["APPROVAL_REQUIRED", 202],
  ] as const) {
    const response = renderOutcome(failed(new PlaneError(code, "because")));
    assert.deepEqual(
      [response.status, response.headers.get("content-type")],
      [status, "application/json"],
    );
    assert.equal((await bodyOf(response)).ok, false);
  }
});

for (const code of Object.keys(errorTable) as ErrorCode[]) {
  const { http, means, category } = errorTable[code];
  const isInside = category === "internal" || category === "configuration";
  if (http < 400) continue;
  test(`${code} is a problem with status ${http}, thrown or as an outcome`, async () => {
    const error = new PlaneError(code, "what and why", { data: { tool: "notes.write" } });
    for (const response of [problemResponse(error), renderOutcome(failed(error))]) {
      assert.deepEqual(
        [response.status, response.headers.get("content-type")],
        [http, "application/problem+json"],
      );
      const { status, title, code: told, detail } = await bodyOf(response);
      assert.deepEqual({ status, title, told }, { status: http, title: means, told: code });
      if (code !== "UNAUTHENTICATED") assert.equal(detail, isInside ? means : "what and why");
    }
  });
}

test("the outcome of a failed call is reported beside the problem", async () => {
  const outcome = failed(
    new PlaneError("TIMEOUT", "too slow", { data: { server: "git", attempts: 2 } }),
  );
  const { ok, call: told, recoverable, server, attempts } = await bodyOf(renderOutcome(outcome));
  assert.deepEqual({ ok, told }, { ok: false, told: outcome.call });
  assert.deepEqual(
    { recoverable, server, attempts },
    { recoverable: true, server: "git", attempts: 2 },
  );
});

test("no credential and a wrong one are answered alike; the holder of one that was good gets the reason", async () => {
  const told = (reason: string) =>
    problemResponse(
      new PlaneError("UNAUTHENTICATED", `because ${reason}`, { data: { reason } }),
    ).text();
  const [missing, unknown, forged, expired] = await Promise.all(
    ["missing", "unknown", "signature", "expired"].map(told),
  );
  assert.deepEqual([unknown, forged], [missing, missing]);
  assert.match(String(missing), /toolplane keys create/);
  assert.match(String(expired), /because expired/);
});

test("what went wrong inside is not told to a stranger, thrown or as an outcome", async () => {
  const cause = new Error("ENOENT: /home/ada/.secret");
  const defect = new PlaneError("INTERNAL", `Unexpected: ${cause.message}`, {
    cause,
    data: { path: "/home/ada" },
  });
  for (const response of [
    problemResponse(cause),
    problemResponse(defect),
    renderOutcome(failed(defect)),
  ]) {
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /home|ENOENT/);
  }
});

test("a caller who comes too soon gets the seconds to wait, and one without budget gets none", () => {
  const after = (code: ErrorCode, data = {}) =>
    renderOutcome(failed(new PlaneError(code, "because", { data }))).headers.get("retry-after");
  assert.equal(after("RATE_LIMITED", { retryInMs: 7_001 }), "8");
  assert.equal(after("RATE_LIMITED", { retryInMs: 3 }), "1");
  assert.equal(after("BUSY"), "1");
  assert.equal(after("BUDGET_EXCEEDED"), null);
  assert.equal(after("TIMEOUT", { retryInMs: 7_000 }), null);
});
