import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { principalOf, type SearchAnswer } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { getJson } from "./requests.ts";
import { namedServer, planeOf, runCli, startServe, writeConfig } from "./support.ts";

const servers = {
  notes: namedServer("notes", ["read_note", "write_note", "delete_note"]),
  git_hub: namedServer("git_hub", ["create_issue", "list_issues"]),
};

const namesOf = ({ tools }: SearchAnswer) => tools.map(({ name }) => name);

suite("searching for tools", () => {
  test("says the same on every face", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, servers);
    const data = directory.file("data");
    await using plane = await planeOf(servers);
    await plane.tools.list();
    const wanted = await plane.search({ query: "write a note", limit: 2 });
    assert.equal(wanted.tools[0]?.name, "notes.write_note");
    assert.deepEqual([wanted.tools.length, wanted.truncated], [2, true]);

    const flags = ["--config", config, "--data-dir", data, "--json"];
    const words = ["search", "write", "a", "note", "--limit", "2"];
    assert.deepEqual((await runCli([...words, ...flags])).json(), wanted);
    await using serving = await startServe(config, data);
    assert.deepEqual(
      (await runCli([...words, ...flags])).json(),
      wanted,
      "beside a plane that serves",
    );
    const { status, body } = await getJson(`${serving.url}/search?q=write+a+note&limit=2`);
    assert.deepEqual([status, body], [200, wanted]);
    const both = await getJson(`${serving.url}/search?q=create+issue&q=delete+note&limit=2`);
    assert.deepEqual(namesOf(both.body as SearchAnswer).sort(), [
      "git_hub.create_issue",
      "notes.delete_note",
    ]);
  });

  test("is for people in a terminal, too", async () => {
    await using directory = await temporaryDirectory();
    const flags = ["--config", await writeConfig(directory, servers), "--data-dir", directory.path];
    const found = await runCli(["search", "delete note", ...flags]);
    assert.equal(found.code, 0);
    assert.match(found.stdout, /^SCORE +TOOL +NEEDS +SUMMARY\n█\S* \d\.\d\d +notes\.delete_note/);
    const none = await runCli(["search", "zzz", "--regex", ...flags]);
    assert.deepEqual([none.code, none.stdout], [0, "No tool was found.\n"]);
    const wrong = await runCli(["search", "x", "--limit", "none", ...flags]);
    assert.equal(wrong.code, 2);
    const task = await runCli(["recommend", "write a note about the issue", ...flags, "--json"]);
    const { servers: named } = task.json() as { servers: { name: string }[] };
    assert.deepEqual(named.map(({ name }) => name).sort(), ["git_hub", "notes"]);
  });

  test("tells those who listen, without secrets, and not of an empty query", async () => {
    await using plane = await planeOf(servers);
    await plane.tools.list();
    const events: unknown[] = [];
    plane.on("tool.search", (event) => events.push(event));
    const secret = "ghp_abcdefghijklmnop1234";
    await plane.search({ query: "" });
    await plane.search({ query: `notes with token ${secret} ${"and more ".repeat(40)}`, limit: 1 });
    assert.equal(events.length, 1);
    const [{ query, resultCount } = { query: "", resultCount: 0 }] = events as {
      query: string;
      resultCount: number;
    }[];
    assert.equal(resultCount, 1);
    assert.ok(query.length <= 200 && !query.includes(secret), query);
  });

  test("shows each caller their own tools and says nothing of others", async () => {
    const guarded = { ...servers, notes: { ...servers.notes, groups: ["staff"] } };
    await using plane = await planeOf(guarded);
    await plane.tools.list();
    const staff = { principal: principalOf({ user: "ann", groups: ["staff"] }) };
    const guest = { principal: principalOf({ user: "bob" }) };
    assert.equal((await plane.search({ query: "note" }, staff)).total, 3);
    for (const request of [
      { query: "note" },
      { query: "notes.read_note" },
      { query: "select:notes.read_note" },
      { query: "note", regex: true },
      { query: "note", server: "note*" },
    ]) {
      const answer = await plane.search(request, guest);
      assert.deepEqual([answer.total, answer.tools], [0, []], JSON.stringify(request));
      assert.ok(!JSON.stringify({ ...answer, query: "" }).includes("read_note'?"), answer.note);
    }
    const { note } = await plane.search({ query: "delete everything" }, guest);
    assert.match(note ?? "", /No tool mentions 'delete'/, "not even that another's does");
    await assert.rejects(plane.search({ query: "note", server: "notes" }, guest), {
      code: "SERVER_NOT_FOUND",
    });
    const anonymous = { principal: principalOf({ scopes: [] }) };
    await assert.rejects(plane.search({ query: "note" }, anonymous), { code: "FORBIDDEN" });
  });

  test("follows the catalogue, and names the servers it could not ask", async () => {
    await using plane = await planeOf({ ...servers, gone: { command: "surely-no-such-program" } });
    await plane.tools.list();
    const before = await plane.search({ query: "daily report" });
    assert.match(before.note ?? "", /No tool mentions/);
    assert.match(before.note ?? "", /Not searched, because not available: gone\./);
    plane.tools.register({
      manifest: {
        name: "daily_report",
        description: "Writes the report of the day.",
        side_effects: "none",
      },
      run: async () => "done",
    });
    assert.equal(namesOf(await plane.search({ query: "report of the day" }))[0], "daily_report");
    plane.tools.unregister("daily_report");
    assert.ok(
      !namesOf(await plane.search({ query: "report of the day" })).includes("daily_report"),
    );
  });

  test("reads what a server says about itself", async () => {
    const desk = namedServer("desk", ["open", "--instructions=Invoices and receipts live here."]);
    await using plane = await planeOf({ ...servers, desk });
    await plane.tools.list();
    assert.equal(namesOf(await plane.search({ query: "receipts" }))[0], "desk.open");
  });

  test("survives every pattern and every odd query", async () => {
    await using plane = await planeOf(servers);
    await plane.tools.list();
    for (const query of [
      "(a+)+$",
      "(",
      "[z-a]",
      "\\",
      "(?=x)",
      "a{2,1}",
      "x".repeat(300),
      ".*.*.*.*=",
    ]) {
      const answer = await plane.search({ query, regex: true }, { orWords: true });
      assert.ok(query.startsWith(answer.query.replace("…", "")));
    }
    for (const query of ["🦄🦄", "\u0000", "select:", "-----", "the of and", "ﷺ".repeat(50)]) {
      assert.equal((await plane.search({ query })).tools.length <= 5, true, query);
    }
    await assert.rejects(plane.search({ query: "x", limit: 1000 }), { code: "USAGE" });
    await assert.rejects(plane.recommend("x", { limit: 16 }), { code: "USAGE" });
  });

  test("refuses what is no pattern and no task, saying what is wrong, on every face", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, servers);
    const data = directory.file("data");
    const place = ["--config", config, "--data-dir", data];
    for (const pattern of ["(", "a".repeat(10_000)]) {
      const { code, stderr } = await runCli(["search", pattern, "--regex", ...place]);
      assert.equal(code, 2);
      assert.match(stderr, /is not a valid search pattern: /);
      assert.ok(stderr.length < 500, stderr);
    }
    assert.equal((await runCli(["recommend", "", ...place])).code, 2);
    await using serving = await startServe(config, data);
    const refused = await getJson(`${serving.url}/search?q=(&regex=true`);
    assert.deepEqual([refused.status, refused.body.code], [400, "USAGE"]);
    assert.equal((await getJson(`${serving.url}/recommendations?task=`)).status, 400);
  });

  test("takes the configuration's word for what a word means", async () => {
    await using directory = await temporaryDirectory();
    const search = { synonyms: { jot: ["write"] } };
    const config = await writeConfig(directory, servers, { search });
    const place = ["--config", config, "--data-dir", directory.file("data")];
    // A search does not wait for a server that lists slowly.
    assert.equal((await runCli(["tools", "list", ...place])).code, 0);
    const { tools } = (
      await runCli(["search", "jot", "--json", ...place])
    ).json() as unknown as SearchAnswer;
    assert.equal(tools[0]?.name, "notes.write_note");
  });

  test("asks an embedder of the host, where there is one", async () => {
    const embed = async (texts: readonly string[]) =>
      texts.map((text) => [/bug|issue/.test(text) ? 1 : 0, /note|memo/.test(text) ? 1 : 0]);
    await using plane = await planeOf(servers, { embed });
    await plane.tools.list();
    const [first] = namesOf(await plane.search({ query: "memo" }));
    assert.match(first ?? "", /^notes\./);
    await using without = await planeOf(servers);
    await without.tools.list();
    const { tools } = await without.search({ query: "memo" });
    assert.ok(tools.every(({ name }) => name.startsWith("notes.")));
  });
});
