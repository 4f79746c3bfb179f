import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleMetadata, sampleTool } from "../../test/samples/calls.ts";
import type { Tool, ToolMetadata } from "../model/catalogue/tool.ts";
import { type ToolQuery, unfilteredQuery } from "../model/catalogue/tool-query.ts";
import { PlaneError } from "../model/errors.ts";
import { queryTools } from "./query-tools.ts";
import { byRegistryKey } from "./registry.ts";

type Said = {
  server?: string;
  persona?: string;
  providers?: string[];
  title?: string;
  description?: string;
};

function tool(name: string, said: Said, metadata: Partial<ToolMetadata> = {}): Tool {
  const { server = null, persona = null, providers = ["mcp"], title, description = "" } = said;
  return sampleTool({
    id: { server, tool: name },
    name,
    description,
    ...(title === undefined ? {} : { title }),
    persona,
    metadata: sampleMetadata(metadata),
    providers: providers.map((kind) => ({
      name: kind,
      priority: 0,
      health_check_interval: 300,
      config: {},
    })),
  });
}

/** The two manifests of seed 001, what it discovers, and tools of two personas. */
const catalogue = [
  tool(
    "google_search",
    { description: "A Google search result API...", providers: ["google_cse", "serpapi"] },
    {
      side_effects: "none",
      capabilities: ["Web_Search", "news"],
    },
  ),
  tool(
    "browser_lookup",
    { description: "Proxy to the MCP browser tool", providers: ["mcp", "openai"] },
    {
      version: "1.2",
      capabilities: ["web_search"],
      safety_level: "medium",
    },
  ),
  tool("echo.add", { server: "echo", title: "Sum (a+b)" }, { version: "2.0.0-beta.1" }),
  tool(
    "atlas_notes",
    { persona: "Atlas" },
    { version: "1.2.3", safety_level: "low", side_effects: "write" },
  ),
  tool(
    "nova_wipe",
    { persona: "Nova" },
    { version: "2.0.0", safety_level: "high", side_effects: "filesystem" },
  ),
  tool("odd_version", { description: "Counts to a hundred" }, { version: "newest" }),
];
const rates: Record<string, { total: number; success_rate: number }> = {
  google_search: { total: 10, success_rate: 0.5 },
  browser_lookup: { total: 10, success_rate: 0.8 },
  atlas_notes: { total: 2, success_rate: 1 },
  nova_wipe: { total: 4, success_rate: 0 },
};
const healthOf = ({ name }: Tool) => rates[name] ?? { total: 0, success_rate: 0 };
const run = (query: Partial<ToolQuery>, tools: readonly Tool[] = catalogue) =>
  queryTools(tools.toSorted(byRegistryKey), { ...unfilteredQuery, ...query }, healthOf);
const namesOf = (tools: readonly Tool[]) => tools.map(({ name }) => name);

const shared = ["browser_lookup", "echo.add", "google_search", "odd_version"];
const all = [
  "atlas_notes",
  "browser_lookup",
  "echo.add",
  "google_search",
  "nova_wipe",
  "odd_version",
];

const cases: [title: string, query: Partial<ToolQuery>, names: string[]][] = [
  ["nothing asked", {}, all],
  ["a persona", { personas: ["Atlas"] }, ["atlas_notes", ...shared]],
  ["a persona in other letters", { personas: ["aTLAS"] }, ["atlas_notes", ...shared]],
  ["two personas", { personas: ["Atlas", "Nova"] }, all],
  ["a persona that has nothing", { personas: ["Unknown"] }, shared],
  ["the shared ones by name", { personas: ["shared"] }, shared],
  ["a persona without what is shared", { personas: ["Atlas", "-shared"] }, ["atlas_notes"]],
  ["the word before the persona", { personas: ["-shared", "Atlas"] }, ["atlas_notes"]],
  ["the word !shared", { personas: ["Atlas", "!shared"] }, ["atlas_notes"]],
  ["the word no-shared", { personas: ["Nova", "no-shared"] }, ["nova_wipe"]],
  ["the word without-shared", { personas: ["Nova", "Without-Shared"] }, ["nova_wipe"]],
  ["the word shared=false", { personas: ["Nova", "shared=false"] }, ["nova_wipe"]],
  ["the word shared:false", { personas: ["Nova", "SHARED:FALSE"] }, ["nova_wipe"]],
  ["only the word", { personas: ["-shared"] }, ["atlas_notes", "nova_wipe"]],
  ["two of the words", { personas: ["-shared", "!shared"] }, ["atlas_notes", "nova_wipe"]],
  ["a capability", { capabilities: ["web_search"] }, ["browser_lookup", "google_search"]],
  ["a capability in other letters", { capabilities: ["NEWS"] }, ["google_search"]],
  ["two capabilities, both needed", { capabilities: ["web_search", "News"] }, ["google_search"]],
  ["half a capability", { capabilities: ["web"] }, []],
  ["a provider", { providers: ["openai"] }, ["browser_lookup"]],
  ["a provider in other letters", { providers: ["SerpAPI"] }, ["google_search"]],
  ["two providers, both needed", { providers: ["mcp", "openai"] }, ["browser_lookup"]],
  ["providers no tool has together", { providers: ["openai", "serpapi"] }, []],
  ["a version with parts missing", { version: "1.2.0" }, ["browser_lookup"]],
  [
    "a range of the seed",
    { version: ">=1.0.0,<2.0.0" },
    ["atlas_notes", "browser_lookup", "echo.add", "google_search"],
  ],
  ["a caret", { version: "^1.2" }, ["atlas_notes", "browser_lookup"]],
  ["a tilde", { version: "~1.0" }, ["google_search"]],
  ["what is not released", { version: ">=2.0.0-0, <2.0.0" }, ["echo.add"]],
  ["any version that is one", { version: "*" }, all.filter((name) => name !== "odd_version")],
  ["a success rate", { minSuccessRate: 0.8 }, ["atlas_notes", "browser_lookup"]],
  ["a rate of everything", { minSuccessRate: 1 }, ["atlas_notes"]],
  ["a rate of nothing", { minSuccessRate: 0 }, all],
  [
    "a rate and tools without calls",
    { minSuccessRate: 0.8, includeUnused: true },
    ["atlas_notes", "browser_lookup", "echo.add", "odd_version"],
  ],
  [
    "only what was called",
    { includeUnused: false },
    ["atlas_notes", "browser_lookup", "google_search", "nova_wipe"],
  ],
  [
    "any rate of what was called",
    { minSuccessRate: 0, includeUnused: false },
    ["atlas_notes", "browser_lookup", "google_search", "nova_wipe"],
  ],
  ["also tools without calls", { includeUnused: true }, all],
  ["a side effect", { sideEffects: ["none"] }, ["google_search"]],
  [
    "one of two side effects",
    { sideEffects: ["write", "filesystem"] },
    ["atlas_notes", "nova_wipe"],
  ],
  ["a safety level", { safetyLevels: ["high"] }, ["nova_wipe"]],
  [
    "one of two safety levels",
    { safetyLevels: ["low", "medium"] },
    ["atlas_notes", "browser_lookup"],
  ],
  ["a server", { server: "echo" }, ["echo.add"]],
  ["a word of a description", { q: "PROXY" }, ["browser_lookup"]],
  ["a word of a name or a capability", { q: "search" }, ["browser_lookup", "google_search"]],
  ["two words in any order", { q: "api google" }, ["google_search"]],
  ["a word of a title, with signs in it", { q: "(a+b)" }, ["echo.add"]],
  ["words that are nowhere", { q: "unicorn" }, []],
  ["every dot is a dot", { q: "a.d" }, []],
  [
    "several filters at once",
    { personas: ["Atlas"], version: "^1", minSuccessRate: 0.8, sideEffects: ["write"] },
    ["atlas_notes"],
  ],
  ["filters that exclude each other", { server: "echo", providers: ["openai"] }, []],
];

for (const [title, query, names] of cases) {
  test(`${title}: ${names.length} of ${all.length}`, () => {
    const { total, tools, nextCursor } = run(query);
    assert.deepEqual([namesOf(tools), total, nextCursor], [names, names.length, null]);
  });
}

test("pages follow each other by name, and the last one says so", () => {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const page = run({ limit: 4, cursor });
    assert.equal(page.total, all.length);
    pages.push(namesOf(page.tools));
    cursor = page.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(pages, [all.slice(0, 4), all.slice(4)]);
});

test("a page that ends with the last tool has no next one", () => {
  assert.equal(run({ limit: all.length }).nextCursor, null);
  assert.equal(run({ limit: all.length - 1 }).nextCursor !== null, true);
});

test("a cursor goes on in the right place after its tool is gone and others have come", () => {
  const { nextCursor } = run({ limit: 2 });
  const later = [
    ...catalogue.filter(({ name }) => name !== "browser_lookup"),
    tool("börse", {}),
    tool("aaa", {}),
  ];
  assert.deepEqual(namesOf(run({ cursor: nextCursor, limit: 2 }, later).tools), [
    "börse",
    "echo.add",
  ]);
});

test("a shared tool and what personas have in its place are distinguished by pages, too", () => {
  const three = [
    tool("x", { persona: "Nova" }),
    tool("x", {}),
    tool("x.y", {}),
    tool("x", { persona: "Atlas" }),
  ];
  const owners: (string | null)[] = [];
  let cursor: string | null = null;
  do {
    const page = run({ limit: 1, cursor }, three);
    owners.push(...page.tools.map(({ persona }) => persona));
    cursor = page.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(owners, [null, "Atlas", "Nova", null]);
});

for (const [query, parameter, message] of [
  [
    { version: ">=newest" },
    "version",
    /'>=newest' cannot be read: 'newest' is not a valid version\. Write it like/,
  ],
  [
    { cursor: "not a cursor" },
    "cursor",
    /'not a cursor' is not a valid cursor: take the 'nextCursor'/,
  ],
  [{ cursor: "////" }, "cursor", /is not a valid cursor/],
] as const) {
  test(`${parameter} '${Object.values(query)[0]}' is refused with the remedy`, () => {
    assert.throws(
      () => run(query),
      (thrown) => {
        assert.ok(thrown instanceof PlaneError);
        assert.deepEqual([thrown.code, thrown.data.parameter], ["USAGE", parameter]);
        assert.match(thrown.message, message);
        return true;
      },
    );
  });
}

test("a query typed letter by letter finds the same as the whole query", () => {
  const listed = [...catalogue];
  for (const text of ["search API", "GOOGLE  search", "echo.add", "web_search news"]) {
    for (let length = 1; length <= text.length; length += 1) {
      const query = { ...unfilteredQuery, q: text.slice(0, length).trim() };
      const named = (tools: readonly Tool[]) =>
        queryTools(tools, query, () => ({ total: 0, success_rate: 0 }));
      assert.deepEqual(named(listed), named([...catalogue]), query.q);
    }
  }
});
