import assert from "node:assert/strict";
import { test } from "node:test";
import { isWholeTier } from "../../../test/fixtures/tier.ts";
import { type ManifestEntry, toEntry } from "./entries.ts";
import { extendTasks } from "./read-manifests.ts";

const document = { file: "/tasks.json", data: [], lineOf: () => null };
const task = (name: string, more: object = {}) =>
  toEntry(
    { kind: "task", name, ...more },
    { document, source: [], path: "", fallbackName: undefined },
  );

function extend(...entries: ManifestEntry[]) {
  const problems: string[] = [];
  const built = extendTasks(entries, ({ name }, key, message, hint) =>
    problems.push(`${name}.${key}: ${message}. ${hint}`),
  );
  return { built: built.map(({ data }) => data), problems };
}

test("a task has everything of those it builds on, the nearest first", () => {
  const { built, problems } = extend(
    task("top", { extends: "middle", summary: "top" }),
    task("middle", { extends: "base", summary: "middle", description: "of the middle" }),
    task("base", { summary: "base", description: "of the base", required_tools: ["x"] }),
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(built[0], {
    name: "top",
    summary: "top",
    description: "of the middle",
    required_tools: ["x"],
  });
});

test("each task that cannot be built is reported once, with the circle or the name that is meant", () => {
  const { built, problems } = extend(
    task("gather"),
    task("typo", { extends: "gahter" }),
    task("above", { extends: "typo" }),
    task("own", { extends: "own" }),
    task("number", { extends: 5 }),
    task("a", { extends: "b" }),
    task("b", { extends: "a" }),
    task("outside", { extends: "a" }),
  );
  assert.deepEqual(built, [{ name: "gather" }]);
  assert.deepEqual(problems, [
    "typo.extends: there is no task 'gahter' to build on. Did you mean 'gather'?",
    "above.extends: it builds on 'typo', which cannot be built. Mend that task first.",
    "own.extends: a task cannot build on itself. Remove it.",
    "number.extends: must be the name of one task. Write it as a string.",
    "a.extends: tasks build on each other: a → b → a. Remove one 'extends' of them.",
    "b.extends: tasks build on each other: b → a → b. Remove one 'extends' of them.",
    "outside.extends: tasks build on each other: a → b → a. Remove one 'extends' of them.",
  ]);
});

test("a long chain is no mistake", () => {
  const names = Array.from({ length: isWholeTier ? 2_000 : 200 }, (_, at) => `t${at}`);
  const chain = names.map((name, at) =>
    task(name, at === 0 ? { summary: "first" } : { extends: names[at - 1] }),
  );
  const { built, problems } = extend(...chain);
  assert.deepEqual([problems.length, built.at(-1)?.summary], [0, "first"]);
});
