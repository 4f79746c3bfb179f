import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Embed,
  parseSearch,
  type SearchRequest,
} from "@toolplane/core/model/catalogue/search";
import { findable } from "@toolplane/test/samples/search-tools";
import { createSearch } from "./tool-search.ts";

const tools = [
  findable("github", "create_issue", "Create a new issue in a GitHub repository"),
  findable(
    "mail",
    "send_message",
    "Sends an email to one or more people. Attachments are allowed.",
  ),
  findable("weather", "get_forecast", "Weather forecast for a city"),
  findable("backup", "read_file", "Read the complete contents of a file"),
];

type Parts = NonNullable<Parameters<typeof createSearch>[0]>;

async function ask(
  request: SearchRequest,
  { embed }: { embed?: Embed } = {},
  vectorStore: Parts["vectorStore"] = {},
) {
  const embedder = embed && { id: "own", name: "own", embed, isKept: false };
  const search = createSearch(embedder ? { embedder: () => embedder, vectorStore } : {});
  search.update(tools, () => "");
  return search.find(parseSearch(request), tools, { limit: 5, summaryLimit: 100 });
}

const namesOf = async (...asked: Parameters<typeof ask>) =>
  (await ask(...asked)).tools.map(({ name }) => name);

test("an embedder has a say where words do not match, and names still come first", async () => {
  const meanings = [/mail|letter|correspond/i, /weather|rain|forecast/i, /issue|bug/i];
  const embed = async (texts: readonly string[]) =>
    texts.map((text) => meanings.map((meaning) => (meaning.test(text) ? 1 : 0)));
  const found = await namesOf({ query: "rain tomorrow" }, { embed });
  assert.equal(found[0], "weather.get_forecast");
  assert.deepEqual(await namesOf({ query: "rain tomorrow" }), []);
  assert.equal((await namesOf({ query: "read_file" }, { embed }))[0], "backup.read_file");
});

test("a definition is embedded once, however many search at the same time", async () => {
  const embedded: string[] = [];
  const embed = async (texts: readonly string[]) => {
    embedded.push(...texts);
    return texts.map(() => [1]);
  };
  await ask({ queries: ["a mail", "a file", "the weather"] }, { embed });
  assert.equal(embedded.length, tools.length + 3);
});

test("an embedder that fails costs nothing but its say", async () => {
  const broken = [
    async () => [],
    async (texts: readonly string[]) => texts.map((_, at) => (at === 0 ? [1] : [1, 2])),
    async () => Promise.reject(new Error("no model")),
  ];
  for (const embed of broken) {
    const failures: string[] = [];
    const onFailed = (model: string, reason: string) => failures.push(`${model}: ${reason}`);
    const { tools: found, note } = await ask(
      { queries: ["send an email", "mail"] },
      { embed },
      { onFailed },
    );
    assert.equal(found[0]?.name, "mail.send_message");
    assert.equal(note, undefined);
    assert.equal(failures.length, 1, failures.join("\n"));
  }
});
