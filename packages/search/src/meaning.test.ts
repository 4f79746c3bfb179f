import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { findable } from "@toolplane/test/samples/search-tools";
import { dimensions, loadEmbedding } from "./embedding.ts";
import { hasSentences, loadMeaning } from "./meaning.ts";
import { createSearch } from "./tool-search.ts";
import { createVectorRows } from "./vector-rows.ts";

const tools = [
  findable("git", "git_commit", "Records changes to the repository"),
  findable("git", "git_show", "Shows the contents of a commit"),
  findable("git", "git_diff_staged", "Shows changes that are staged for commit"),
  findable("files", "read_file", "Reads the complete contents of a file"),
  findable("files", "write_file", "Creates a new file or overwrites an existing file"),
  findable("shop", "create_payment_link", "Creates a link for a payment"),
  findable("shop", "create_payment_intent", "Creates an intent"),
  findable("shop", "create_refund", "Refunds a charge"),
  findable("shop", "list_customers", "Lists customers"),
  findable("calendar", "create_event", "Creates an event"),
];

async function searching(listed = tools) {
  const search = createSearch({ loadMeaning });
  await search.updateSoon(listed, () => "");
  return {
    search,
    namesFor: (query: string) => search.rank(query, listed, 5).map(({ tool }) => tool.id.tool),
  };
}

test("a tool is found by what it means, without a word in common", async () => {
  const { namesFor } = await searching();
  assert.equal(namesFor("give the money back")[0], "create_refund");
  assert.equal(namesFor("book a meeting")[0], "create_event");
  assert.deepEqual(namesFor("zebra quantum"), []);
});

test("the verb counts, and so does the word that is still being typed", async () => {
  const { search, namesFor } = await searching();
  assert.equal(namesFor("commit my changes to git")[0], "git_commit");
  assert.deepEqual(namesFor("create pay").slice(0, 2), [
    "create_payment_link",
    "create_payment_intent",
  ]);
  assert.equal(namesFor("cust")[0], "list_customers");
  const [first, ...others] = search.rank("read a file", tools, 5);
  assert.equal(first?.tool.id.tool, "read_file");
  assert.equal(first?.score, 1);
  assert.ok(others.every(({ score }) => score < 0.6));
});

test("each clause of a query finds its own tool", async () => {
  const { namesFor } = await searching();
  const found = namesFor(
    "Look at who our customers are, and then give one of them the money back.",
  );
  assert.deepEqual(new Set(found.slice(0, 2)), new Set(["list_customers", "create_refund"]));
});

test("what is most like one sentence counts as much as what is most like another", () => {
  const vector = (...numbers: number[]) =>
    Float32Array.from({ length: dimensions }, (_, at) => numbers[at] ?? 0);
  const rows = createVectorRows(dimensions);
  const tools = [vector(1, 0.1), vector(0.9, 0), vector(0, 0.2, 1), vector(0, 0, 0, 1)];
  for (const [row, tool] of tools.entries()) rows.set(row, tool);
  // The second sentence is far from every tool, and yet one of them is nearest to it.
  const [first, second] = [vector(1), vector(0, 0.3, 0.3, 0, 0.9)];
  const apart = [...rows.likeness([first, second], 4).subarray(0, 4)];
  assert.ok(Number(apart[2]) < 0.5 * Number(apart[1]), apart.join());
  const even = [...rows.evenLikeness([first, second], 4).subarray(0, 4)];
  assert.ok(Number(even[2]) > Number(even[1]), even.join());
  assert.deepEqual(
    ["Read a file. Send a mail to Ann.", "read a file, then send it", "Version 2.0 of it"].map(
      hasSentences,
    ),
    [true, false, false],
  );
});

test("an exact name comes first, whatever is more alike", async () => {
  const { namesFor } = await searching();
  for (const { id, name } of tools) {
    assert.equal(namesFor(id.tool)[0], id.tool);
    assert.equal(namesFor(name)[0], id.tool);
  }
});

test("tools that come, change and go are found as in a new index", async () => {
  const { search } = await searching();
  const changed = tools
    .slice(3)
    .map((tool) => ({ ...tool, description: `${tool.description} again` }));
  const listed = [...changed, findable("post", "send_letter", "Delivers correspondence on paper")];
  await search.updateSoon(listed, () => "");
  const fresh = await searching(listed);
  for (const query of ["give the money back", "mail something to my aunt", "look at a file"])
    assert.deepEqual(search.rank(query, listed, 5), fresh.search.rank(query, listed, 5));
});

test("the scan gives the dot products of plain loops", async () => {
  const embedding = await loadEmbedding(readFileSync(`${import.meta.dirname}/tool-vectors.bin`));
  const fast = createVectorRows(dimensions);
  const plain = createVectorRows(dimensions, true);
  const texts = Array.from(
    { length: 700 },
    (_, at) => `tool ${at} reads file ${at * 7919} of mail ${at % 13}`,
  );
  for (const [row, text] of texts.entries())
    for (const rows of [fast, plain]) rows.set(row, embedding.query(text));
  const asked = ["mail", "a file", "delete everything"].map(embedding.query);
  for (const some of [asked, asked.slice(1), asked.slice(2), [...asked, ...asked]]) {
    const all = fast.likeness(some, texts.length).subarray(0, texts.length);
    assert.deepEqual(all, plain.likeness(some, texts.length).subarray(0, texts.length));
  }
  const exact = dot(embedding.query("mail"), embedding.query(texts[5] as string));
  assert.ok(
    Math.abs((fast.likeness([embedding.query("mail")], texts.length)[5] ?? 0) - exact) < 0.02,
  );
});

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < dimensions; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}
