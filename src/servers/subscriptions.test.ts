import assert from "node:assert/strict";
import { test } from "node:test";
import { RpcError } from "../protocol/message.ts";
import type { Session } from "../protocol/session.ts";
import { createSubscriptions } from "./gateway-ports.ts";

const defaultPrincipal = { user: null, conversation: null };

function subscriptionsOf(era: "legacy" | "modern") {
  const asked: string[] = [];
  const session = {
    era,
    request: async (method: string) => void asked.push(method),
  } as unknown as Session;
  const subscriptions = createSubscriptions(
    () => session,
    async (_server, method, { uri }) => {
      asked.push(`${method} ${uri}`);
      if (era === "modern") throw new RpcError(-32601, "Method not found");
    },
  );
  return { asked, subscriptions };
}

test("however many want to hear of a resource, its server is asked once, and told when the last has left", async () => {
  const { asked, subscriptions } = subscriptionsOf("legacy");
  const first = await subscriptions.add("one", "fx://a", defaultPrincipal);
  const second = await subscriptions.add("one", "fx://a", defaultPrincipal);
  first();
  first();
  assert.deepEqual(asked, ["resources/subscribe fx://a"]);
  second();
  assert.deepEqual(asked, ["resources/subscribe fx://a", "resources/unsubscribe fx://a"]);
});

test("a server that was started again is asked again", async () => {
  const { asked, subscriptions } = subscriptionsOf("legacy");
  await subscriptions.add("one", "fx://a", defaultPrincipal);
  subscriptions.renew("other");
  subscriptions.renew("one");
  assert.deepEqual(asked, ["resources/subscribe fx://a", "resources/subscribe fx://a"]);
});

test("a server of the later revision is listened to instead", async () => {
  const { asked, subscriptions } = subscriptionsOf("modern");
  const leave = await subscriptions.add("one", "fx://a", defaultPrincipal);
  assert.deepEqual(asked, ["resources/subscribe fx://a", "subscriptions/listen"]);
  leave();
  assert.equal(asked.length, 2);
});

test("watchers that come while the server is asked share its answer, and a no leaves nothing behind", async () => {
  const asked: string[] = [];
  let answer = Promise.withResolvers<void>();
  const subscriptions = createSubscriptions(
    () => ({ era: "legacy" }) as Session,
    (_server, method) => {
      asked.push(method);
      return answer.promise;
    },
  );
  const together = [
    subscriptions.add("one", "fx://a", defaultPrincipal),
    subscriptions.add("one", "fx://a", defaultPrincipal),
  ];
  answer.reject(new Error("not now"));
  for (const one of together) await assert.rejects(one, /not now/);
  assert.deepEqual(asked, ["resources/subscribe"]);
  answer = Promise.withResolvers();
  answer.resolve();
  const leave = await subscriptions.add("one", "fx://a", defaultPrincipal);
  leave();
  assert.deepEqual(asked, ["resources/subscribe", "resources/subscribe", "resources/unsubscribe"]);
});
