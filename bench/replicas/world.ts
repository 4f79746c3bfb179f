import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type RunningPostgres, startPostgres } from "../../test/fixtures/postgres.ts";
import { fixtureCommand } from "../../test/fixtures/start-server.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { createReplica, type Replica } from "./replica.ts";

export type World = AsyncDisposable & {
  replicas: Replica[];
  balancer: Balancer;
  postgres: RunningPostgres;
  schema: string;
  /** Follows the chain over all recorded calls; its exit code. */
  verify(): Promise<number>;
};

export type WorldOptions = { count: number; server?: object; words?: readonly string[] };

let worlds = 0;

/** So many planes in processes of their own, with nothing in common but a database, behind a balancer. */
export async function startWorld({ count, server = {}, words = [] }: WorldOptions): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), "replicas-"));
  const postgres = await startPostgres();
  worlds += 1;
  const schema = `replicas_${worlds}`;
  const store = postgres.address(schema);
  const config = join(directory, "toolplane.json");
  const rules = [{ tool: "echo.put_note", verdict: "ask" }];
  const echo = { ...fixtureCommand("echo", []), ...server };
  // A session of the bench makes more calls than a conversation would.
  const budgets = { maxToolDurationMs: 0 };
  await writeFile(config, JSON.stringify({ mcpServers: { echo }, policy: { rules }, budgets, store }));
  const replicas = Array.from({ length: count }, (_, at) =>
    createReplica({
      name: `replica-${at + 1}`,
      directory: join(directory, `data-${at + 1}`),
      words: ["--config", config, ...words],
    }),
  );
  await Promise.all(replicas.map((replica) => replica.start()));
  const balancer = await startBalancer(replicas);
  return {
    ...{ replicas, balancer, postgres, schema },
    async verify() {
      const bin = join(import.meta.dirname, "../../src/bin.ts");
      const place = ["--standalone", "--config", config, "--data-dir", join(directory, "data-verify")];
      return promisify(execFile)(process.execPath, [bin, "calls", "verify", ...place]).then(
        () => 0,
        ({ code }: { code: number }) => code,
      );
    },
    async [Symbol.asyncDispose]() {
      await balancer.close();
      await Promise.all(replicas.map((replica) => replica.stop()));
      await postgres[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
