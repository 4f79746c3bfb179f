import assert from "node:assert/strict";
import { test } from "node:test";
import { injectedCall } from "../../../test/samples/calls.ts";
import type { HookDecision } from "../../model/access/hook.ts";
import type { RunHooks } from "./ask-hooks.ts";
import { createHookSessions } from "./hooks.ts";

function asking(...decisions: HookDecision[]) {
  const asked: string[] = [];
  const askHooks: RunHooks = async (event, { payload }) => {
    asked.push(event);
    const decision = decisions[asked.length - 1] ?? "continue";
    return { decision, by: "h", reason: decision === "deny" ? "not you" : null, payload };
  };
  return { asked, askHooks };
}

const inConversation = (conversation: string | undefined, user = "ada") => {
  const call = injectedCall();
  const options = conversation === undefined ? {} : { conversation };
  return { ...call, options, principal: { ...call.principal, user } };
};

test("a conversation is asked about once for each user, also when its first calls come together", async () => {
  const sessions = createHookSessions();
  const { asked, askHooks } = asking();
  const calls = [
    inConversation("a"),
    inConversation("a"),
    inConversation("b"),
    inConversation("a", "bob"),
  ];
  assert.deepEqual(await Promise.all(calls.map((call) => sessions.refusal(call, askHooks))), [
    null,
    null,
    null,
    null,
  ]);
  await sessions.refusal(inConversation("a"), askHooks);
  await sessions.refusal(inConversation(undefined), askHooks);
  assert.equal(asked.length, 3);
});

test("a conversation that is refused is asked about again with its next call", async () => {
  const sessions = createHookSessions();
  const { askHooks } = asking("deny", "continue");
  assert.deepEqual(await sessions.refusal(inConversation("a"), askHooks), {
    verdict: "deny",
    origin: "hook:h",
    reason: "not you",
  });
  assert.equal(await sessions.refusal(inConversation("a"), askHooks), null);
});

test("a conversation that has ended begins again", async () => {
  const sessions = createHookSessions();
  const { asked, askHooks } = asking();
  const call = inConversation("a");
  await sessions.refusal(call, askHooks);
  await sessions.end(call.principal, "a", askHooks);
  await sessions.refusal(call, askHooks);
  assert.deepEqual(asked, ["SessionStart", "SessionEnd", "SessionStart"]);
});

test("a caller that gave up leaves neither a conversation that cannot begin nor others without an answer", async () => {
  const sessions = createHookSessions();
  const gone = () => Promise.reject(new Error("gone"));
  const first = sessions.refusal(inConversation("a"), gone);
  const second = sessions.refusal(inConversation("a"), asking().askHooks);
  await assert.rejects(first, /gone/);
  assert.equal(await second, null);
});
