import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutgoingMessage } from "../message.ts";
import { createPeer, refuseRequest } from "../peer.ts";
import type { Progress } from "../session.ts";

const working = { taskId: "t", status: "working" };

function sample() {
  const sent: OutgoingMessage[] = [];
  const told: unknown[] = [];
  const over = new AbortController();
  const progress: Progress[] = [];
  const peer = createPeer(
    () => ({
      pid: null,
      send: (message) => void sent.push(message),
      useProtocolVersion() {},
      close: async () => {},
    }),
    { onNotification() {}, onRequest: refuseRequest, onStray() {} },
  );
  const answer = peer.request(
    "tools/call",
    {},
    {
      onProgress: (report) => progress.push(report),
      onRequest: async () => ({ action: "accept" }),
      task: { onStatus: (given) => told.push(given.status), over: over.signal },
    },
  );
  const say = (method: string, params: object) => peer.receive({ jsonrpc: "2.0", method, params });
  const ask = (id: string, taskId: string) =>
    peer.receive({
      jsonrpc: "2.0",
      id,
      method: "elicitation/create",
      params: { _meta: { "io.modelcontextprotocol/related-task": { taskId } } },
    });
  const begin = () => peer.receive({ jsonrpc: "2.0", id: 1, result: { task: working } });
  return { peer, sent, told, over, progress, answer, say, ask, begin };
}

test("what is said about a task right behind the answer that names it is not missed", async () => {
  const { sent, told, progress, answer, say, ask, begin } = sample();
  begin();
  say("notifications/tasks/status", { ...working, status: "input_required" });
  say("notifications/tasks", working);
  say("notifications/progress", { progressToken: "toolplane:1", progress: 3 });
  ask("q", "t");
  await answer;
  assert.deepEqual(told, ["input_required", "working"]);
  assert.deepEqual(progress, [{ progress: 3, total: null, message: null }]);
  assert.deepEqual(sent.at(-1), { jsonrpc: "2.0", id: "q", result: { action: "accept" } });
});

test("a message about another task, or about one whose call has ended, goes to no call", async () => {
  const { peer, sent, told, over, answer, say, ask, begin } = sample();
  begin();
  await answer;
  say("notifications/tasks/status", { taskId: "other", status: "completed" });
  over.abort();
  say("notifications/tasks/status", { taskId: "t", status: "completed" });
  ask("q", "t");
  await new Promise(setImmediate);
  assert.deepEqual([told, peer.pending()], [[], 0]);
  assert.ok("error" in (sent.at(-1) ?? {}), "the question is refused");
});
