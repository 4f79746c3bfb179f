import { after, before } from "node:test";
import { bundled } from "../../src/bundled.ts";
import { openStore, requireStoreAddress } from "../../src/store/store.ts";
import { type AttackedStore, forgedRemovals } from "../contracts/forged-removals.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import { temporaryDirectory } from "../fixtures/start-server.ts";

let server: RunningPostgres;
let schemas = 0;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

const settings = { durability: "power", vaultKey: async () => "ab".repeat(32) } as const;

async function open(): Promise<AttackedStore> {
  const schema = `forged_${++schemas}`;
  const directory = await temporaryDirectory();
  const address = requireStoreAddress(server.address(schema));
  const { store } = await openStore({
    address,
    directory: directory.path,
    packages: bundled,
    settings,
  });
  const past = `SET session_replication_role = replica; SET search_path = ${schema}`;
  const checked = async (options?: Parameters<typeof store.verifyCalls>[0]) => {
    const check = await store.verifyCalls(options);
    // What stands beside the plane is another defence.
    return { ...check, ok: check.broken === null && check.headFound !== false };
  };
  return {
    store: { ...store, verifyCalls: checked },
    run: async (sql) => void (await server.run(`${past}; ${sql}`)),
    rows: (sql) => server.run(sql.replace("FROM calls", `FROM ${schema}.calls`)),
    async close() {
      await store.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

forgedRemovals("Postgres", open, "record");
