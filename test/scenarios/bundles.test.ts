import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { createPlane, type Plane } from "../../src/index.ts";
import type { Bundle } from "../../src/model/catalogue/change.ts";
import { trusted } from "../../src/model/principal.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { namedServer, runCli, textsOf, writeConfig } from "./support.ts";

const ada = trusted({ user: "ada" });
const servers = { s: namedServer("s", ["find"]) };
const token = "s3cret-value-of-a-variable";

const tool = (name: string, more: object = {}) => ({
  name,
  description: `The tool ${name}`,
  side_effects: "none" as const,
  providers: [{ name: "mcp", config: { server: "s", tool: "find" } }],
  ...more,
});
const skill = {
  kind: "skill",
  name: "research",
  version: "1.0.0",
  instruction_prompt: "Look it up.",
  required_tools: ["lookup"],
  required_capabilities: [],
  safety_notes: "none",
};
const http = tool("remote", {
  providers: [
    {
      name: "http",
      config: {
        url: "https://a.example/x",
        headers: { Authorization: "Bearer ${BUNDLE_TEST_TOKEN}" },
      },
    },
    { name: "mcp", config: { server: "${BUNDLE_TEST_SERVER:-s}", tool: "find" } },
  ],
});

function open(bundle: string): Bundle {
  return JSON.parse(Buffer.from(bundle, "base64").toString()) as Bundle;
}

function close(bundle: object): string {
  return Buffer.from(JSON.stringify(bundle)).toString("base64");
}

/** A plane whose files say some of everything. */
async function sourcePlane(file: (name: string) => string): Promise<Plane> {
  process.env.BUNDLE_TEST_TOKEN = token;
  await writeFile(file("all.json"), JSON.stringify([tool("lookup"), http, skill]));
  const config = await writeConfig({ file }, servers, { manifests: ["all.json"] });
  return createPlane({ config, dataDirectory: file("source"), principal: ada });
}

test("what one plane exports another takes over, when it trusts the key", async () => {
  await using directory = await temporaryDirectory();
  await using source = await sourcePlane(directory.file);
  await source.tools.set(tool("stored", { persona: "Atlas" }));
  const { bundle, entries, fingerprint } = await source.registry.export();
  assert.deepEqual(entries, [
    { kind: "tool", name: "lookup", persona: null },
    { kind: "tool", name: "remote", persona: null },
    { kind: "skill", name: "research", persona: null },
    { kind: "tool", name: "stored", persona: "Atlas" },
  ]);
  const said = Buffer.from(bundle, "base64").toString();
  assert.ok(!said.includes(token) && !said.includes(directory.path), said);
  assert.ok(
    said.includes("${BUNDLE_TEST_TOKEN}") && said.includes("${BUNDLE_TEST_SERVER:-s}"),
    said,
  );

  const elsewhere = {
    config: { mcpServers: servers },
    dataDirectory: directory.file("target"),
    principal: ada,
  };
  await using stranger = await createPlane(elsewhere);
  await assert.rejects(
    stranger.registry.import(bundle, { reason: "try" }),
    (error: Error & { code?: string }) => {
      assert.equal(error.code, "BUNDLE_REFUSED");
      assert.ok(
        error.message.includes(fingerprint) && error.message.includes("bundles.trustedKeys"),
        error.message,
      );
      return true;
    },
  );

  const trusting = { ...elsewhere.config, bundles: { trustedKeys: [fingerprint] } };
  await using target = await createPlane({ ...elsewhere, config: trusting });
  const dry = await target.registry.import(bundle, { dryRun: true });
  assert.deepEqual(
    [dry.dryRun, dry.entries.map(({ change }) => change)],
    [true, Array(4).fill("added")],
  );
  assert.deepEqual(
    (await target.tools.list()).map(({ name }) => name),
    ["s.find"],
  );

  const done = await target.registry.import(bundle, { reason: "release 7" });
  assert.deepEqual([done.dryRun, done.exportedBy, done.fingerprint], [false, "ada", fingerprint]);
  assert.deepEqual(textsOf(await target.call("lookup", {})), ["s:find"]);
  assert.deepEqual(
    (await target.skills.page({})).skills.map(({ name, source: from }) => [name, from]),
    [["research", "stored"]],
  );
  const { changes } = await target.registry.changes({ name: "lookup" });
  assert.deepEqual(
    changes.map(({ kind, reason, by }) => [kind, reason, by.user]),
    [["added", "release 7", "ada"]],
  );
  const again = await target.registry.import(bundle, { reason: "once more" });
  assert.deepEqual(
    again.entries.map(({ change }) => change),
    Array(4).fill("unchanged"),
  );
  assert.equal((await target.registry.changes({ name: "lookup" })).total, 1);
});

test("a bundle that is damaged, unsigned, changed or newer is refused, and so is one of bad entries", async () => {
  await using directory = await temporaryDirectory();
  await using plane = await sourcePlane(directory.file);
  const { bundle } = await plane.registry.export({ names: ["lookup"] });
  const said = open(bundle);
  const changed = { ...said, entries: [{ kind: "tool", manifest: tool("evil") }] };
  const cases: [bundle: string, reason: RegExp][] = [
    ["not a bundle", /not a bundle/],
    ["", /not a bundle/],
    [close([]), /not a bundle/],
    [close({}), /no version/],
    [close({ ...said, version: 2 }), /version 2, and this installation knows 1\. Update/],
    [close({ ...said, signature: undefined }), /not signed/],
    [close(changed), /signature is not valid/],
    [close({ ...said, exportedBy: "eve" }), /signature is not valid/],
    [
      close({
        ...said,
        signature: said.signature.replace(/^./, (letter) => (letter === "A" ? "B" : "A")),
      }),
      /signature/,
    ],
    [close({ ...said, key: "AAAA" }), /signature is not valid/],
  ];
  for (const [text, message] of cases)
    await assert.rejects(plane.registry.import(text, { reason: "x" }), {
      code: "BUNDLE_REFUSED",
      message,
    });
  await assert.rejects(plane.registry.import(bundle, {}), {
    code: "USAGE",
    message: /needs a reason/,
  });
  assert.deepEqual((await plane.registry.changes({ kind: "added" })).changes, []);
});

test("all that is wrong with the entries of a bundle is reported, and nothing of it is taken over", async () => {
  await using directory = await temporaryDirectory();
  const { loadSigningKey } = await import("../../src/catalogue/bundles/signed-bundle.ts");
  const { writeBundle } = await import("../../src/catalogue/bundles/signed-bundle.ts");
  const dataDirectory = directory.file("data");
  const entries = [
    { kind: "tool" as const, manifest: tool("good") },
    { kind: "tool" as const, manifest: tool("bad", { side_effects: "magic" }) },
    { kind: "skill" as const, manifest: { name: "empty" } },
    { kind: "tool" as const, manifest: tool("s.find") },
    { kind: "tool" as const, manifest: tool("good") },
  ];
  const bundle = close(writeBundle(entries as never, "eve", loadSigningKey(dataDirectory)));
  await using plane = await createPlane({
    config: { mcpServers: servers },
    dataDirectory,
    principal: ada,
  });
  await assert.rejects(plane.registry.import(bundle, { reason: "x" }), {
    code: "ENTRY_INVALID",
    message:
      /tool 'bad': side_effects[\s\S]*skill 'empty'[\s\S]*'s\.find' is a tool of server 's'[\s\S]*'good': it is in the bundle twice/,
  });
  assert.deepEqual(
    (await plane.tools.list()).map(({ name }) => name),
    ["s.find"],
  );
});

test("a secret in clear is not exported, and names that are not there are reported", async () => {
  await using directory = await temporaryDirectory();
  const headers = { Authorization: "Bearer hunter2hunter2" };
  const providers = [{ name: "http", config: { url: "https://a.example", headers } }];
  await writeFile(directory.file("t.json"), JSON.stringify(tool("clear", { providers })));
  const config = await writeConfig(directory, servers, { manifests: ["t.json"] });
  await using plane = await createPlane({ config, principal: ada });
  await assert.rejects(plane.registry.export(), (error: Error) => {
    assert.match(error.message, /tool 'clear': .*Authorization: holds a secret in clear/);
    assert.ok(!error.message.includes("hunter2"));
    return true;
  });
  await assert.rejects(plane.registry.export({ names: ["claer"] }), {
    code: "NOT_FOUND",
    message: /'clear'\?/,
  });
  await assert.rejects(plane.registry.export({ kinds: ["job"] }), {
    code: "NOT_FOUND",
    message: /nothing to export/,
  });
});

test("bundles travel over the command line; the key is the owner's alone", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(directory.file("all.json"), JSON.stringify([tool("lookup"), skill]));
  const config = await writeConfig(directory, servers, { manifests: ["all.json"] });
  const data = ["--config", config, "--data-dir", directory.file("data")];
  const exported = await runCli(["registry", "export", "lookup", ...data]);
  assert.equal(exported.code, 0, exported.stderr);
  assert.match(exported.stderr, /1 entry, signed with SHA256:/);
  const key = directory.file("data/bundle.key");
  assert.equal((await stat(key)).mode & 0o777, 0o600);
  assert.ok(!exported.stdout.includes((await readFile(key, "utf8")).slice(30, 60)));

  const file = directory.file("lookup.bundle");
  await writeFile(file, exported.stdout);
  const missing = await runCli(["registry", "import", file, ...data, "--json"]);
  assert.equal(missing.code, 2);
  const dry = await runCli(["registry", "import", file, "--dry-run", ...data]);
  assert.match(dry.stdout, /changed\s+tool\s+lookup\s+takes precedence over manifest:all.json/);
  assert.match(dry.stderr, /Nothing was changed/);
  const done = await runCli(["registry", "import", file, "--reason", "why not", ...data, "--json"]);
  assert.equal(done.code, 0, done.stderr);
  const changes = await runCli(["tools", "changes", "lookup", ...data]);
  assert.match(changes.stdout, /\(cli\)\s+changed tool\s+lookup\s+why not/);
  const nowhere = await runCli(["registry", "import", "nowhere.bundle", "--reason", "x", ...data]);
  assert.equal(nowhere.code, 2);
});
