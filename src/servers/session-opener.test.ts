import assert from "node:assert/strict";
import { test } from "node:test";
import { createDefaultAnswers } from "./session-opener.ts";

const { signal } = new AbortController();
const ask = (method: string, roots: string[] = []) =>
  createDefaultAnswers(roots)(method, {}, signal);

test("a server that asks for roots gets the configured ones, each with a name", async () => {
  assert.deepEqual(await ask("roots/list"), { roots: [] });
  assert.deepEqual(await ask("roots/list", ["file:///home/ada/my%20project/", "file:///srv"]), {
    roots: [
      { uri: "file:///home/ada/my%20project/", name: "my project" },
      { uri: "file:///srv", name: "srv" },
    ],
  });
});

test("a root that is not well encoded keeps the others and its own name as it stands", async () => {
  assert.deepEqual(await ask("roots/list", ["file:///srv/100%", "file:///srv"]), {
    roots: [
      { uri: "file:///srv/100%", name: "100%" },
      { uri: "file:///srv", name: "srv" },
    ],
  });
});

test("a question to a person is cancelled, a question to a model refused with the reason", async () => {
  assert.deepEqual(await ask("elicitation/create"), { action: "cancel" });
  await assert.rejects(ask("sampling/createMessage"), {
    name: "RpcError",
    code: -1,
    message: /No model/,
  });
});

test("anything else is not known here", async () => {
  await assert.rejects(ask("fixture/other"), {
    code: -32601,
    message: "Method not found: fixture/other",
  });
});
