import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "../protocol/session.ts";
import { createOffers } from "./offers.ts";

const signal = new AbortController().signal;

/** A session that counts how often it is asked. */
function sessionOf(capabilities: object) {
  const asked: string[] = [];
  const request = async (method: string) => {
    asked.push(method);
    return { prompts: [{ name: `of question ${asked.length}` }], resources: [], resourceTemplates: [] };
  };
  return { asked, session: { capabilities, request } as unknown as Session };
}

function offersOf(first: Session) {
  let live: Session | null = first;
  const offers = createOffers({ windowMs: 0, live: () => live, session: async () => first });
  return {
    offers,
    become(next: Session | null) {
      live = next;
    },
  };
}

test("a list is asked for once and again when the server says that it changed", async () => {
  const { asked, session } = sessionOf({ prompts: {} });
  const { offers } = offersOf(session);
  await offers.list("prompts/list", signal);
  await offers.list("prompts/list", signal);
  offers.changed("resources");
  assert.deepEqual(await offers.list("prompts/list", signal), [{ name: "of question 1" }]);
  offers.changed("prompts");
  assert.deepEqual(await offers.list("prompts/list", signal), [{ name: "of question 2" }]);
  assert.deepEqual(asked, ["prompts/list", "prompts/list"]);
});

test("a notice about resources is one about their templates too", async () => {
  const { asked, session } = sessionOf({ resources: {} });
  const { offers } = offersOf(session);
  for (const _ of [1, 2]) {
    await offers.list("resources/list", signal);
    await offers.list("resources/templates/list", signal);
    offers.changed("resources");
  }
  assert.equal(asked.length, 4);
});

test("whoever has none is not asked for them", async () => {
  const { asked, session } = sessionOf({ tools: {} });
  assert.deepEqual(await offersOf(session).offers.list("prompts/list", signal), []);
  assert.deepEqual(asked, []);
});

test("what a server listed is good while it is not running, and asked for again in its next life", async () => {
  const [before, after] = [sessionOf({ prompts: {} }), sessionOf({ prompts: {} })];
  const { offers, become } = offersOf(before.session);
  await offers.list("prompts/list", signal);
  become(null);
  await offers.list("prompts/list", signal);
  assert.equal(before.asked.length, 1);
  become(after.session);
  await offers.list("prompts/list", signal);
  assert.equal(after.asked.length, 1);
});

test("a list that failed is asked for again", async () => {
  let isBroken = true;
  const request = async () => {
    if (isBroken) throw new Error("not now");
    return { prompts: [] };
  };
  const { offers } = offersOf({ capabilities: { prompts: {} }, request } as unknown as Session);
  await assert.rejects(offers.list("prompts/list", signal), /not now/);
  isBroken = false;
  assert.deepEqual(await offers.list("prompts/list", signal), []);
});
