import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, suite, test } from "node:test";
import type { ExtensionOperation } from "../../src/index.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { askAsStarter, askAt } from "./approving.ts";
import { named, planeWith } from "./extending.ts";
import { type RunningServe, runCli, startServe, writeConfig } from "./support.ts";

const notes = `
const page = { type: "object", required: ["folder"], additionalProperties: false, properties: {
  folder: { type: "string", description: "whose notes" },
  limit: { type: "integer", minimum: 1 }, tags: { type: "array", items: { type: "string" } }, whole: { type: "boolean" } } };
const note = { type: "object", required: ["folder", "text"], additionalProperties: false,
  properties: { folder: { type: "string" }, text: { type: "string" }, more: { type: "object" } } };
const one = { type: "object", required: ["number"], properties: { number: { type: "integer" } } };
export default {
  name: "notes",
  setup({ addOperation }) {
    addOperation({ name: "notes.list", summary: "List notes", scope: "read", input: page,
      output: { type: "object", properties: { limit: { type: "integer" } } }, examples: ["notes list home --limit 2"],
      http: { method: "get", path: "/extensions/notes/folders/{folder}" }, run: (input) => input });
    addOperation({ name: "notes.add", summary: "Add a note", scope: "call", changes: true, input: note,
      http: { method: "post", path: "/extensions/notes/folders/{folder}" }, run: (input) => input });
    addOperation({ name: "notes.remove", summary: "Remove a note", scope: "call", changes: true, input: one,
      http: { method: "delete", path: "/extensions/notes/all/{number}" }, run: (input) => input });
  },
};`;

suite("an operation of an extension with an address of its own", () => {
  const owned: AsyncDisposableStack = new AsyncDisposableStack();
  let serving: RunningServe;
  let place: string[];
  before(async () => {
    const directory = owned.use(await temporaryDirectory());
    await writeFile(directory.file("notes.mjs"), notes);
    const config = await writeConfig(directory, {}, { extensions: ["./notes.mjs"] });
    serving = owned.use(await startServe(config, directory.file("data")));
    place = ["--config", config, "--data-dir", directory.file("data")];
  });
  after(() => owned.disposeAsync());

  test("takes inputs from its path, its query and its body, as the schema says", async () => {
    const ask = askAsStarter(serving);
    const list = await ask(
      "GET /extensions/notes/folders/h%C3%B6me?limit=2&tags=a&tags=b&whole=true",
    );
    assert.deepEqual(list.body, { folder: "höme", limit: 2, tags: ["a", "b"], whole: true });
    const added = await ask("POST /extensions/notes/folders/home", {
      text: "milk",
      more: { a: 1 },
    });
    assert.deepEqual(added.body, { folder: "home", text: "milk", more: { a: 1 } });
    assert.deepEqual((await ask("DELETE /extensions/notes/all/7")).body, { number: 7 });
    const also = await ask("POST /extensions/operations/notes.list", { folder: "home" });
    assert.deepEqual(also.body, { folder: "home" });
  });

  test("refuses what does not fit, by name, and who may not", async () => {
    const ask = askAsStarter(serving);
    const cases: [string, unknown, number, RegExp][] = [
      ["GET /extensions/notes/folders/home?limit=none", undefined, 400, /'limit'/],
      ["GET /extensions/notes/folders/home?limit=1&limit=2", undefined, 400, /given twice/],
      ["GET /extensions/notes/folders/home?limt=1", undefined, 400, /'limt' is unknown/],
      ["POST /extensions/notes/folders/home", {}, 400, /text/],
      ["POST /extensions/notes/folders/home", { folder: "b", text: "c" }, 400, /is in the path/],
      ["GET /extensions/notes/folders/home?folder=b", undefined, 400, /is in the path/],
      ["DELETE /extensions/notes/all/seven", undefined, 400, /number/],
      ["PUT /extensions/notes/folders/home", {}, 404, /No route/],
    ];
    for (const [route, body, status, detail] of cases) {
      const answer = await ask(route, body);
      assert.equal(answer.status, status, route);
      assert.match(String(answer.body.detail), detail);
    }
    const unproven = await askAt(serving.url)("POST /extensions/notes/folders/home", { text: "x" });
    assert.equal(unproven.status, 403);
  });

  test("stands in the document and in the help of its command, and leaves its record", async () => {
    const ask = askAsStarter(serving);
    const { paths } = (await ask("GET /openapi.json")).body as {
      paths: Record<string, Record<string, { parameters: { name: string }[] }>>;
    };
    const { get } = paths["/extensions/notes/folders/{folder}"] ?? {};
    assert.deepEqual(get?.parameters.map(({ name }) => name).sort(), [
      "folder",
      "limit",
      "tags",
      "whole",
    ]);
    const help = await runCli(["notes", "list", "--help", ...place]);
    assert.match(help.stdout, /\$ toolplane notes list home --limit 2/);
    await ask("DELETE /extensions/notes/all/7");
    const { records } = (await ask("GET /audit?operation=notes.remove")).body as {
      records: { face: string }[];
    };
    assert.equal(records[0]?.face, "http");
  });
});

test("an address that is no address of the extension is refused at the start, with the reason", async () => {
  const input = { type: "object", properties: { name: {} } } as const;
  const wrong: [Partial<ExtensionOperation>, RegExp][] = [
    [{ http: { method: "get", path: "/tools" } }, /no address such as '\/extensions\/ours\//],
    [{ http: { method: "get", path: "/extensions/others/list" } }, /no address such as/],
    [{ http: { method: "get", path: "/extensions/ours/../../tools" } }, /no address such as/],
    [{ http: { method: "get", path: "/extensions/ours/:name" } }, /no address such as/],
    [{ http: { method: "patch" as "put", path: "/extensions/ours/a" } }, /no 'method' of get/],
    [{ http: { method: "get", path: "/extensions/ours/{other}" } }, /has no 'other'/],
    [{ http: { method: "get", path: "/extensions/ours/a" }, changes: true }, /only reads/],
    [{ http: { method: "get", path: "/extensions/ours/a" }, scope: "admin" }, /only reads/],
  ];
  for (const [more, reason] of wrong) {
    const operation = {
      name: "ours.do",
      summary: "Do it",
      scope: "read",
      input,
      run: () => 1,
      ...more,
    } as const;
    await using plane = await planeWith(
      named("ours", ({ addOperation }) => void addOperation(operation)),
    );
    assert.match((await plane.extensions.get("ours")).error ?? "", reason);
  }
  const first = { method: "get", path: "/extensions/ours/{name}" } as const;
  const second = { method: "get", path: "/extensions/ours/{name}" } as const;
  await using plane = await planeWith(
    named("ours", ({ addOperation }) => {
      const add = (name: string, http: typeof first) =>
        addOperation({ name, summary: "Do it", scope: "read", input, http, run: () => 1 });
      add("ours.one", first);
      add("ours.other", second);
    }),
  );
  assert.match((await plane.extensions.get("ours")).error ?? "", /another operation has 'get/);
});
