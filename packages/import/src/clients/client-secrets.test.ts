import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { JsonObject } from "@toolplane/core/model/json";
import { emptyHome, request, userFiles } from "@toolplane/test/fixtures/clients/client-home";
import { temporaryDirectory } from "@toolplane/test/fixtures/start-server";
import { readServerEntries, resolveSecrets } from "@toolplane/test/samples/core";
import { concealSecrets } from "../adding/conceal.ts";
import type { Where } from "./client-files.ts";
import { connectClient } from "./connect-client.ts";
import { disconnectClient } from "./disconnect-client.ts";

const token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
const bearer = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl";
const password = "postgresql://ann:hunter2hunter2@db.example.org/shop";
const inPath = "NDk2ZjJkYjUtY2E1Ny00";
const all = [token, bearer, password, inPath, "two-different-1", "two-different-2"];

/** As people have them: in variables, in headers, in arguments, in an address. */
const servers: Record<string, JsonObject> = {
  github: {
    command: "npx",
    args: ["-y", "gh-server"],
    env: { GITHUB_TOKEN: token, LOG_LEVEL: "info" },
  },
  tracker: {
    url: "https://tracker.example.org/mcp",
    headers: { Authorization: `Bearer ${bearer}`, "X-Team": "a" },
  },
  shop: { command: "npx", args: ["-y", "pg-server", password] },
  zap: { url: `https://zap.example.org/s/${inPath}/mcp` },
  twice: {
    command: "two",
    args: ["--token", "two-different-1"],
    env: { TOKEN: "two-different-2", MAX_TOKENS: "4096" },
  },
};

const clients = { cursor: "mcpServers", "claude-code": "mcpServers", vscode: "servers" } as const;
type Client = keyof typeof clients;

function write(where: Where, client: Client, entries: object): string {
  const file = join(where.home, userFiles.linux[client]);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    `// by hand\n${JSON.stringify({ [clients[client]]: entries }, null, 4)}\n`.replace(/^.*\n/, ""),
  );
  return file;
}

const secretsOf = ({ home }: Where) => join(home, ".config", "toolplane", "secrets");

/** The entries of a file of ours as a server would get them. */
const revealed = async (file: string) =>
  Object.fromEntries(
    await Promise.all(
      readServerEntries(file).map(async ({ name, entry }) => [
        name,
        await resolveSecrets(structuredClone(entry) as JsonObject, { directory: dirname(file) }),
      ]),
    ),
  );

for (const client of ["cursor", "claude-code", "vscode"] as const) {
  test(`secrets of ${client} are kept in private files, its servers get them, and it gets back what it had`, async () => {
    await using root = await temporaryDirectory();
    const where = emptyHome(root.path, "linux");
    const file = write(where, client, servers);
    const before = readFileSync(file);
    const wanted = request(where);
    const planned = await connectClient(client, where, { ...wanted, dryRun: true });
    assert.deepEqual([existsSync(secretsOf(where)), existsSync(wanted.into)], [false, false]);
    assert.ok(planned.secrets.every(({ where: place }) => place === null));

    const report = await connectClient(client, where, wanted);
    assert.deepEqual(
      report.secrets.map(({ server, name }) => `${server} ${name}`),
      planned.secrets.map(({ server, name }) => `${server} ${name}`),
    );
    assert.deepEqual(
      report.secrets.map(({ server, name }) => `${server} ${name}`),
      [
        "github GITHUB_TOKEN",
        "tracker TRACKER_TOKEN",
        "shop ARGUMENT",
        "zap ZAP_URL_KEY",
        "twice TOKEN",
        "twice TOKEN_2",
      ],
    );
    assert.deepEqual(report.holdSecrets, []);
    const ours = readFileSync(wanted.into, "utf8");
    for (const secret of all) {
      assert.ok(!ours.includes(secret), secret);
      assert.ok(!JSON.stringify(report).includes(secret), secret);
    }
    assert.deepEqual(await revealed(wanted.into), servers);
    const kept = readdirSync(secretsOf(where));
    assert.equal(kept.length, 6);
    for (const name of kept)
      assert.equal(statSync(join(secretsOf(where), name)).mode & 0o777, 0o600);
    for (const beside of readdirSync(dirname(file)).filter((name) => name.includes(".toolplane-")))
      assert.equal(statSync(join(dirname(file), beside)).mode & 0o777, 0o600, beside);

    const done = await disconnectClient(client, where, { remove: true });
    assert.deepEqual([done.outcome, done.removed.length], ["restored", 5]);
    assert.deepEqual(readFileSync(file), before);
    assert.deepEqual([readServerEntries(wanted.into), readdirSync(secretsOf(where))], [[], []]);
  });
}

test("what is edited in the client meanwhile does not cost a secret when it is disconnected", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const file = write(where, "cursor", servers);
  await connectClient("cursor", where, request(where));
  const edited = JSON.parse(readFileSync(file, "utf8"));
  edited.mcpServers.mine = { command: "mine" };
  writeFileSync(file, JSON.stringify(edited));
  assert.equal((await disconnectClient("cursor", where)).outcome, "merged");
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")).mcpServers, {
    ...servers,
    mine: { command: "mine" },
  });
  // The servers stay with us, so their secrets do, too.
  assert.equal(readdirSync(secretsOf(where)).length, 6);
});

test("the same server of a second client is one, and another secret under its name is another", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const { github } = servers;
  write(where, "cursor", { github });
  write(where, "claude-code", { github });
  write(where, "vscode", {
    github: { ...github, env: { GITHUB_TOKEN: `${token}2`, LOG_LEVEL: "info" } },
  });
  const { into } = request(where);
  await connectClient("cursor", where, request(where));
  const second = await connectClient("claude-code", where, request(where, { files: [into] }));
  assert.deepEqual(
    [second.moved.map(({ as, isNew }) => [as, isNew]), second.secrets],
    [[["github", false]], []],
  );
  const third = await connectClient("vscode", where, request(where, { files: [into] }));
  assert.deepEqual(
    third.moved.map(({ as }) => as),
    ["github-vscode"],
  );
  const found = (await revealed(into)) as Record<string, { env: JsonObject }>;
  assert.deepEqual(
    [found.github?.env.GITHUB_TOKEN, found["github-vscode"]?.env.GITHUB_TOKEN],
    [token, `${token}2`],
  );
});

test("a server of the same name in another configuration keeps its own secret", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  const other = {
    command: "npx",
    args: ["-y", "gh-server"],
    env: { GITHUB_TOKEN: `${token}2`, LOG_LEVEL: "info" },
  };
  write(where, "cursor", { github: servers.github });
  write(where, "vscode", { github: other });
  const [one, two] = [join(root.path, "one.json"), join(root.path, "two.json")];
  await connectClient("cursor", where, request(where, { into: one }));
  await connectClient("vscode", where, request(where, { into: two }));
  assert.deepEqual(await revealed(one), { github: servers.github });
  assert.deepEqual(await revealed(two), { github: other });
  await disconnectClient("vscode", where, { remove: true });
  assert.deepEqual(await revealed(one), { github: servers.github });
});

test("variables instead: nothing is kept, and the report says what to set", async () => {
  await using root = await temporaryDirectory();
  const where = emptyHome(root.path, "linux");
  where.environment = { ...where.environment, GITHUB_TOKEN: "that of another account" };
  const file = write(where, "cursor", { github: servers.github });
  const before = readFileSync(file);
  const wanted = request(where, { secrets: "env" });
  const report = await connectClient("cursor", where, wanted);
  // The variable that is set holds something else.
  assert.deepEqual(await revealed(wanted.into), {
    github: { ...servers.github, env: { GITHUB_TOKEN: "${GITHUB_TOKEN_2}", LOG_LEVEL: "info" } },
  });
  assert.deepEqual(report.secrets, [{ server: "github", name: "GITHUB_TOKEN_2", where: null }]);
  assert.deepEqual(
    report.variables.map(({ name, isSet }) => [name, isSet]),
    [["GITHUB_TOKEN_2", false]],
  );
  assert.ok(!existsSync(secretsOf(where)));
  await disconnectClient("cursor", where, { remove: true });
  assert.deepEqual(readFileSync(file), before);
});

test("references, placeholders and plain settings of a client stay as they are", () => {
  const entry = {
    command: "x",
    args: ["--token", "${TOKEN}", "--path", "/home/ann/projects-2026"],
    env: {
      API_KEY: "<your key>",
      EMPTY_TOKEN: "",
      MAX_TOKENS: "100",
      KEYS: "true",
      HOME_DIR: "/home/ann",
    },
  };
  assert.deepEqual(concealSecrets("x", entry, {}, "client"), { entry, values: {} });
});
