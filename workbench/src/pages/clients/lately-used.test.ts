import assert from "node:assert/strict";
import { test } from "node:test";
import { recentCallers } from "./lately-used.ts";

const call = (user: string | null, face: string, status: string, at: string) =>
  ({ principal: { user }, face, status, at }) as unknown as Parameters<
    typeof recentCallers
  >[0][number];

test("who called last stands first, with all their calls of one face", () => {
  const calls = [
    call("ann", "mcp", "succeeded", "2026-01-03"),
    call("bob", "http", "failed", "2026-01-02"),
    call("ann", "mcp", "refused", "2026-01-01"),
    call("ann", "cli", "succeeded", "2025-12-31"),
    call(null, "mcp", "waiting", "2025-12-30"),
  ];
  assert.deepEqual(
    recentCallers(calls).map(({ user, face, calls: made, failed, at }) => [
      user,
      face,
      made,
      failed,
      at,
    ]),
    [
      ["ann", "mcp", 2, 1, "2026-01-03"],
      ["bob", "http", 1, 1, "2026-01-02"],
      ["ann", "cli", 1, 0, "2025-12-31"],
      [null, "mcp", 1, 0, "2025-12-30"],
    ],
  );
});
