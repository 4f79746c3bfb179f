import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { test } from "node:test";
import { createPlane, type Plane } from "../../src/index.ts";
import type { Change } from "../../src/model/catalogue/change-schema.ts";
import { principalOf, trusted } from "../../src/model/principal.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../fixtures/start-server.ts";
import {
  assertFailed,
  fixture,
  namedServer,
  runCli,
  startServe,
  textsOf,
  writeConfig,
} from "./support.ts";

const ada = trusted({ user: "ada" });
const bob = principalOf({ user: "bob" });
const servers = { s: namedServer("s", ["find", "look"]) };
const provider = (tool: string) => ({ name: "mcp", config: { server: "s", tool } });

const tool = (name: string, more: object = {}) => ({
  name,
  description: `The tool ${name}`,
  version: "1.0.0",
  parameters: { type: "object" as const },
  side_effects: "none" as const,
  auth: { required: false },
  allow_parallel: true,
  idempotency_key: false,
  providers: [provider("find")],
  ...more,
});

async function put(directory: TemporaryDirectory, name: string, content: unknown): Promise<void> {
  const file = directory.file(name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(content));
}

async function rows(
  plane: Plane,
  query: Parameters<Plane["registry"]["changes"]>[0] = {},
): Promise<Change[]> {
  return (await plane.registry.changes(query)).changes;
}

const short = ({ kind, name, by }: Change) => [kind, name, by.system ?? by.user];

test("a tool that is set is there at once, after a restart, and until it is deleted", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, servers);
  const dataDirectory = directory.file("data");
  {
    await using plane = await createPlane({ config, dataDirectory, principal: ada });
    const done = await plane.tools.set(tool("mine"), { reason: "asked for" });
    assert.deepEqual(done, {
      kind: "tool",
      name: "mine",
      persona: null,
      change: "added",
      covers: null,
      warnings: [],
    });
    assert.deepEqual(textsOf(await plane.call("mine", {})), ["s:find"]);
  }
  await using plane = await createPlane({ config, dataDirectory, principal: ada });
  assert.deepEqual(textsOf(await plane.call("mine", {})), ["s:find"]);
  assert.equal((await plane.tools.get("mine")).source, "stored");
  assert.equal((await plane.tools.set(tool("mine"))).change, "unchanged");
  await plane.tools.set(tool("mine", { providers: [provider("look")] }));
  assert.deepEqual(textsOf(await plane.call("mine", {})), ["s:look"]);
  assert.deepEqual(
    [await plane.tools.delete("mine"), await plane.tools.delete("mine")],
    [true, false],
  );
  assertFailed(await plane.call("mine", {}), "TOOL_NOT_FOUND", "refused");

  const { changes, ...page } = await plane.registry.changes({ name: "mine" });
  assert.deepEqual(page, { count: 3, total: 3, offset: 0, limit: 50 });
  assert.deepEqual(
    changes.map(({ kind, by, reason }) => [kind, by, reason]),
    [
      ["removed", { user: "ada", face: "library", system: null }, null],
      ["changed", { user: "ada", face: "library", system: null }, null],
      ["added", { user: "ada", face: "library", system: null }, "asked for"],
    ],
  );
  assert.deepEqual([changes[2]?.before, changes[0]?.after], [null, null]);
  assert.deepEqual(changes[1]?.after, changes[0]?.before);
  const [second] = await rows(plane, { name: "mine", limit: 1, offset: 1 });
  assert.deepEqual(second, changes[1]);
});

test("what is set stands before a file's and behind a program's; deleting it uncovers the file's", async () => {
  await using directory = await temporaryDirectory();
  await put(directory, "m/look.json", tool("look_up"));
  const config = await writeConfig(directory, servers, { manifests: ["m/*.json"] });
  await using plane = await createPlane({ config, principal: ada });
  const answer = async () => textsOf(await plane.call("look_up", {}));
  const { change, covers } = await plane.tools.set(
    tool("look_up", { providers: [provider("look")] }),
  );
  assert.deepEqual([change, covers], ["changed", "manifest:m/look.json"]);
  assert.deepEqual(await answer(), ["s:look"]);
  plane.tools.register({ manifest: tool("look_up", { providers: [] }), run: () => "mine" });
  assert.deepEqual(await answer(), ["mine"]);
  plane.tools.unregister("look_up");
  assert.deepEqual(await answer(), ["s:look"]);
  assert.equal(await plane.tools.delete("look_up", { reason: "no more" }), true);
  assert.deepEqual(await answer(), ["s:find"]);
  await assert.rejects(plane.tools.delete("look_up"), {
    code: "CONFLICT",
    message: /the file 'm\/look.json'/,
  });
  assert.deepEqual((await rows(plane, { name: "look_up" })).map(short), [
    ["changed", "look_up", "ada"],
    ["removed", "look_up", "library"],
    ["added", "look_up", "library"],
    ["changed", "look_up", "ada"],
  ]);
});

test("everything that is wrong with a tool is reported at once, and nothing is set", async () => {
  await using plane = await createPlane({ config: { mcpServers: servers }, principal: ada });
  const wrong = {
    ...tool("x"),
    side_effects: "magic",
    parameters: { type: "object", properties: { n: { type: "numbr" } } },
    default_timeout: -1,
  };
  await assert.rejects(plane.tools.set(wrong as never), {
    code: "ENTRY_INVALID",
    message: /default_timeout[\s\S]*side_effects[\s\S]*numbr/,
  });
  const clear = [
    {
      name: "http",
      config: { url: "https://a.example", headers: { Authorization: "Bearer hunter2hunter2" } },
    },
  ];
  const local = [
    {
      name: "http",
      config: { url: "https://a.example", headers: { "X-Key": "${command:cat /etc/hostname}" } },
    },
  ];
  await assert.rejects(plane.tools.set(tool("x", { providers: clear })), (error: Error) => {
    assert.match(
      error.message,
      /providers\[0\].config.headers.Authorization: holds a secret in clear/,
    );
    assert.ok(!error.message.includes("hunter2"));
    return true;
  });
  await assert.rejects(plane.tools.set(tool("x", { providers: local })), /only manifest files may/);
  await assert.rejects(plane.tools.set(tool("s.find")), {
    code: "CONFLICT",
    message: /a tool of server 's'/,
  });
  await assert.rejects(plane.tools.delete("s.find"), { message: /deny_tools/ });
  assert.deepEqual(await rows(plane, { name: "x" }), []);
});

test("only who may manage the plane changes the catalogue", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  for (const attempt of [
    () => plane.tools.set(tool("x"), {}, { principal: bob }),
    () => plane.tools.delete("x", {}, { principal: bob }),
    () => plane.registry.export({}, { principal: bob }),
    () => plane.registry.import("", { reason: "x" }, { principal: bob }),
  ])
    await assert.rejects(attempt, { code: "FORBIDDEN", message: /scope 'admin'/ });
});

test("a server's first listing is one row; later ones tell each tool that really changed", async () => {
  await using directory = await temporaryDirectory();
  const config = { mcpServers: { c: fixture("changing") } };
  const dataDirectory = directory.file("data");
  {
    await using plane = await createPlane({ config, dataDirectory, principal: ada });
    await plane.tools.list();
    const [first, ...others] = await rows(plane);
    assert.deepEqual(
      [first && short(first), first?.count, others],
      [["listed", "c", "server c"], 4, []],
    );
    await plane.call("c.add_tool", { name: "extra" });
    await plane.servers.refresh("c", { force: true });
    await plane.call("c.edit_tool", { name: "extra", description: "Edited" });
    await plane.servers.refresh("c", { force: true });
    await plane.servers.refresh("c", { force: true });
    const [edited, added] = await rows(plane);
    assert.deepEqual(
      [edited, added].map((row) => row && short(row)),
      [
        ["changed", "c.extra", "server c"],
        ["added", "c.extra", "server c"],
      ],
    );
    assert.equal(edited?.before?.description, "The tool extra, added at run time.");
    assert.equal(edited?.after?.description, "Edited");
    assert.ok(Number(edited?.revision) > Number(added?.revision));
  }
  // The server has forgotten its extra tool, which is compared with what is known from the last time.
  await using plane = await createPlane({ config, dataDirectory, principal: ada });
  await plane.servers.refresh("c", { force: true });
  assert.deepEqual((await rows(plane)).map(short), [
    ["removed", "c.extra", "server c"],
    ["changed", "c.extra", "server c"],
    ["added", "c.extra", "server c"],
    ["listed", "c", "server c"],
  ]);
});

test("an edit of a manifest file is reported per entry, also when it was made between two runs", async () => {
  await using directory = await temporaryDirectory();
  await put(directory, "m/tools.json", [tool("one"), tool("two")]);
  const config = await writeConfig(directory, servers, { manifests: ["m/*.json"] });
  const dataDirectory = directory.file("data");
  {
    await using plane = await createPlane({ config, dataDirectory, principal: ada });
    await put(directory, "m/tools.json", [tool("one", { description: "Edited" }), tool("three")]);
    await plane.registry.changes();
    await plane.reload();
    assert.deepEqual((await rows(plane)).map(short), [
      ["removed", "two", "file"],
      ["added", "three", "file"],
      ["changed", "one", "file"],
      ["listed", "files", "file"],
    ]);
  }
  await rm(directory.file("m/tools.json"));
  await put(directory, "m/other.json", [tool("one", { description: "Edited" })]);
  await using plane = await createPlane({ config, dataDirectory, principal: ada });
  const [gone, moved, ...before] = await rows(plane);
  assert.deepEqual(
    [gone && short(gone), moved && short(moved)],
    [
      ["removed", "three", "file"],
      ["changed", "one", "file"],
    ],
  );
  assert.equal(before.length, 4);
});

test("what a caller may not see, its history does not show; secrets are masked", async () => {
  await using directory = await temporaryDirectory();
  const headers = { Authorization: "Bearer hunter2hunter2" };
  const providers = [{ name: "http", config: { url: "https://a.example", headers } }];
  await put(directory, "m/open.json", tool("open"));
  const config = await writeConfig(
    directory,
    { private: { ...namedServer("private", ["find"]), groups: ["ops"] } },
    { manifests: ["m/**/*.json"] },
  );
  const dataDirectory = directory.file("data");
  await using plane = await createPlane({ config, dataDirectory, principal: ada });
  await plane.registry.changes();
  await put(directory, "m/personas/Atlas/own.json", tool("own"));
  await put(directory, "m/open.json", tool("open", { providers }));
  await plane.reload();
  await plane.tools.list({ principal: trusted({ groups: ["ops"] }) });
  const seen = async (principal: typeof bob) =>
    (await plane.registry.changes({}, { principal })).changes.map(({ name }) => name).sort();
  assert.deepEqual(await seen(ada), ["files", "open", "own", "private"]);
  assert.deepEqual(await seen(bob), ["files", "open"]);
  assert.deepEqual(await seen({ ...bob, persona: "Atlas", groups: ["ops"] }), [
    "files",
    "open",
    "own",
    "private",
  ]);
  assert.ok(!JSON.stringify(await plane.registry.changes()).includes("hunter2hunter2"));
  await plane.stop();
  for (const file of ["toolplane.db", "toolplane.db-wal"]) {
    const bytes = await readFile(`${dataDirectory}/${file}`).catch(() => Buffer.alloc(0));
    assert.ok(!bytes.includes("hunter2hunter2"), `${file} holds the secret`);
  }
});

test("two planes on one store tell a change once", async () => {
  await using directory = await temporaryDirectory();
  await put(directory, "m/one.json", tool("one"));
  const config = await writeConfig(directory, servers, { manifests: ["m/*.json"] });
  const dataDirectory = directory.file("data");
  await using first = await createPlane({ config, dataDirectory, principal: ada });
  await using second = await createPlane({ config, dataDirectory, principal: ada });
  await Promise.all([first.tools.list(), second.tools.list()]);
  await put(directory, "m/one.json", tool("one", { description: "Edited" }));
  await Promise.all([first.reload(), second.reload()]);
  await first.tools.set(tool("two"));
  await second.reload();
  assert.deepEqual((await second.tools.get("two")).source, "stored");
  await Promise.all([first.registry.changes(), second.registry.changes()]);
  assert.deepEqual((await rows(second)).map(short).toSorted(), [
    ["added", "two", "ada"],
    ["changed", "one", "file"],
    ["listed", "files", "file"],
    ["listed", "s", "server s"],
  ]);
});

test("a program that registers the same at each start tells it once", async () => {
  await using directory = await temporaryDirectory();
  for (const _ of [1, 2]) {
    await using plane = await createPlane({
      config: { mcpServers: {} },
      dataDirectory: directory.file("data"),
      principal: ada,
    });
    plane.tools.register({ manifest: tool("now", { providers: [] }), run: () => "now" });
    assert.deepEqual((await rows(plane)).map(short), [["added", "now", "library"]]);
  }
});

test("a page that is none is refused", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} } });
  for (const query of [
    { limit: 0 },
    { limit: 1.5 },
    { limit: 1_001 },
    { offset: -1 },
    { offset: Number.NaN },
  ])
    await assert.rejects(plane.registry.changes(query), { code: "USAGE" });
});

test("the command line sets, changes and deletes tools of the plane that serves, and shows who did", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, servers);
  const place = ["--config", config, "--data-dir", directory.file("d")];
  await using serving = await startServe(config, directory.file("d"));
  const run = (...words: string[]) => runCli([...words, ...place]);
  await writeFile(
    directory.file("t.yaml"),
    "name: mine\ndescription: Mine\nside_effects: none\nproviders:\n  - name: mcp\n    config: { server: s, tool: find }\n",
  );
  const set = await run("tools", "set", directory.file("t.yaml"), "--reason", "for all");
  assert.deepEqual([set.code, set.stdout.trim()], [0, "Set 'mine' (added)."], set.stderr);
  assert.equal((await fetch(`${serving.url}/tools/mine`)).status, 200);
  const input = JSON.stringify({ ...tool("mine"), description: "Other" });
  const again = await runCli(["tools", "set", "-", "--json", ...place], { input });
  assert.deepEqual([again.code, again.json().change], [0, "changed"], again.stderr);

  const wrapper = ["tools", "set", "seek", "--server", "s", "--tool", "look"];
  assert.equal(
    (await run(...wrapper, "--argument", "q:string:What: a word", "--argument", "n?:integer")).code,
    0,
  );
  const shown = (await run("tools", "show", "seek", "--json")).json().tools as {
    parameters: object;
  }[];
  assert.deepEqual(shown[0]?.parameters, {
    type: "object",
    properties: { q: { type: "string", description: "What: a word" }, n: { type: "integer" } },
    required: ["q"],
  });
  const called = await run("call", "seek", "q=x");
  assert.equal(called.stdout.trim(), "s:look", called.stderr);

  const changes = await run("tools", "changes", "mine");
  assert.match(changes.stdout, /changed tool\s+mine/);
  assert.match(changes.stdout, / {2}− description: "Mine"\n {2}\+ description: "Other"/);
  assert.match(changes.stdout, /added tool\s+mine\s+for all/);
  assert.ok(!changes.stdout.includes("\u001b"));
  const page = (await run("tools", "changes", "--limit", "1", "--offset", "1", "--json")).json();
  assert.deepEqual(
    [page.count, page.limit, page.offset, (page.changes as Change[])[0]?.name],
    [1, 1, 1, "mine"],
  );

  assert.equal((await run("tools", "delete", "mine")).stdout.trim(), "Deleted 'mine'.");
  const gone = await run("tools", "delete", "mine", "--json");
  assert.deepEqual([gone.code, gone.json().error?.code], [1, "NOT_FOUND"]);
  const standalone = await run("tools", "show", "seek", "--standalone", "--json");
  assert.equal(standalone.code, 0, standalone.stderr);
});

for (const [title, words, reason] of [
  ["a file that is not there", ["nowhere.json"], /nowhere\.json/],
  ["a server without a tool", ["x", "--server", "s"], /--server and --tool go together/],
  [
    "an argument that is none",
    ["x", "--server", "s", "--tool", "find", "--description", "d", "--argument", "q"],
    /name:type:description/,
  ],
  [
    "flags of a wrapper with a file",
    ["x.json", "--argument", "q:string:w"],
    /--argument is only for --server/,
  ],
] as const) {
  test(`'tools set' with ${title} is refused with how to write it`, async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, servers);
    const command = [
      "tools",
      "set",
      ...words,
      "--config",
      config,
      "--data-dir",
      directory.file("d"),
    ];
    const { code, stderr } = await runCli(command);
    assert.equal(code, 2, stderr);
    assert.match(stderr, reason);
  });
}

test("edits and reloads at the same time lose nothing", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(directory, servers);
  await using plane = await createPlane({
    config,
    dataDirectory: directory.file("d"),
    principal: ada,
  });
  const names = Array.from({ length: 8 }, (_, at) => `t${at}`);
  await Promise.all(names.flatMap((name) => [plane.tools.set(tool(name)), plane.reload()]));
  const there = (await plane.tools.list()).map(({ name }) => name);
  assert.deepEqual(
    there.filter((name) => names.includes(name)),
    names,
  );
  assert.equal((await plane.registry.changes({ kind: "added" })).total, 8);
});

test("what is no manifest at all is refused", async () => {
  await using plane = await createPlane({ config: { mcpServers: {} }, principal: ada });
  for (const given of [null, [], "tool", 1])
    await assert.rejects(plane.tools.set(given as never), { code: "ENTRY_INVALID" });
  await assert.rejects(plane.tools.set({} as never), {
    code: "ENTRY_INVALID",
    message: /needs a 'name'/,
  });
});

test("tools are disabled and enabled together: all or none, in one revision, and the rest of an overlay stays", async () => {
  await using directory = await temporaryDirectory();
  const overlays = { "s.look": { description: "Looks closely", enabled: false } };
  const config = await writeConfig(directory, servers, { overlays });
  await using plane = await createPlane({
    config,
    dataDirectory: directory.file("data"),
    principal: ada,
  });
  await plane.servers.connect("s");
  assert.deepEqual(await plane.tools.enable(["s.find"]), { changed: [] });
  await assert.rejects(plane.tools.disable(["s.find", "s.lost"]), {
    code: "NOT_FOUND",
    message: /'s\.lost'/,
  });
  assert.deepEqual(
    (await rows(plane, { what: "overlay", name: "s.find" })).length,
    0,
    "none of them is changed",
  );
  const { revision } = await plane.registry.summary();
  assert.deepEqual(
    await plane.tools.disable(["s.find", "s_look", "s.find"], { reason: "no one calls them" }),
    {
      changed: ["s.find"],
    },
  );
  assert.equal((await plane.registry.summary()).revision, revision + 1);
  assertFailed(await plane.call("s.find", {}), "TOOL_QUARANTINED", "refused");
  const [change] = await rows(plane, { name: "s.find" });
  assert.deepEqual([change?.by.user, change?.reason], ["ada", "no one calls them"]);
  assert.deepEqual((await plane.tools.enable(["s.find", "s.look"])).changed, ["s.find", "s.look"]);
  assert.deepEqual(
    (await plane.tools.overlay("s.find")).source,
    null,
    "an overlay that says nothing is gone",
  );
  assert.deepEqual((await plane.tools.overlay("s.look")).overlay, { description: "Looks closely" });
  assert.deepEqual(textsOf(await plane.call("s.look", {})), ["s:look"]);
  await assert.rejects(plane.tools.disable(["s.find"], {}, { principal: bob }), {
    code: "FORBIDDEN",
  });
});
