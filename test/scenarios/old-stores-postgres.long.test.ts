import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before } from "node:test";
import pg from "pg";
import { parseStoreAddress } from "../../src/model/config/settings.ts";
import { oldStoreContract } from "../contracts/old-store.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

oldStoreContract("postgres", async (version, data, files) => {
  const name = `v${version.replaceAll(".", "")}`;
  await server.run(`CREATE DATABASE ${name}`);
  const store = server.address("toolplane").replace("/postgres?", `/${name}?`);
  const address = parseStoreAddress(store);
  assert.ok("kind" in address && address.kind === "postgres");
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: address.url });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await run(String(files.get("dump.sql")));
  await writeFile(join(data, "vault.key"), files.get("vault.key") ?? "", { mode: 0o600 });
  const spool = `postgres-${hash("sha256", address.shown).slice(0, 12)}`;
  return { store, spool, run: (sql) => run(`SET search_path = toolplane; ${sql}`) };
});
