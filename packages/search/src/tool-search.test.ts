import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSearch, type SearchRequest } from "@toolplane/core/model/catalogue/search";
import { findable, needing } from "@toolplane/test/samples/search-tools";
import type { Findable } from "./fields.ts";
import { createSearch } from "./tool-search.ts";

const tools = [
  findable("github", "create_issue", "Create a new issue in a GitHub repository", {
    parameters: needing("owner", "repo", "title"),
  }),
  findable("github", "search_repositories", "Search for GitHub repositories"),
  findable(
    "mail",
    "send_message",
    "Sends an email to one or more people. Attachments are allowed.",
  ),
  findable("weather", "get_forecast", "Weather forecast for a city", {
    parameters: needing("city"),
  }),
  findable("files", "read_file", "Read the complete contents of a file"),
  findable("backup", "read_file", "Read the complete contents of a file"),
  findable("browser", "capture", "Takes a screenshot of a web page"),
  findable(null, "daily_report", "Writes the daily report"),
];

type Settings = {
  visible?: readonly Findable[];
  embed?: Parameters<typeof createSearch>[0];
  orWords?: boolean;
};

async function ask(
  request: SearchRequest,
  { visible = tools, embed = {}, orWords = false }: Settings = {},
) {
  const search = createSearch(embed);
  search.update(tools, (server) => (server === "browser" ? "Automates Chrome" : ""));
  const parsed = parseSearch(request);
  return search.find(parsed, visible, { limit: parsed.limit ?? 5, summaryLimit: 100, orWords });
}

const namesOf = async (...asked: Parameters<typeof ask>) =>
  (await ask(...asked)).tools.map(({ name }) => name);

test("words find tools by name, text, parameters, server and what is said about it", async () => {
  const cases: [string, string][] = [
    ["open a new ticket in my repo", "github.create_issue"],
    ["emails with attachments", "mail.send_message"],
    ["forecasting for cities", "weather.get_forecast"],
    ["chrome", "browser.capture"],
    ["REPORTS", "daily_report"],
    ["GitHub repositories", "github.search_repositories"],
  ];
  for (const [query, name] of cases) assert.equal((await namesOf({ query }))[0], name, query);
});

test("an answer says what a call needs, in short", async () => {
  const {
    tools: found,
    query,
    total,
    truncated,
    next,
  } = await ask({ query: "create an issue on GitHub", limit: 1 });
  assert.deepEqual([query, found.length, truncated], ["create an issue on GitHub", 1, true]);
  assert.ok(total > 1);
  assert.ok(next.includes("github.search_repositories"));
  const [{ score, ...tool } = { score: 0 }] = found;
  assert.ok(score > 0 && score <= 1);
  assert.deepEqual(tool, {
    name: "github.create_issue",
    server: "github",
    summary: "Create a new issue in a GitHub repository",
    required: ["owner", "repo", "title"],
  });
});

test("a tool that is asked for by name comes first, in any spelling", async () => {
  for (const query of [
    "github.create_issue",
    "mcp__github__create_issue",
    "github_create_issue",
    "create_issue",
    "createIssue",
  ]) {
    const { tools: found } = await ask({ query });
    assert.deepEqual([found[0]?.name, found[0]?.score], ["github.create_issue", 1], query);
  }
});

test("select takes tools by name and tells which are not there", async () => {
  const {
    tools: found,
    note,
    total,
  } = await ask({ query: "select: daily_report, mail.send_message,mail.sned" });
  assert.deepEqual(
    found.map(({ name }) => name),
    ["daily_report", "mail.send_message"],
  );
  assert.equal(total, 2);
  assert.match(note ?? "", /^No tool 'mail\.sned'\./);
});

test("an empty query shows the first by name", async () => {
  const answer = await ask({ query: " ", limit: 2 });
  assert.deepEqual(
    answer.tools.map(({ name }) => name),
    ["backup.read_file", "browser.capture"],
  );
  assert.deepEqual([answer.total, answer.truncated, answer.next.length], [8, true, 5]);
});

test("the same tool on two servers is one line", async () => {
  const { tools: found } = await ask({ query: "read a file" });
  assert.deepEqual([found[0]?.name, found[0]?.alsoOn], ["files.read_file", ["backup"]]);
});

test("a search is narrowed to a server, or to those that a glob fits", async () => {
  assert.deepEqual(await namesOf({ query: "read a file", server: "files" }), ["files.read_file"]);
  assert.deepEqual(await namesOf({ query: "read a file", server: "b*" }), ["backup.read_file"]);
  assert.deepEqual(await namesOf({ query: "", server: "*ow*" }), ["browser.capture"]);
});

test("a tool that a caller may not see is neither found nor counted", async () => {
  const visible = tools.filter(({ id }) => id.server !== "github");
  for (const request of [
    { query: "create an issue in a repository" },
    { query: "github.create_issue" },
    { query: "select:github.create_issue" },
    { query: "issue", regex: true },
    { queries: ["issue", "github"] },
  ]) {
    const answer = await ask(request, { visible });
    const seen = JSON.stringify({ ...answer, query: "", note: "" });
    assert.ok(!seen.includes("github"), seen);
  }
  assert.equal((await ask({ query: "" }, { visible })).total, 6);
});

test("a query without a match names the unknown words and the nearest servers", async () => {
  const { note, tools: found } = await ask({
    query: "translate Sanskrit poetry about the weather",
  });
  assert.match(note ?? "", /No good match/);
  assert.match(note ?? "", /'sanskrit', 'poetry'/);
  assert.match(note ?? "", /nearest servers are weather/);
  assert.ok(found.length > 0);
  const nothing = await ask({ query: "🦄" });
  assert.deepEqual([nothing.total, nothing.tools], [0, []]);
  assert.match(nothing.note ?? "", /Nothing matches '🦄'/);
  assert.equal((await ask({ query: "send an email" })).note, undefined);
});

test("several things are looked for at once", async () => {
  const found = await namesOf({
    queries: ["weather forecast", "send an email", "take a screenshot"],
    limit: 3,
  });
  assert.deepEqual(found.sort(), ["browser.capture", "mail.send_message", "weather.get_forecast"]);
});

test("a pattern is looked for in names first, then in everything else", async () => {
  assert.deepEqual(await namesOf({ query: "^(create|search)_", regex: true }), [
    "github.create_issue",
    "github.search_repositories",
  ]);
  assert.deepEqual(await namesOf({ query: "FORE.?cast|screen", regex: true }), [
    "weather.get_forecast",
    "browser.capture",
  ]);
  assert.deepEqual(await namesOf({ query: "^city$", regex: true }), ["weather.get_forecast"]);
  const { tools: found } = await ask({ query: "automates", regex: true });
  assert.deepEqual([found[0]?.name, (found[0]?.score ?? 0) > 0], ["browser.capture", true]);
});

test("what is no pattern is refused with what is wrong, or taken for words where that is wanted", async () => {
  for (const query of ["read a file (", "file".repeat(60)]) {
    await assert.rejects(ask({ query, regex: true }), {
      code: "USAGE",
      message:
        /^'[^']{1,61}' is not a valid search pattern: .*Leave out 'regex' to look for words\.$/,
    });
    const { note } = await ask({ query, regex: true }, { orWords: true });
    assert.match(note ?? "", /not a valid search pattern; its words were searched for instead/);
    assert.ok(!note?.includes("(?im)"), note);
  }
  assert.equal(
    (await namesOf({ query: "read a file (", regex: true }, { orWords: true }))[0],
    "files.read_file",
  );
});

test("a long query is not repeated in the answer", async () => {
  for (const query of ["x".repeat(10_000), `select:${"y".repeat(9_000)}`, "ab ".repeat(3_000)]) {
    const answer = await ask({ query }, { orWords: true });
    assert.ok(JSON.stringify(answer).length < 2_000, String(JSON.stringify(answer).length));
  }
});

test("tools that have the verb and not its object are reported for what they are", async () => {
  const { note } = await ask({ query: "delete weather" });
  assert.match(note ?? "", /No good match|None of these mentions 'delete'/);
  assert.equal((await ask({ query: "read a file" })).note, undefined);
});

test("your own synonyms stand over the usual ones", async () => {
  assert.deepEqual(await namesOf({ query: "brolly" }), []);
  const synonyms = () => ({ brolly: ["Weather"], photo: [] });
  assert.equal(
    (await namesOf({ query: "brolly" }, { embed: { synonyms } }))[0],
    "weather.get_forecast",
  );
});

test("what a query wants done counts: committing finds the tool that commits, not those that show commits", () => {
  const git = [
    findable("git", "git_show", "Shows the contents of a commit"),
    findable("git", "git_log", "Shows the commit logs"),
    findable("git", "git_diff_staged", "Shows changes that are staged for commit"),
    findable("git", "git_commit", "Records changes to the repository"),
  ];
  const search = createSearch();
  search.update(git, () => "");
  for (const query of ["commit my changes to git", "commit changes", "commit"])
    assert.equal(search.rank(query, git, 1)[0]?.tool.name, "git.git_commit", query);
});

test("a search answers from what is indexed while very many tools are still read", async () => {
  const tools = Array.from({ length: 12_500 }, (_, at) =>
    findable("big", `tool_${at}`, `Does the thing number${at}.`),
  );
  const search = createSearch();
  const serverText = () => "";
  const options = { limit: 5, summaryLimit: 100 };
  let left = await search.updateSoon(tools, serverText);
  const find = (query: string) => search.find(parseSearch({ query }), tools, options);
  let early = await find("number7");
  while (left > 0 && early.tools.length === 0) {
    left = await search.updateSoon(tools, serverText);
    early = await find("number7");
  }
  assert.equal(early.tools[0]?.name, "big.tool_7", "the first are there already");
  while (left > 0) left = await search.updateSoon(tools, serverText);
  const late = await find("number12499");
  assert.equal(late.tools[0]?.name, "big.tool_12499");
});
