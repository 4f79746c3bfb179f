import assert from "node:assert/strict";
import { test } from "node:test";
import { requestOf } from "./operation-request.ts";

test("inputs go into the path, the query or the body, as the operation says", () => {
  assert.deepEqual(
    requestOf("calls.list", { status: "failed", limit: 5, cursor: "", tool: undefined }),
    {
      method: "GET",
      path: "/calls?status=failed&limit=5",
      headers: {},
    },
  );
  assert.deepEqual(requestOf("servers.messages", { name: "a/b c", after: 3 }), {
    method: "GET",
    path: "/servers/a%2Fb%20c/messages?after=3",
    headers: {},
  });
  assert.deepEqual(requestOf("approvals.answer", { id: "1", decision: "approve" }), {
    method: "POST",
    path: "/approvals/1",
    body: { decision: "approve" },
    headers: {},
  });
  assert.deepEqual(requestOf("search", { q: ["read", "write"] }).path, "/search?q=read&q=write");
});

test("an input that is the whole body leaves the others for the query", () => {
  assert.deepEqual(
    requestOf("tools.set", { name: "demo.greet", manifest: { enabled: false }, reason: "noisy" }),
    {
      method: "PUT",
      path: "/tools/demo.greet?reason=noisy",
      body: { enabled: false },
      headers: {},
    },
  );
});

test("a wait is said in the header, in seconds", () => {
  assert.deepEqual(requestOf("agent.run", { question: "Why?", approvalWaitMs: 600_000 }), {
    method: "POST",
    path: "/agent",
    body: { question: "Why?" },
    headers: { prefer: "wait=600" },
  });
});

test("of several paths of an operation, the inputs choose one", () => {
  assert.equal(requestOf("servers.refresh", {}).path, "/registry/refresh");
  assert.equal(requestOf("servers.refresh", { name: "git" }).path, "/servers/git/refresh");
  assert.equal(
    requestOf("registry.changes", { what: "tool", name: "x" }).path,
    "/tools/changes?name=x",
  );
  assert.equal(requestOf("registry.changes", { what: "job" }).path, "/jobs/changes");
  assert.equal(requestOf("registry.delete", { kind: "skill", name: "s" }).path, "/skills/s");
});
