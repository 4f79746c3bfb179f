import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { suite, test } from "node:test";
import { createPlane } from "../../src/index.ts";
import type { AuditRecord } from "../../src/model/audit-schema.ts";
import { isMissing } from "../../src/operations/operation.ts";
import { operations } from "../../src/operations/operations.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { fixture, runCli, startServe, writeConfig } from "./support.ts";

/** Operations that send something and change nothing of the plane, or are recorded as calls and runs. */
const recordedElsewhere = new Set([
  // Under the name of the operation, where that says that it changes something.
  "extensions.run",
  "call",
  "pages.ask",
  "skills.run",
  "agent.run",
  "code.run",
  "prompts.get",
  "policy.test",
  "policy.preview",
  "tools.previewOverlay",
  "registry.export",
  "evaluateSearch",
  // Each operation of an extension says so itself.
  "extensions.run",
]);

/** Operations without a route that change nothing, or end what is the caller's own. */
const withoutRoute = new Set([
  "tools.list",
  "jobs.list",
  "tasks.list",
  "approvals.list",
  "tools.isLazy",
  "servers.locked",
  "servers.ping",
  "resources.templates",
  "conversations.budget",
  "conversations.end",
  "plans.check",
  "calls.verify",
  "calls.payloads",
  "runs.render",
  "agent.generate",
  "identity.needsCredentials",
  "config",
]);

/** Never connected to. */
const remote = { url: "http://127.0.0.1:9/mcp", autoConnect: false };

suite("what changes something leaves a record", () => {
  test("every operation that changes something is recorded by its declaration", () => {
    // Without a route, an operation says itself whether it only looks.
    const changing = operations.filter(({ name, http }) =>
      isMissing(http) ? !withoutRoute.has(name) : http.method !== "get",
    );
    const forgotten = changing
      .filter(({ name, audit }) => audit === undefined && !recordedElsewhere.has(name))
      .map(({ name }) => name);
    assert.deepEqual(forgotten, []);
    assert.ok(changing.length > 25);
  });

  test("a change of the library is recorded with its caller, and before and after, without secrets", async () => {
    const config = { mcpServers: { echo: fixture("echo"), remote } };
    await using plane = await createPlane({ config, principal: { user: "ann" } });
    const { key, secret } = await plane.keys.create({ name: "ci", scopes: ["read"] });
    await plane.keys.revoke(key.id);
    await plane.tokens.set("remote", { token: "hunter2-hunter2-hunter2" });
    await plane.servers.connect("echo", { address: "192.0.2.7", face: "http" });
    await assert.rejects(plane.jobs.pause("nowhere"));
    const records = await plane.audit.list();
    const seen = records.map(({ operation, target, user, ok }) => [operation, target, user, ok]);
    assert.deepEqual(seen, [
      ["jobs.pause", "nowhere", "ann", false],
      ["servers.connect", "echo", "ann", true],
      ["tokens.set", "remote", "ann", true],
      ["keys.revoke", key.id, "ann", true],
      ["keys.create", key.id, "ann", true],
    ]);
    const [paused, connected, , revoked] = records;
    assert.equal(paused?.code, "NOT_FOUND");
    assert.deepEqual([connected?.face, connected?.address], ["http", "192.0.2.7"]);
    assert.deepEqual(
      [connected?.before, connected?.after],
      [{ state: "disconnected" }, { state: "connected" }],
    );
    const changed = revoked as unknown as {
      before: { revokedAt: null };
      after: { revokedAt: string };
    };
    assert.deepEqual([changed.before.revokedAt, typeof changed.after.revokedAt], [null, "string"]);
    const text = JSON.stringify(records);
    assert.ok(!text.includes(secret) && !text.includes("hunter2"), "no secret is kept");
    assert.deepEqual(await plane.audit.get(records[0]?.id ?? ""), records[0]);
  });

  test("with a key, secrets become an HMAC by which equal ones are recognised", async () => {
    const config = { mcpServers: { remote }, audit: { hmacKey: "of-the-auditors" } };
    await using plane = await createPlane({ config });
    for (const token of ["first-token-1", "other-token-2", "first-token-1"])
      await plane.tokens.set("remote", { token });
    const tokens = (await plane.audit.list()).map(
      ({ input }) => (input as { token: string }).token,
    );
    assert.ok(
      tokens.every((token) => /^hmac-sha256:[0-9a-f]{64}$/.test(token)),
      String(tokens),
    );
    assert.ok(tokens[0] === tokens[2] && tokens[0] !== tokens[1]);
  });

  test("HTTP, socket and command line leave records with face, address and key, which 'audit verify' follows", async () => {
    await using directory = await temporaryDirectory();
    const data = directory.file("data");
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const cli = (...words: string[]) =>
      runCli([...words, "--config", config, "--data-dir", data, "--json"]);
    const made = JSON.parse(
      (await cli("keys", "create", "boss", "--scope", "admin", "--user", "eve")).stdout,
    );
    {
      await using serving = await startServe(config, data);
      const headers = { "x-api-key": made.secret as string };
      const asked = await fetch(`${serving.url}/servers/echo/refresh`, { method: "POST", headers });
      assert.equal(asked.status, 200);
      await cli("servers", "disconnect", "echo");
      const answer = await fetch(`${serving.url}/audit?limit=2`, { headers });
      const { records } = (await answer.json()) as { records: Record<string, string>[] };
      const seen = records.map(({ operation, user, key, face, address }) => [
        operation,
        user === "eve",
        key,
        face,
        address,
      ]);
      assert.deepEqual(seen, [
        ["servers.disconnect", false, null, "cli", "socket"],
        ["servers.refresh", true, made.key.id, "http", "127.0.0.1"],
      ]);
    }
    const listed = JSON.parse((await cli("audit", "list")).stdout) as {
      records: { operation: string; face: string }[];
    };
    assert.deepEqual(listed.records.at(-1)?.operation, "keys.create");
    assert.deepEqual(listed.records.at(-1)?.face, "cli");
    const verified = await cli("audit", "verify");
    const { ok, changes } = JSON.parse(verified.stdout) as {
      ok: boolean;
      changes: { records: number; head: string };
    };
    assert.deepEqual([verified.code, ok, changes.records], [0, true, listed.records.length]);

    using database = new DatabaseSync(`${data}/toolplane.db`);
    assert.throws(() => database.exec("UPDATE audit SET user = 'mallory'"), /cannot be changed/);
    database.exec("DROP TRIGGER audit_is_not_changed");
    database.exec(
      "UPDATE audit SET record = replace(record, 'servers.refresh', 'servers.connect')",
    );
    const broken = await cli("audit", "verify");
    assert.equal(broken.code, 1);
    assert.match(JSON.parse(broken.stdout).changes.broken.reason, /was changed/);
  });

  test("commands that change files leave a record without a plane, with who, what, before and after, and no secret", async () => {
    await using directory = await temporaryDirectory();
    const data = directory.file("data");
    const config = await writeConfig(directory, { echo: fixture("echo") });
    const cli = (...words: string[]) =>
      runCli([...words, "--config", config, "--data-dir", data, "--json"]);
    await cli(
      "servers",
      "add",
      "far",
      "--url",
      "https://far.example/mcp",
      "--header",
      "Authorization=Bearer sk-12345678",
    );
    await cli("servers", "edit", "far", "timeoutMs=5000");
    await cli("servers", "remove", "far");
    const failed = await cli("servers", "remove", "far");
    assert.notEqual(failed.code, 0);
    {
      await using _ = await startServe(config, data);
      await runCli([
        "servers",
        "add",
        "near",
        "--config",
        config,
        "--data-dir",
        data,
        "--json",
        "--",
        "node",
      ]);
    }
    const { records } = JSON.parse((await cli("audit", "list")).stdout) as {
      records: AuditRecord[];
    };
    const ours = records.filter(
      ({ face, target }) => face === "cli" && /^(far|near)$/.test(target ?? ""),
    );
    assert.deepEqual(
      ours.map(({ operation, target, ok, user }) => [operation, target, ok, user !== null]),
      [
        ["servers.set", "near", true, true],
        ["servers.remove", "far", false, true],
        ["servers.remove", "far", true, true],
        ["servers.set", "far", true, true],
        ["servers.set", "far", true, true],
      ],
    );
    const [, , removed, edited, added] = ours;
    assert.equal((added?.after as { url?: string } | undefined)?.url, "https://far.example/mcp");
    assert.deepEqual([added?.before, removed?.after], [null, null]);
    assert.deepEqual([edited?.before, edited?.after], [{}, { timeoutMs: 5000 }]);
    assert.ok(!JSON.stringify(ours).includes("sk-12345678"));
    assert.equal((await cli("audit", "verify")).code, 0);
  });

  test("the record is for admins", async () => {
    await using plane = await createPlane({ config: { mcpServers: {} } });
    const principal = { ...plane.identity.usualCaller(), user: "bob", scopes: ["call"] };
    await assert.rejects(plane.audit.list({}, { principal }), { code: "FORBIDDEN" });
    await assert.rejects(plane.audit.verify({}, { principal }), { code: "FORBIDDEN" });
  });
});
