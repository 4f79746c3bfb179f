import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallAnswer, RunSummary } from "../../api/queries.ts";
import { groupCalls, toolsOf } from "./group-calls.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 9, minute)).toISOString();
type More = { user?: string; face?: string; key?: string; run?: string; conversation?: string };
const call = (
  id: string,
  minute: number,
  { user = "ann", face = "mcp", key, ...within }: More = {},
) => {
  const principal = { user, ...(key === undefined ? {} : { key }) };
  return { id, at: at(minute), face, principal, ...within } as unknown as CallAnswer;
};
const run = (id: string, conversation: string) => ({ id, conversation }) as unknown as RunSummary;
const idsOf = (calls: CallAnswer[], runs: RunSummary[] = []) =>
  groupCalls(calls, runs).map((group) => group.calls.map(({ id }) => id));

test("calls of a client without a session belong together until it pauses", () => {
  const calls = [
    call("e", 40),
    call("d", 35, { user: "bob" }),
    call("c", 33),
    call("b", 20),
    call("a", 12),
  ];
  assert.deepEqual(idsOf(calls), [["e", "c"], ["d"], ["b", "a"]]);
  assert.deepEqual(idsOf([call("b", 1, { key: "one" }), call("a", 0, { key: "two" })]), [
    ["b"],
    ["a"],
  ]);
  assert.deepEqual(idsOf([call("b", 1, { face: "http" }), call("a", 0)]), [["b"], ["a"]]);
});

test("runs of one conversation belong together, however long it pauses; unknown runs stand alone", () => {
  const calls = [
    call("d", 59, { run: "r2" }),
    call("c", 58),
    call("b", 1, { run: "r1" }),
    call("a", 0, { run: "r0" }),
  ];
  const runs = [run("r2", "planning"), run("r1", "planning")];
  assert.deepEqual(idsOf(calls, runs), [["d", "b"], ["c"], ["a"]]);
  assert.deepEqual(
    groupCalls(calls, runs)[0]?.runs.map(({ id }) => id),
    ["r2", "r1"],
  );
});

test("calls that name a conversation belong together, whatever came between; two users with one name do not", () => {
  const one = { conversation: "s1" };
  const two = { conversation: "s2" };
  const calls = [
    call("e", 59, one),
    call("d", 58, two),
    call("c", 57),
    call("b", 1, one),
    call("a", 0, two),
  ];
  assert.deepEqual(idsOf(calls), [["e", "b"], ["d", "a"], ["c"]]);
  assert.deepEqual(
    groupCalls(calls, []).map(({ conversation }) => conversation),
    ["s1", "s2", null],
  );
  assert.deepEqual(idsOf([call("b", 1, { ...one, user: "bob" }), call("a", 0, one)]), [
    ["b"],
    ["a"],
  ]);
  assert.deepEqual(idsOf([call("b", 1, { ...one, face: "agent" }), call("a", 0, one)]), [
    ["b", "a"],
  ]);
});

test("a group is named by its tools, those called most first", () => {
  const of = (...tools: string[]) => tools.map((tool) => ({ tool }));
  assert.equal(toolsOf(of("git.log")), "git.log");
  assert.equal(toolsOf(of("git.log", "git.push", "git.push")), "git.push, git.log");
  assert.equal(toolsOf(of("a.a", "b.b", "c.c", "d.d", "e.e")), "a.a, b.b, c.c and 2 more");
});
