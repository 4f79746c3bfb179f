import { after, before } from "node:test";
import { bossSchema } from "../../packages/postgres/src/pg-boss.ts";
import { openPostgresStore } from "../../packages/postgres/src/postgres.ts";
import { parseStoreAddress } from "../../src/model/config/settings.ts";
import { engineContract } from "../contracts/engine.ts";
import { type RunningPostgres, startPostgres } from "../fixtures/postgres.ts";
import { moveClocks } from "./boss-clock.ts";

let server: RunningPostgres;
before(async () => {
  server = await startPostgres();
});
after(() => server[Symbol.asyncDispose]());

engineContract("the engine on Postgres", async () => {
  const address = parseStoreAddress(server.address());
  if (!("kind" in address) || address.kind !== "postgres") throw new Error("no address");
  const schema = bossSchema(address.schema);
  return {
    open: () => openPostgresStore(address),
    later: (ms) => moveClocks(server, address.schema, ms),
    leftOver: async () => {
      const [row] = await server.run(`SELECT count(*) AS count FROM ${schema}.job`);
      return Number(row?.count);
    },
    async [Symbol.asyncDispose]() {
      await server.run(`DROP SCHEMA ${schema} CASCADE; DROP SCHEMA ${address.schema} CASCADE`);
    },
  };
});
