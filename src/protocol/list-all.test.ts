import assert from "node:assert/strict";
import { test } from "node:test";
import type { UnknownObject } from "../model/json.ts";
import { listAll, maxListed } from "./list-all.ts";
import { RpcError } from "./message.ts";

const { signal } = new AbortController();

/** The other side as one function. */
function sessionOf(answer: (params: UnknownObject) => unknown) {
  const cursors: unknown[] = [];
  return {
    cursors,
    async request(_: string, params: UnknownObject) {
      cursors.push(params.cursor);
      return answer(params);
    },
  };
}

test("a listing follows its cursors to the end", async () => {
  const session = sessionOf(({ cursor }) => {
    const page = Number(cursor ?? 0);
    return { tools: [`tool-${page}`], ...(page < 2 ? { nextCursor: String(page + 1) } : {}) };
  });
  const listing = await listAll(session, "tools/list", signal);
  assert.deepEqual(listing, { items: ["tool-0", "tool-1", "tool-2"], warning: null });
  assert.deepEqual(session.cursors, [undefined, "1", "2"]);
});

for (const [title, nextCursor, requests, warns] of [
  ["a cursor that does not advance", "same", 2, true],
  ["an empty cursor that leads to the first page again", "", 2, false],
  ["a cursor that is no text", 7, 1, false],
] as const) {
  test(`${title} ends the listing`, async () => {
    const session = sessionOf(() => ({ tools: ["x"], nextCursor }));
    const { warning } = await listAll(session, "tools/list", signal);
    assert.equal(session.cursors.length, requests);
    assert.equal(warning !== null, warns);
  });
}

test("an empty cursor is followed like any other, and where it is refused the list is complete", async () => {
  const pages = sessionOf(({ cursor }) =>
    cursor === undefined
      ? { tools: ["a"], nextCursor: "" }
      : { tools: ["b"], ...(cursor === "" && { nextCursor: "2" }) },
  );
  assert.deepEqual(await listAll(pages, "tools/list", signal), {
    items: ["a", "b", "b"],
    warning: null,
  });
  assert.deepEqual(pages.cursors, [undefined, "", "2"]);
  const strict = sessionOf(({ cursor }) => {
    if (cursor === "") throw new RpcError(-32602, "Invalid cursor");
    return { tools: ["a"], nextCursor: "" };
  });
  assert.deepEqual(await listAll(strict, "tools/list", signal), { items: ["a"], warning: null });
});

test("a cursor that becomes invalid on the way begins a new walk, once", async () => {
  const forgetful = (failures: number) => {
    let left = failures;
    return sessionOf(({ cursor }) => {
      if (cursor === undefined) return { tools: ["a"], nextCursor: "next" };
      left -= 1;
      if (left >= 0) throw new RpcError(-32602, "Invalid cursor");
      return { tools: ["b"] };
    });
  };
  const once = forgetful(1);
  assert.deepEqual(await listAll(once, "tools/list", signal), { items: ["a", "b"], warning: null });
  assert.deepEqual(once.cursors, [undefined, "next", undefined, "next"]);
  const ever = forgetful(9);
  await assert.rejects(listAll(ever, "tools/list", signal), {
    name: "RpcError",
    message: "Invalid cursor",
  });
  assert.equal(ever.cursors.length, 4);
  const refusing = sessionOf(() => {
    throw new RpcError(-32602, "no list");
  });
  await assert.rejects(listAll(refusing, "tools/list", signal), /no list/);
  assert.equal(refusing.cursors.length, 1);
});

test("cursors that go round in a circle end the listing with a warning", async () => {
  const session = sessionOf(({ cursor }) => ({
    tools: [cursor],
    nextCursor: cursor === "a" ? "b" : "a",
  }));
  const { items, warning } = await listAll(session, "tools/list", signal);
  assert.deepEqual(items, [undefined, "a", "b"]);
  assert.match(warning ?? "", /same cursor/);
});

test("pages without end are cut off, and so are items", async () => {
  let page = 0;
  const endless = sessionOf(() => ({ tools: ["x"], nextCursor: String(page++) }));
  const { items, warning } = await listAll(endless, "tools/list", signal);
  assert.equal(items.length, maxListed.pages);
  assert.match(warning ?? "", /1000 pages/);
  const wide = sessionOf(() => ({ tools: Array(3_000).fill("x"), nextCursor: String(page++) }));
  const cut = await listAll(wide, "tools/list", signal);
  assert.equal(cut.items.length, maxListed.items);
  assert.match(cut.warning ?? "", /left out/);
});

for (const answer of [{}, null, { tools: {} }, []]) {
  test(`a listing answered with ${JSON.stringify(answer)} fails`, async () => {
    await assert.rejects(
      listAll(
        sessionOf(() => answer),
        "tools/list",
        signal,
      ),
      /no list 'tools'/,
    );
  });
}

test("every list is found under its own key", async () => {
  const session = sessionOf(() => ({ resourceTemplates: [{ name: "t" }] }));
  const { items } = await listAll(session, "resources/templates/list", signal);
  assert.deepEqual(items, [{ name: "t" }]);
});

test("a list with more tools than are taken counts those that are left out", async () => {
  const pages = [12_000, 8_300].map((count) =>
    Array.from({ length: count }, (_, at) => ({ name: `t${at}` })),
  );
  const request = async (_: string, { cursor }: { cursor?: unknown } = {}) =>
    cursor === undefined ? { tools: pages[0], nextCursor: "more" } : { tools: pages[1] };
  const listing = await listAll({ request }, "tools/list", new AbortController().signal);
  assert.deepEqual([listing.items.length, listing.leftOut], [20_000, 300]);
  assert.match(listing.warning ?? "", /beyond 20000 were left out: 300$/);
});
