import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fullHome } from "@toolplane/test/fixtures/clients/client-home";
import { fixturePath } from "@toolplane/test/fixtures/fixture-path";
import { temporaryDirectory } from "@toolplane/test/fixtures/start-server";
import type { Where } from "./client-files.ts";
import { type ClientName, clientNames } from "./clients.ts";
import { findClientServers } from "./import-clients.ts";
import { translateEntry } from "./translate-entry.ts";

const where: Where = {
  platform: "win32",
  home: "C:\\Users\\ann",
  directory: "/projects/app",
  environment: {},
};

function translate(entry: unknown, client: ClientName = "cursor", isProject = false) {
  const workspace = isProject ? where.directory : null;
  const result = translateEntry(entry, { client, where, workspace, inputs: [] });
  return "reason" in result ? result : { definition: result.definition };
}

const forms = JSON.parse(readFileSync(fixture("normal-forms.json"), "utf8")) as Record<
  ClientName,
  object
>;

function fixture(name: string): string {
  return fixturePath("clients", name);
}

for (const client of clientNames()) {
  test(`the servers in the fixture of ${client} come out in our own form`, async () => {
    await using root = await temporaryDirectory();
    const machine = fullHome(root.path, "linux");
    const { servers } = findClientServers([client], machine);
    const definitions = Object.fromEntries(
      servers.map(({ name, definition }) => [name, definition]),
    );
    const text = JSON.stringify(definitions)
      .replaceAll(machine.home, "@HOME@")
      .replaceAll(machine.directory, "@DIRECTORY@");
    assert.deepEqual(JSON.parse(text), forms[client]);
  });
}

test("what clients note for themselves is left out", () => {
  const entry = {
    command: "x",
    type: "stdio",
    alwaysAllow: ["a"],
    autoApprove: [],
    trust: true,
    gallery: true,
  };
  assert.deepEqual(translate({ ...entry, disabled: false, enabled: true, env: {}, args: [] }), {
    definition: { command: "x" },
  });
});

test("numbers and switches in the environment become text", () => {
  assert.deepEqual(
    translate({ command: "x", env: { PORT: 80, ON: true, NONE: null }, args: [1] }),
    {
      definition: { command: "x", args: ["1"], env: { PORT: "80", ON: "true" } },
    },
  );
});

test("the folders of an editor are put in where they are known", () => {
  const entry = { command: "$" + "{userHome}$" + "{/}x", cwd: "$" + "{workspaceFolder}" };
  assert.deepEqual(translate(entry, "vscode", true), {
    definition: { command: "C:\\Users\\ann\\x", cwd: "/projects/app" },
  });
  assert.deepEqual(translate(entry, "vscode", false), {
    reason: "$" + "{workspaceFolder} is another folder in each project; connect it with --project",
  });
});

const refused: [title: string, entry: unknown, reason: RegExp][] = [
  ["an object as its kind", { type: Object.create(null), args: [] }, /neither a command nor a url/],
  ["no object", "npx thing", /not an object/],
  ["neither command nor url", { args: [] }, /neither a command nor a url/],
  ["an empty command", { command: "" }, /neither a command nor a url/],
  ["a socket", { type: "http", url: "unix:///tmp/mcp.sock" }, /starts with 'unix:'/],
  ["a part of the client", { type: "builtin", name: "developer" }, /part of the client/],
  [
    "a command of the editor",
    { command: "x", args: ["$" + "{command:pick}"] },
    /only the client knows/,
  ],
];

for (const [title, entry, reason] of refused) {
  test(`an entry with ${title} is refused with the reason`, () => {
    const result = translate(entry);
    assert.ok("reason" in result);
    assert.match(result.reason, reason);
  });
}

const references: [client: ClientName, text: string, ours: string][] = [
  ["cursor", "${env:TOKEN}", "${TOKEN}"],
  ["roo", "${env:TOKEN:-none}", "${TOKEN:-none}"],
  ["claude-code", "${TOKEN:-none}", "${TOKEN:-none}"],
  ["windsurf", "${file:~/token}", "${file:C:\\Users\\ann/token}"],
  ["gemini", "$TOKEN and ${OTHER}", "${TOKEN} and ${OTHER}"],
  ["opencode", "Bearer {env:TOKEN}", "Bearer ${TOKEN}"],
  ["continue", "${{ secrets.TOKEN }}", "${TOKEN}"],
  ["continue", "${{inputs.my-token}}", "${MY_TOKEN}"],
  ["vscode", "${input:1st-key}", "${_1ST_KEY}"],
  ["vscode", "${workspaceFolderBasename}", "app"],
  ["cursor", "costs $5, {env:X}", "costs $5, {env:X}"],
];

for (const [client, given, ours] of references) {
  test(`'${given}' of ${client} is '${ours}'`, () => {
    assert.deepEqual(translate({ command: "x", args: [given] }, client, true), {
      definition: { command: "x", args: [ours] },
    });
  });
}
