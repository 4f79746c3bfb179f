import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { createPlane, type Outcome } from "../../src/index.ts";
import type { CreatedApiKey } from "../../src/model/access/credentials.ts";
import { principalOf } from "../../src/model/principal.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import {
  assertFailed,
  processFixture as fixture,
  planeOf,
  runCli,
  startServe,
  startServeProcess,
  writeConfig,
} from "./support.ts";

const refused = (reason: string) => ({ code: "UNAUTHENTICATED", data: { reason } });
const admin = { principal: principalOf({ user: "root", scopes: ["admin"] }) };
const ann = { principal: principalOf({ user: "ann" }) };
const reader = { principal: principalOf({ user: "rea", scopes: ["read"] }) };
const stranger = { principal: principalOf({ user: "eve", scopes: [] }) };

/** The bytes of everything that is kept. */
function kept(directory: string): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  return files.map((file) => readFileSync(join(file.parentPath, file.name), "latin1")).join("\n");
}

suite("who has to prove who they are", () => {
  test("no one does on a machine of your own, and a credential is checked all the same", async () => {
    await using plane = await planeOf({}, { principal: { user: "ann" } });
    assert.equal(await plane.identity.needsCredentials(), false);
    assert.deepEqual(
      await plane.identity.identify(null),
      principalOf({ user: "ann", scopes: ["*"] }),
    );
    for (const token of ["", "Bearer", "tp_x", "a.b.c"])
      await assert.rejects(plane.identity.identify(token), refused("unknown"));
  });

  test("every caller does once there was a key, also when it is revoked, until its record is gone", async () => {
    await using plane = await planeOf({}, { principal: { user: "ann" } });
    const { key, secret } = await plane.keys.create({ name: "ci" });
    await assert.rejects(plane.identity.identify(null), refused("missing"));
    assert.equal((await plane.identity.identify(` ${secret}\n`)).user, "ann");
    assert.equal(await plane.keys.revoke(key.id), true);
    assert.equal(await plane.identity.needsCredentials(), true);
    await assert.rejects(plane.identity.identify(secret), refused("revoked"));
    assert.equal(await plane.keys.revoke(key.id, { forget: true }), false);
    assert.equal(await plane.identity.needsCredentials(), false);
    await assert.rejects(plane.identity.identify(secret), refused("unknown"));
    assert.equal((await plane.identity.identify(null)).user, "ann");
  });

  test("every caller does where others than this machine can reach the plane", async () => {
    await using plane = await planeOf({}, { exposed: true });
    assert.equal(await plane.identity.needsCredentials(), true);
    await assert.rejects(plane.identity.identify(null), refused("missing"));
  });

  test("only an admin has to do with keys", async () => {
    await using plane = await planeOf({});
    for (const caller of [ann, reader, stranger]) {
      await assert.rejects(plane.keys.list(caller), { code: "FORBIDDEN" });
      await assert.rejects(plane.keys.create({ name: "x" }, caller), { code: "FORBIDDEN" });
      await assert.rejects(plane.keys.revoke("x", caller), { code: "FORBIDDEN" });
    }
    const { key } = await plane.keys.create({ name: "x" }, admin);
    assert.deepEqual([key.user, (await plane.keys.list(admin)).length], ["root", 1]);
  });
});

suite("what a caller may do at all", () => {
  test("a reader lists and does not call, a stranger does neither, and both attempts are on record", async () => {
    await using plane = await planeOf({ echo: fixture("echo") });
    assert.ok((await plane.tools.list(reader)).some(({ name }) => name === "echo.echo"));
    assertFailed(await plane.call("echo.echo", { message: "hi" }, reader), "FORBIDDEN", "refused");
    await assert.rejects(plane.tools.list(stranger), {
      code: "FORBIDDEN",
      message: /the scope 'read'/,
    });
    await assert.rejects(plane.tools.get("echo.echo", stranger), { code: "FORBIDDEN" });
    assertFailed(await plane.call("echo.nothing", {}, stranger), "FORBIDDEN", "refused");
    assert.equal((await plane.call("echo.echo", { message: "hi" }, ann)).ok, true);
    const users = (await plane.calls.list()).map(
      ({ principal, status }) => `${principal.user} ${status}`,
    );
    assert.deepEqual(users, ["ann succeeded", "eve refused", "rea refused"]);
  });

  test("a user whom the configuration lists has the groups and the persona from there", async () => {
    await using directory = await temporaryDirectory();
    const users = { ann: { groups: ["staff"], persona: "Atlas" } };
    const config = await writeConfig(
      directory,
      { echo: fixture("echo", [], { groups: ["staff"] }) },
      { users },
    );
    const flags = ["--config", config, "--data-dir", directory.file("data"), "--json"];
    const call = (...words: string[]) =>
      runCli(["call", "echo.echo", "message=hi", ...words, ...flags]);
    const codes = async (...more: string[]) => [
      (await call("--user", "ann", ...more)).code,
      (await call("--user", "bob", ...more)).code,
      (await call("--user", "ann", "--group", "guests", ...more)).code,
    ];
    assert.deepEqual(await codes(), [0, 3, 3]);
    await using _serving = await startServe(config, directory.file("data"));
    assert.deepEqual(await codes(), [0, 3, 3], "beside a plane that serves");
    const made = await runCli(["keys", "create", "x", "--user", "ann", ...flags]);
    const { secret, key } = made.json() as unknown as CreatedApiKey;
    assert.deepEqual(key.groups, [], "they are not frozen into the key");
    await using plane = await planeOf({}, { dataDirectory: directory.file("data") });
    assert.deepEqual(
      (await plane.identity.identify(secret)).groups,
      [],
      "this plane lists no users",
    );
  });
});

suite("the profile of the policy", () => {
  const write = ["echo.put_note", { key: "a", text: "b" }, { ...ann, face: "mcp" }] as const;
  const origin = (outcome: Outcome) => outcome.error?.data.origin;

  test("is personal as long as no one has to prove anything, and guarded from then on", async () => {
    await using plane = await planeOf({ echo: fixture("echo") });
    assert.equal((await plane.call(...write)).ok, true);
    await plane.keys.create({ name: "ci" });
    const asked = await plane.call(...write);
    assertFailed(asked, "APPROVAL_REQUIRED", "waiting");
    assert.equal(origin(asked), "profile:guarded");
  });

  test("is what the configuration says, with and without keys", async () => {
    await using plane = await planeOf(
      { echo: fixture("echo") },
      { policy: { profile: "personal" }, exposed: true },
    );
    assert.equal((await plane.call(...write)).ok, true);
  });

  test("stands in the configuration as it is in force", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {});
    const run = async (...words: string[]) =>
      (await runCli([...words, "--config", config, "--data-dir", directory.path, "--json"])).json();
    const profile = async () =>
      ((await run("config", "show")).policy as { profile: string }).profile;
    assert.equal(await profile(), "personal");
    await run("keys", "create", "ci");
    assert.equal(await profile(), "guarded");
    const [explained] = (await run("config", "explain", "policy.profile")).values as {
      value: unknown;
    }[];
    assert.equal(explained?.value, "guarded");
  });
});

suite("keys on the command line", () => {
  test("are made, listed and revoked beside a plane that serves, and outlive its violent end", async () => {
    await using directory = await temporaryDirectory();
    const config = await writeConfig(directory, {});
    const data = directory.file("data");
    const run = (...words: string[]) => runCli([...words, "--config", config, "--data-dir", data]);
    const serving = await startServeProcess(config, data);
    const made = await run("keys", "create", "ci", "--user", "build", "--scope", "admin", "--json");
    const { key, secret } = made.json() as unknown as CreatedApiKey;
    await serving.stop("SIGKILL");

    const { keys } = (await run("keys", "list", "--json")).json() as unknown as { keys: unknown[] };
    assert.deepEqual(keys, [key]);
    await using plane = await planeOf({}, { dataDirectory: data });
    assert.deepEqual(
      await plane.identity.identify(secret),
      principalOf({
        user: "build",
        scopes: ["admin"],
        key: key.id,
        keyCreators: key.createdBy ?? [],
      }),
    );
    // Another process revokes it while this one runs.
    const revoked = await run("keys", "revoke", key.id, "--json");
    assert.deepEqual(revoked.json(), { id: key.id, revoked: true });
    await assert.rejects(plane.identity.identify(secret), refused("revoked"));
    assert.equal((await run("keys", "revoke", key.id, "--json")).json().revoked, false);
    assert.equal((await run("keys", "revoke", "nothing")).code, 1);
  });

  test("the secret is shown once to the maker of the key, and kept nowhere", async () => {
    await using directory = await temporaryDirectory();
    const run = (...words: string[]) =>
      runCli([...words, "--data-dir", directory.file("data")], { cwd: directory.path });
    const made = await run("keys", "create", "laptop", "--expires", "30d");
    assert.equal(made.code, 0, made.stderr);
    const [secret = ""] = /tp_[A-Za-z0-9_-]{43}/.exec(made.stdout) ?? [];
    assert.ok(made.stdout.includes(`Authorization: Bearer ${secret}`));
    assert.match(made.stderr, /From now on every HTTP request needs a key/);
    await using plane = await planeOf({}, { dataDirectory: directory.file("data") });
    assert.equal((await plane.identity.identify(secret)).persona, null);
    const listed = await run("keys", "list");
    assert.match(listed.stdout, /laptop +live/);
    const everything =
      listed.stdout +
      listed.stderr +
      kept(directory.path) +
      JSON.stringify(await plane.events.list());
    assert.ok(everything.includes("key.created"));
    assert.ok(!everything.includes(secret.slice(3)));
  });

  test("a key locks the plane that it is for, and no other on the same data directory", async () => {
    await using directory = await temporaryDirectory();
    const dataDirectory = directory.file("data");
    const [team, other] = ["team.json", "other.json"].map((name) => directory.file(name));
    for (const file of [team, other])
      await writeFile(file ?? "", JSON.stringify({ mcpServers: {} }));
    const words = ["keys", "create", "ann", "--config", team ?? "", "--data-dir", dataDirectory];
    const made = await runCli(words, { cwd: directory.path });
    const [secret = ""] = /tp_[A-Za-z0-9_-]{43}/.exec(made.stdout) ?? [];
    assert.match(
      made.stderr,
      /It is for the plane of .*team\.json\. Other planes of yours stay as they are\./,
    );
    await using locked = await createPlane({ config: team ?? "", dataDirectory });
    await using open = await createPlane({ config: other ?? "", dataDirectory });
    assert.deepEqual(
      [await locked.identity.needsCredentials(), await open.identity.needsCredentials()],
      [true, false],
    );
    assert.equal(
      (await locked.identity.identify(secret)).user,
      (await locked.keys.list())[0]?.user,
    );
    assert.deepEqual(await open.keys.list(), []);
    await assert.rejects(open.identity.identify(secret), /is for the plane of .*team\.json/);
  });

  test("what makes no sense is reported", async () => {
    await using directory = await temporaryDirectory();
    for (const [words, message] of [
      [["create"], /Missing required argument 'name'/],
      [["create", "x", "--scope", "root"], /no scope 'root'/],
      [["create", "x", "--expires", "yesterday"], /a time from now such as 12h/],
    ] as const) {
      const { code, stderr } = await runCli(["keys", ...words, "--data-dir", directory.path]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
    }
  });
});

test("over HTTP a key is what lets a caller in, as far as its scopes go and until it is revoked", async () => {
  await using directory = await temporaryDirectory();
  const config = await writeConfig(
    directory,
    { echo: fixture("echo") },
    { policy: { profile: "personal" } },
  );
  const data = directory.file("data");
  await using serving = await startServe(config, data);
  const run = async (...words: string[]) =>
    (await runCli(["keys", ...words, "--config", config, "--data-dir", data, "--json"])).json();
  const statusOf = async (secret: string | null, path: string, init: RequestInit = {}) => {
    const headers = secret === null ? {} : { authorization: `Bearer ${secret}` };
    const { status, body } = await fetch(`${serving.url}${path}`, { ...init, headers });
    await body?.cancel();
    return status;
  };
  const call = { method: "POST", body: JSON.stringify({ arguments: { message: "hi" } }) };
  assert.equal(await statusOf(null, "/tools"), 200, "no one has to prove anything yet");

  const { key, secret } = (await run("create", "ci")) as unknown as CreatedApiKey;
  const { secret: readerSecret } = (await run(
    "create",
    "r",
    "--scope",
    "read",
  )) as unknown as CreatedApiKey;
  assert.deepEqual(
    [
      await statusOf(null, "/tools"),
      await statusOf("tp_wrong", "/tools"),
      await statusOf(null, "/healthz"),
    ],
    [401, 401, 200],
  );
  assert.deepEqual(
    [await statusOf(secret, "/tools"), await statusOf(secret, "/tools/echo.echo/call", call)],
    [200, 200],
  );
  assert.deepEqual(
    [
      await statusOf(readerSecret, "/tools"),
      await statusOf(readerSecret, "/tools/echo.echo/call", call),
    ],
    [200, 403],
  );
  await run("revoke", key.id);
  assert.equal(await statusOf(secret, "/tools"), 401);
});
