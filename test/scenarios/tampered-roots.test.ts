import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createPlane, type Plane } from "../../src/index.ts";
import type { AuditRoot, CallProof } from "../../src/model/audit-schema.ts";
import { hashOfRoot } from "../../src/store/roots/root-hash.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";
import { until } from "../fixtures/until.ts";
import { runCli, writeConfig } from "./support.ts";

type Directory = Awaited<ReturnType<typeof temporaryDirectory>>;

const pem = () =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();

async function openPlane(directory: Directory, audit: object = {}): Promise<Plane> {
  const config = { mcpServers: {}, audit: { rootFile: directory.file("roots.jsonl"), ...audit } };
  const plane = await createPlane({ config, dataDirectory: directory.file("data") });
  plane.tools.registerProvider("echo", () => "hi");
  const parameters = { type: "object" as const, properties: {} };
  const said = { name: "say", description: "Says hi.", side_effects: "none" as const, parameters };
  plane.tools.register({ ...said, providers: [{ name: "echo" }] });
  plane.start();
  return plane;
}

/** Calls, and a stop that makes a root. Returns the ids of the calls. */
async function record(directory: Directory, count: number, audit?: object): Promise<string[]> {
  await using plane = await openPlane(directory, audit);
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) ids.push((await plane.call("say", {})).call.id);
  return ids;
}

async function rootsIn(directory: Directory): Promise<AuditRoot[]> {
  const lines = (await readFile(directory.file("roots.jsonl"), "utf8")).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as AuditRoot);
}

/** What the owner of the file can do. */
function tamper(directory: Directory, sql: string): void {
  const database = new DatabaseSync(directory.file("data/toolplane.db"));
  const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`);
  database.exec(sql);
  database.close();
}

async function verified(directory: Directory, root: string) {
  const plane = await createPlane({
    config: { mcpServers: {} },
    dataDirectory: directory.file("data"),
  });
  try {
    return await plane.audit.verify({ root });
  } finally {
    await plane.stop();
  }
}

test("a stopped plane leaves a root in the file, signed, and each is linked to the one before", async () => {
  await using directory = await temporaryDirectory();
  await record(directory, 2, { signingKey: pem() });
  await record(directory, 1, { signingKey: pem() });
  const [first, second] = await rootsIn(directory);
  assert.equal(second?.previous, first?.hash);
  assert.ok(first?.signature && first.key !== second?.key);
  const { ok, roots } = await verified(directory, JSON.stringify(first));
  assert.deepEqual([ok, roots.roots, roots.rootFound], [true, 2, true]);
});

test("a tail that is missing is found by any root that was kept, also where newer roots went with it", async () => {
  await using directory = await temporaryDirectory();
  await record(directory, 3);
  await record(directory, 3);
  const [, kept] = await rootsIn(directory);
  // The file beside the store knows the end, too: who can write one can write both.
  await writeFile(directory.file("data/toolplane.db-head"), "{}");
  const cut = "DELETE FROM calls WHERE sequence > (SELECT max(sequence) - 4 FROM calls)";
  tamper(directory, `${cut}; DELETE FROM roots WHERE number = 2`);
  const byHash = await verified(directory, kept?.hash ?? "");
  assert.deepEqual([byHash.calls.ok, byHash.ok, byHash.roots.rootFound], [true, false, false]);
  const byLine = await verified(directory, JSON.stringify(kept));
  assert.deepEqual(
    [byLine.ok, byLine.roots.missing.map(({ chain }) => chain)],
    [false, ["calls/0"]],
  );
});

test("records that were changed with all hashes after them are found by a kept root", async () => {
  await using directory = await temporaryDirectory();
  await record(directory, 3);
  const [kept] = await rootsIn(directory);
  tamper(directory, "DELETE FROM calls; DELETE FROM call_checkpoints; DELETE FROM events");
  await writeFile(directory.file("data/toolplane.db-head"), "{}");
  await record(directory, 3);
  const { ok, roots } = await verified(directory, kept?.hash ?? "");
  assert.deepEqual([ok, roots.missing.length > 0], [false, true]);
});

test("a changed root, a removed one and a forged checkpoint are found without a kept root", async () => {
  for (const [sql, found] of [
    [
      `UPDATE roots SET record = replace(record, '"records":3', '"records":4') WHERE number = 1`,
      /it was changed/,
    ],
    ["DELETE FROM roots WHERE number = 2", /one before it was changed or removed/],
    [
      `INSERT INTO call_checkpoints SELECT max(sequence), hash, '2026-01-01', 9, 0 FROM calls; DELETE FROM calls`,
      /every record was removed/,
    ],
  ] as const) {
    await using directory = await temporaryDirectory();
    for (let round = 0; round < 3; round += 1) await record(directory, 3);
    await writeFile(directory.file("data/toolplane.db-head"), "{}");
    tamper(directory, sql);
    await using plane = await createPlane({
      config: { mcpServers: {} },
      dataDirectory: directory.file("data"),
    });
    const { ok, roots, calls } = await plane.audit.verify();
    assert.equal(ok, false);
    assert.match(`${roots.broken?.reason} ${calls.broken?.reason}`, found);
  }
});

test("a tail that was cut is found behind records that came later, also where the roots of the time went with it", async () => {
  await using directory = await temporaryDirectory();
  for (let round = 0; round < 3; round += 1) await record(directory, 3);
  const cut = "DELETE FROM calls WHERE sequence > (SELECT max(sequence) - 4 FROM calls)";
  await writeFile(directory.file("data/toolplane.db-head"), "{}");
  tamper(directory, cut);
  await record(directory, 9);
  const [, , third] = await rootsIn(directory);
  const { calls, roots } = await verified(
    directory,
    await readFile(directory.file("roots.jsonl"), "utf8"),
  );
  assert.deepEqual([calls.ok, roots.ok, roots.rootFound], [true, false, true]);
  assert.deepEqual(roots.missing, [{ chain: "calls/0", at: third?.at }]);
  // Then the plane makes a third root again, and the file has both.
  tamper(directory, `${cut}; DELETE FROM roots WHERE number > 2`);
  await record(directory, 9);
  const again = await verified(directory, await readFile(directory.file("roots.jsonl"), "utf8"));
  assert.deepEqual([again.ok, again.roots.rootFound], [false, false]);
  assert.match(again.roots.rootProblem ?? "", /line 5 is another root 3 than a line before it/);
});

test("a checkpoint that claims the end, or a whole stream, is found by any kept root, also where old records were removed", async () => {
  await using directory = await temporaryDirectory();
  await record(directory, 6);
  await record(directory, 3);
  const [first, second] = await rootsIn(directory);
  await writeFile(directory.file("data/toolplane.db-head"), "{}");
  // What removal because of age leaves: the newest that is too old, and a checkpoint before it.
  const database = new DatabaseSync(directory.file("data/toolplane.db"));
  const numbers = database
    .prepare("SELECT sequence FROM calls ORDER BY sequence")
    .all()
    .map((row) => Number(row.sequence));
  database.close();
  const old = `INSERT INTO call_checkpoints SELECT sequence, hash, '2999-01-01', 3, 0 FROM calls WHERE sequence = ${numbers[2]};
    DELETE FROM calls WHERE sequence <= ${numbers[2]}`;
  tamper(directory, old);
  const check = async (root: AuditRoot | undefined, options: object = {}) => {
    const plane = await createPlane({
      config: { mcpServers: {} },
      dataDirectory: directory.file("data"),
    });
    try {
      return await plane.audit.verify({ root: JSON.stringify(root), keepDays: 0, ...options });
    } finally {
      await plane.stop();
    }
  };
  assert.deepEqual((await check(second)).roots.missing, []);
  // The same place to go on from, and everything up to the end is said to be removed.
  const forged = `INSERT INTO call_checkpoints SELECT ${numbers.at(-1)}, hash, at, 9, 0 FROM call_checkpoints`;
  tamper(directory, `${forged}; DELETE FROM calls WHERE sequence > ${numbers[5]}`);
  for (const [root, missing] of [
    [second, ["calls/0"]],
    [first, ["calls/0"]],
  ] as const) {
    const { calls, roots } = await check(root);
    assert.match(calls.broken?.reason ?? "", /it stands before what was removed/);
    assert.deepEqual(
      roots.missing.map(({ chain }) => chain),
      missing,
    );
  }
  tamper(directory, "DELETE FROM calls");
  const { roots } = await check(second, { since: "2026-01-01", until: "2026-01-02" });
  assert.deepEqual([roots.ok, roots.missing.length], [false, 1]);
});

test("roots are made also after a clock was ahead", async (context) => {
  await using directory = await temporaryDirectory();
  await record(directory, 1);
  const [first] = await rootsIn(directory);
  const content = { ...(first as AuditRoot), at: "2999-01-01T00:00:00.000Z" };
  const [hash, text] = [
    hashOfRoot(content),
    JSON.stringify({ ...content, hash: hashOfRoot(content) }),
  ];
  tamper(directory, `UPDATE roots SET at = '${content.at}', hash = '${hash}', record = '${text}'`);
  context.mock.timers.enable({ apis: ["setInterval"] });
  await using plane = await openPlane(directory);
  const made = new Promise((resolve) => plane.on("audit.root", resolve));
  await plane.call("say", {});
  context.mock.timers.tick(60_000);
  assert.partialDeepStrictEqual(await made, { number: 2 });
});

test("a key that cannot sign, and a file that cannot be written, are said when the plane starts", async (context) => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey.export({
    type: "pkcs8",
    format: "pem",
  });
  for (const [audit, said] of [
    [{ signingKey: rsa.toString() }, /'audit.signingKey' is no Ed25519 private key/],
    [{ rootFile: "/no/such/directory/roots.jsonl" }, /ENOENT.*\/no\/such\/directory/],
  ] as const) {
    await using directory = await temporaryDirectory();
    const warned = context.mock.method(process, "emitWarning", () => undefined);
    await using _plane = await openPlane(directory, audit);
    await until("it is said", async () => warned.mock.callCount() > 0);
    assert.match(String(warned.mock.calls[0]?.arguments[0]), said);
    warned.mock.restore();
  }
});

test("a file with roots whose lines were changed, cut off or not signed is named with the line", async () => {
  await using directory = await temporaryDirectory();
  const [old, now] = [pem(), pem()];
  await record(directory, 2, { signingKey: old });
  await record(directory, 2, { signingKey: now });
  await record(directory, 2, { signingKey: now });
  const [first, second, third] = (await rootsIn(directory)) as [AuditRoot, AuditRoot, AuditRoot];
  const config = await writeConfig(directory, {}, {});
  const place = ["--config", config, "--data-dir", directory.file("data")];
  const verify = async (lines: readonly (AuditRoot | string)[], ...words: string[]) => {
    const file = directory.file("kept.jsonl");
    await writeFile(
      file,
      lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""),
    );
    const { code, stdout } = await runCli(["audit", "verify", "--root", file, ...words, ...place]);
    return `${code} ${stdout}`;
  };
  const keys = ["--key", `${first.key},${third.key}`];
  assert.match(
    await verify([first, second, third], ...keys),
    /^0 .*The root you gave is among them/s,
  );
  // Other planes have made those between.
  assert.match(await verify([first, third], ...keys), /^0 /);
  assert.match(
    await verify([first, second, third], "--key", third.key ?? ""),
    /^1 .*signed with another key/s,
  );
  const [{ signature: _, ...unsigned }] = [third];
  assert.match(
    await verify([first, second, unsigned], ...keys),
    /^1 .*line 3, root 3: it is not signed/s,
  );
  assert.match(
    await verify([first, { ...second, at: first.at }, third]),
    /^1 .*line 2 is no root as it was exported/s,
  );
  assert.match(
    await verify([first, second, JSON.stringify(third).slice(0, -9)]),
    /^1 .*line 3 is no root .* cut off/s,
  );
});

test("a root goes to a webhook, and 'calls prove' and 'audit verify --root' speak of it", async () => {
  await using directory = await temporaryDirectory();
  const got: AuditRoot[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => {
      text += part;
    });
    request.on("end", () => {
      got.push(JSON.parse(text));
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const ids = await record(directory, 2, {
    rootWebhook: `http://127.0.0.1:${port}/roots`,
    signingKey: pem(),
  });
  server.close();
  server.closeAllConnections();
  const [root] = await rootsIn(directory);
  assert.deepEqual(
    got.map(({ hash }) => hash),
    [root?.hash],
  );
  const config = await writeConfig(directory, {}, {});
  const place = ["--config", config, "--data-dir", directory.file("data")];
  const proved = await runCli(["calls", "prove", ids[0] as string, "--json", ...place]);
  assert.equal((proved.json() as CallProof).root.hash, root?.hash, proved.stderr);
  const shown = await runCli(["calls", "prove", ids[0] as string, ...place]);
  assert.match(shown.stdout, /is in the chain calls\/0, 1 step below root 1 .*signed by/s);
  const right = await runCli([
    "audit",
    "verify",
    "--root",
    directory.file("roots.jsonl"),
    "--key",
    root?.key ?? "",
    ...place,
  ]);
  assert.match(right.stdout, /The root you gave is among them/);
  assert.equal(right.code, 0);
  const none = await runCli(["audit", "verify", "--root", "rots.jsonl", ...place]);
  assert.match(
    none.stderr,
    /'rots.jsonl' is neither the hash of a root .* nor a file with exported roots/,
  );
  assert.equal(none.code, 2);
  const wrong = await runCli(["audit", "verify", "--key", "another", ...place]);
  assert.match(wrong.stdout, /it is signed with another key/);
  assert.equal(wrong.code, 1);
});
