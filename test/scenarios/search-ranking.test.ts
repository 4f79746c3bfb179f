import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { suite, test } from "node:test";
import { createLearning } from "../../packages/search/src/learning.ts";
import { createPlane, type Plane, principalOf } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";

const tools = {
  read_file: "Reads the contents of a file",
  send_letter: "Delivers correspondence on paper",
  create_refund: "Refunds a charge",
  create_event: "Creates an event",
};

function addTools(plane: Plane): void {
  for (const [name, description] of Object.entries(tools))
    plane.tools.register({
      manifest: {
        name,
        description,
        parameters: { type: "object" },
        side_effects: "none",
        providers: [],
      },
      run: () => "done",
    });
}

const first = async (plane: Plane, query: string, options?: Parameters<Plane["search"]>[1]) =>
  (await plane.search({ query }, options)).tools[0]?.name;

/** An OpenAI-compatible endpoint to which all about zebras is a letter. */
async function startEmbeddings() {
  const asked: { texts: string[]; key: string | undefined }[] = [];
  const state = { status: 200 };
  const server = createServer(async (request: IncomingMessage, response) => {
    const { input } = (await json(request)) as { input: string[] };
    asked.push({ texts: input, key: request.headers.authorization });
    const data = input.map((text, index) => ({
      index,
      embedding: /zebra|letter/.test(text) ? [1, 0, 0] : [0, 1, 0.5],
    }));
    response.writeHead(state.status, { "content-type": "application/json" });
    // In no order: the index counts.
    response.end(JSON.stringify({ data: data.reverse() }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { asked, state, baseURL: `http://127.0.0.1:${port}/v1`, [Symbol.asyncDispose]: close };
}

suite("a model of your own (search.embeddings)", () => {
  test("compares by the endpoint's vectors, which are stored by definition and not asked for again", async () => {
    await using directory = await temporaryDirectory();
    await using endpoint = await startEmbeddings();
    const models = { small: { baseURL: endpoint.baseURL, model: "tiny-embed", apiKey: "sk-test" } };
    const settings = { models, search: { embeddings: { model: "small" } } };
    const options = { config: settings, dataDirectory: directory.path };
    {
      await using plane = await createPlane(options);
      addTools(plane);
      await until(
        "the own model has a say",
        async () => (await first(plane, "zebra")) === "send_letter",
      );
      assert.equal(await first(plane, "read_file"), "read_file", "an exact name comes first");
      assert.ok(endpoint.asked.every(({ key }) => key === "Bearer sk-test"));
    }
    const definitions = () =>
      endpoint.asked.flatMap(({ texts }) => texts).filter((text) => text.includes(": "));
    const asked = definitions();
    for (const name of Object.keys(tools))
      assert.equal(asked.filter((text) => text.includes(` ${name}: `)).length, 1);
    await using again = await createPlane(options);
    addTools(again);
    await until(
      "the own model has a say",
      async () => (await first(again, "zebra")) === "send_letter",
    );
    assert.deepEqual(definitions(), asked, "the store has them");
  });

  test("a failing endpoint is named once and costs an answer nothing", async () => {
    await using endpoint = await startEmbeddings();
    endpoint.state.status = 500;
    const models = { small: { baseURL: endpoint.baseURL, model: "tiny-embed" } };
    await using plane = await createPlane({
      config: { models, search: { embeddings: { model: "small" } } },
    });
    const failures: string[] = [];
    plane.on("search.fallback", ({ model, reason }) => failures.push(`${model}: ${reason}`));
    addTools(plane);
    for (const query of ["give the money back", "refund a charge"]) {
      const { tools: found, note } = await plane.search({ query });
      assert.equal(found[0]?.name, "create_refund");
      assert.doesNotMatch(note ?? "", /model|vector|fail/);
    }
    await until("the failure is named", () => failures.length > 0);
    assert.equal(failures.length, 1);
    assert.match(failures[0] ?? "", /^small: .*HTTP 500/);
    assert.doesNotMatch(failures[0] ?? "", /127\.0\.0\.1/);
  });

  test("a model that is not configured is named, and the search goes on", async () => {
    await using plane = await createPlane({
      config: { search: { embeddings: { model: "gone" } } },
    });
    const reasons: string[] = [];
    plane.on("search.fallback", ({ reason }) => reasons.push(reason));
    addTools(plane);
    assert.equal(await first(plane, "refund a charge"), "create_refund");
    await until("the failure is named", () => reasons.length > 0);
    assert.match(reasons.join(), /model 'gone' is not in 'models'/);
  });
});

suite("learning from use (search.learn)", () => {
  const ann = principalOf({ user: "ann", scopes: ["*"] });
  const ben = principalOf({ user: "ben", scopes: ["*"] });
  const query = "do the monthly thing with the event";

  async function useOnce(plane: Plane): Promise<void> {
    await plane.search({ query: `${query} letter` }, { principal: ann });
    await plane.call("send_letter", {}, { principal: ann });
  }
  const pointsOf = async (plane: Plane, principal: typeof ann) => {
    const { tools: found } = await plane.search({ query, explain: true, limit: 10 }, { principal });
    return (
      found
        .find(({ name }) => name === "send_letter")
        ?.points?.find(({ from }) => from === "learned")?.points ?? 0
    );
  };

  test("what a caller used moves up for that caller alone, until it is forgotten", async () => {
    await using plane = await createPlane({ config: { search: { learn: true } } });
    addTools(plane);
    assert.equal(await pointsOf(plane, ann), 0);
    await until("the use is learned", async () => {
      await useOnce(plane);
      return (await pointsOf(plane, ann)) > 0.1;
    });
    assert.equal(await pointsOf(plane, ben), 0, "never across principals");
    assert.ok((await plane.forgetSearches({ principal: ann })).forgotten > 0);
    assert.equal(await pointsOf(plane, ann), 0);
  });

  test("nothing is learned by default, and switching it off forgets", async () => {
    await using directory = await temporaryDirectory();
    const open = (learn: boolean) =>
      createPlane({ config: { search: { learn } }, dataDirectory: directory.path });
    {
      await using plane = await open(true);
      addTools(plane);
      await until("the use is learned", async () => {
        await useOnce(plane);
        return (await pointsOf(plane, ann)) > 0;
      });
    }
    {
      await using plane = await open(false);
      addTools(plane);
      await useOnce(plane);
      assert.equal(await pointsOf(plane, ann), 0);
    }
    await using plane = await open(true);
    addTools(plane);
    assert.equal(await pointsOf(plane, ann), 0);
  });

  test("what was learned decays, and is bounded", async () => {
    const values = new Map<string, unknown>();
    const store = {
      sharedValue: async (key: string) => (values.get(key) ?? null) as never,
      async changeShared<T>(
        key: string,
        _: number,
        step: (value: never, now: number) => { value: unknown; answer: T },
      ) {
        const { value, answer } = step((values.get(key) ?? null) as never, 0);
        values.set(key, value);
        return answer;
      },
    };
    let now = 0;
    const learning = createLearning({ store: async () => store, now: () => now });
    await learning.searched("ann", ["send a letter"], ["post.send"]);
    await learning.called("ann", "post.send");
    await learning.called("ann", "other.tool");
    const points = async () => [...(await learning.learned("ann"))("letter")];
    const [[tool, fresh] = ["", 0], ...others] = await points();
    assert.deepEqual([tool, others], ["post.send", []]);
    now = 90 * 24 * 3_600_000;
    const [[, old] = ["", 0]] = await points();
    assert.ok(old > 0 && old < fresh / 4, `${old} of ${fresh}`);
    for (let at = 0; at < 300; at++) {
      await learning.searched(
        "ann",
        [`alpha${at} beta${at} gamma${at} delta${at} eps${at} zeta${at} eta${at} theta${at}`],
        ["t"],
      );
      await learning.called("ann", "t");
    }
    const elsewhere = createLearning({
      store: async () => store,
      now: () => now,
      configuration: () => "/other/toolplane.json",
    });
    await elsewhere.searched("ann", ["send a letter"], ["post.send"]);
    await elsewhere.called("ann", "post.send");
    now += 1;
    const learnedIn = async (one: typeof learning) => (await one.learned("ann"))("letter").size;
    const third = createLearning({
      store: async () => store,
      now: () => now,
      configuration: () => "/third/toolplane.json",
    });
    await third.searched("ann", ["post a parcel"], ["post.send"]);
    await third.called("ann", "post.send");
    assert.ok((await learnedIn(elsewhere)) > 0);
    const parcel = (await elsewhere.learned("ann"))("parcel");
    assert.equal(parcel.size, 0, "another configuration has other tools of that name");
    assert.equal((await learning.forget("ann")) <= 2_000, true);
  });
});

test("an explained search tells the words, the likeness, the verb and the prefix, and adds nothing where it is not asked", async () => {
  await using plane = await createPlane({ config: {} });
  addTools(plane);
  const { tools: found } = await plane.search({ query: "create ref", explain: true });
  const sources = new Map(found[0]?.points?.map(({ from, words = [] }) => [from, words]));
  assert.equal(found[0]?.name, "create_refund");
  assert.deepEqual(sources.get("words"), ["create"]);
  assert.deepEqual(sources.get("prefix"), ["ref"]);
  assert.ok(sources.has("likeness") && sources.has("verb"));
  const named = await plane.search({ query: "create_refund", explain: true });
  assert.deepEqual(named.tools[0]?.points, [{ from: "name", points: 1 }]);
  const plain = await plane.search({ query: "create ref" });
  assert.deepEqual(
    plain.tools.map(({ name }) => name),
    found.map(({ name }) => name),
    "the same ranking",
  );
  assert.ok(plain.tools.every((tool) => !("points" in tool)));
});

test("an evaluation tells recall by kind, what was missed and what is not there", async () => {
  await using plane = await createPlane({ config: {} });
  addTools(plane);
  const evaluation = await plane.evaluateSearch([
    { query: "give the money back", tools: ["create_refund"], kind: "meaning" },
    { query: "reads a file", tools: ["read-file"], kind: "words" },
    { query: "fly to the moon", tools: ["launch"], kind: "words" },
  ]);
  const { ranking, kinds, missed, unknown } = evaluation;
  assert.deepEqual(
    [evaluation.queries, unknown, missed.map(({ query }) => query)],
    [3, ["launch"], ["fly to the moon"]],
  );
  assert.equal(ranking.recall1, 0.6667);
  const byKind = new Map(kinds.map((one) => [one.kind, one]));
  assert.deepEqual(
    [byKind.get("meaning")?.ranking.mrr, byKind.get("meaning")?.wordsOnly.mrr],
    [1, 0],
  );
  assert.equal(byKind.get("words")?.ranking.recall5, 0.5);
});
