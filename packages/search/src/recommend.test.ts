import assert from "node:assert/strict";
import { test } from "node:test";
import { findable } from "@toolplane/test/samples/search-tools";
import { recommend } from "./answer.ts";
import { createSearch } from "./tool-search.ts";

test("for a task those tools and servers are named that fit it, and no others", () => {
  const tools = [
    findable("playwright", "browser_take_screenshot", "Take a screenshot of the current page"),
    findable("playwright", "browser_navigate", "Navigate to a URL"),
    findable("sqlite", "read_query", "Execute a SELECT query on the SQLite database"),
    findable("mail", "send", "Send an email"),
  ];
  const search = createSearch();
  search.update(tools, () => "");
  const task = "Open the shop's page and take a screenshot of it";
  const found = recommend(task, search.rank(task, tools, 50), { limit: 15, summaryLimit: 100 });
  assert.equal(found.tools[0]?.name, "playwright.browser_take_screenshot");
  assert.deepEqual(
    found.servers.map(({ name }) => name),
    ["playwright"],
  );
});

test("it is never more than was asked for, and scores are shares", () => {
  const hits = Array.from({ length: 40 }, (_, at) => ({
    tool: findable(`s${at % 3}`, `t${at}`, "Does it"),
    score: 0.9 - at / 1000,
  }));
  const { tools, servers } = recommend("task", hits, { limit: 15, summaryLimit: 20 });
  assert.equal(tools.length, 15);
  assert.deepEqual(
    servers.map(({ tools: count }) => count),
    [5, 5, 5],
  );
  assert.ok(servers.every(({ score }) => score > 0.9 && score <= 1));
  assert.deepEqual(recommend("task", [], { limit: 15, summaryLimit: 20 }), {
    task: "task",
    servers: [],
    tools: [],
  });
});
