import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPlane, type Plane } from "../../src/index.ts";
import { selfSigned } from "../../test/fixtures/self-signed.ts";
import { until } from "../../test/fixtures/until.ts";
import { tellStory } from "../story.ts";
import { startVault } from "./stand-in.ts";

const { chapter, promise } = tellStory("Secrets from HashiCorp Vault");
const directory = mkdtempSync(join(tmpdir(), "toolplane-vault-"));
const tls = selfSigned("localhost");
await using vault = await startVault(tls);

/** Stands for the database: it says which password it was given. */
const passwords: unknown[] = [];
const database = createServer((request, response) => {
  passwords.push(request.headers["x-password"]);
  response.writeHead(200, { "content-type": "application/json" }).end('{"user":"app"}');
}).listen(0, "127.0.0.1");
await once(database, "listening");

for (const file of ["vault.mjs", "toolplane.json"])
  copyFileSync(join(import.meta.dirname, file), join(directory, file));
writeFileSync(join(directory, "secret-id"), "let-me-in\n");
writeFileSync(join(directory, "ca.pem"), tls.cert);
writeFileSync(join(directory, "other.pem"), selfSigned("localhost").cert);
process.env.VAULT_ADDR = vault.address;
process.env.VAULT_ROLE_ID = "plane";
process.env.DATABASE_URL = `http://127.0.0.1:${(database.address() as AddressInfo).port}/`;

const use = join(directory, "vault.mjs");
const value = "correct-horse-battery";
const sayField = (name: string) => ({
  description: "Asks the database.",
  side_effects: "none" as const,
  parameters: { type: "object", properties: {} },
  providers: [
    {
      name: "http",
      config: { url: `\${DATABASE_URL}`, headers: { "x-password": `\${vault:${name}}` } },
    },
  ],
});
/** A plane whose tool needs the named secret. */
const planeFor = (name: string, more: object) =>
  createPlane({
    config: {
      extensions: [
        { use, with: { address: vault.address, caFile: join(directory, "ca.pem"), ...more } },
      ],
      tools: { ask: sayField(name) },
    },
  });
const failureOf = async (plane: Plane) => {
  const { error } = await plane.call("ask", {});
  assert.ok(error, "the call went through");
  assert.ok(!JSON.stringify(error).includes(value), "the error holds the secret");
  return error.message;
};
const errorFor = async (name: string, more: object = { token: "root" }) => {
  await using plane = await planeFor(name, more);
  return await failureOf(plane);
};

try {
  vault.secrets.set("app/database", { data: { password: value, port: 5432 } });

  chapter("The configuration of this directory");
  await promise("logs in with AppRole over TLS and reads the field", async () => {
    await using plane = await createPlane({ config: join(directory, "toolplane.json") });
    const outcome = await plane.call("database", {});
    assert.ok(outcome.ok, outcome.error?.message);
    assert.equal(passwords.pop(), value);
    assert.deepEqual(vault.requests.splice(0), ["auth/approle/login", "kv/data/app/database"]);
    assert.equal((await plane.call("database", {})).ok, true);
    assert.deepEqual(vault.requests.splice(0), [], "the second call takes it from memory");
    assert.deepEqual(await plane.extensions.run("vault.forget"), { forgotten: 1 });
    assert.equal((await plane.call("database", {})).ok, true);
    assert.equal(vault.requests.splice(0).length, 2);
    assert.ok(!JSON.stringify(await plane.extensions.list()).includes("let-me-in"));
  });
  await promise("shares one request among those who ask at once", async () => {
    await using plane = await planeFor("kv/app/database#password", { token: "root" });
    await Promise.all([plane.call("ask", {}), plane.call("ask", {}), plane.call("ask", {})]);
    assert.deepEqual(vault.requests.splice(0), ["kv/data/app/database"]);
  });
  await promise("keeps nothing where it must not", async () => {
    await using plane = await planeFor("kv/app/database#password", {
      token: "root",
      cacheSeconds: 0,
    });
    for (const _ of [1, 2]) assert.equal((await plane.call("ask", {})).ok, true);
    assert.equal(vault.requests.splice(0).length, 2);
  });
  await promise("forgets in time, without being asked", async () => {
    await using plane = await planeFor("kv/app/database#password", {
      token: "root",
      cacheSeconds: 0.05,
    });
    assert.equal((await plane.call("ask", {})).ok, true);
    const inMemory = async () => (await plane.extensions.panels())[0]?.facts[1]?.value;
    await until("the secret to be forgotten", async () => (await inMemory()) === 0);
    vault.requests.splice(0);
  });
  await promise("logs in again after its token was revoked, and once only", async () => {
    await using plane = await planeFor("kv/app/database#password", {
      appRole: { roleId: "plane", secretId: "let-me-in" },
      cacheSeconds: 0,
    });
    assert.equal((await plane.call("ask", {})).ok, true);
    vault.tokens.clear();
    assert.equal((await plane.call("ask", {})).ok, true);
    vault.tokens.add("root");
    vault.requests.splice(0);
  });
  await promise("works within a namespace", async () => {
    vault.namespace = "team-a";
    await using plane = await planeFor("kv/app/database#password", {
      token: "root",
      namespace: "team-a",
    });
    assert.equal((await plane.call("ask", {})).ok, true);
    vault.namespace = "";
  });

  chapter("What is in the way is said, and never the value");
  vault.secrets.set("gone", { data: null, deletedAt: "2026-01-01T00:00:00Z" });
  const cases: [string, string, RegExp, object?][] = [
    ["a path that is missing", "kv/no/such#password", /there is no 'no\/such' in 'kv'/],
    [
      "a field that is missing",
      "kv/app/database#passwort",
      /'app\/database' has no field 'passwort'; it has 2/,
    ],
    ["a field of the prototype", "kv/app/database#constructor", /has no field 'constructor'/],
    ["a field that is no text", "kv/app/database#port", /is no text/],
    ["a version that was deleted", "kv/gone#password", /the newest version of 'gone' is deleted/],
    ["a token that may not", "kv/app/database#password", /may not read/, { token: "stranger" }],
    ["another engine", "sys/raw#password", /may not read/],
    ["a path with dots", "kv/../sys/raw#password", /must be written as/],
    ["a name without a field", "kv/app/database", /must be written as/],
    [
      "a wrong role",
      "kv/app/database#password",
      /the role was not accepted/,
      { appRole: { roleId: "plane", secretId: "guess" } },
    ],
    [
      "a certificate that is not known",
      "kv/app/database#password",
      /SELF_SIGNED|UNABLE/,
      { token: "root", caFile: join(directory, "other.pem") },
    ],
    [
      "a server that is not there",
      "kv/app/database#password",
      /cannot be reached: ECONNREFUSED/,
      { token: "root", address: "https://localhost:1" },
    ],
    [
      "a server that does not answer",
      "kv/app/database#password",
      /no answer in time/,
      { token: "root", timeoutMs: 200 },
    ],
    ["a server that is sealed", "kv/app/database#password", /the vault is sealed/],
  ];
  for (const [what, name, message, more] of cases)
    await promise(what, async () => {
      vault.isSilent = what.includes("does not answer");
      vault.isSealed = what.includes("sealed");
      assert.match(await errorFor(name, more), message);
    });
  vault.isSilent = false;
  await promise("its health is an operation", async () => {
    await using plane = await planeFor("kv/app/database#password", { token: "root" });
    assert.deepEqual(await plane.extensions.run("vault.health"), {
      address: vault.address,
      status: 503,
      state: "sealed",
    });
    vault.isSealed = false;
  });
  await promise("settings that cannot be right are refused", async () => {
    for (const [more, message] of [
      [{ token: "root", address: "http://vault.example.com" }, /must begin with https/],
      [{ token: "root", appRole: { roleId: "a", secretId: "b" } }, /either 'token' or 'appRole'/],
      [{}, /either 'token' or 'appRole'/],
    ] as const) {
      await using plane = await planeFor("kv/app/database#password", more);
      assert.match((await plane.extensions.list())[0]?.error ?? "", message);
      assert.match(await failureOf(plane), /the extension that reads it is not in use/);
    }
  });
} finally {
  database.close();
  database.closeAllConnections();
  rmSync(directory, { recursive: true, force: true });
}
