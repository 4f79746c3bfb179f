import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { commandLineFile } from "../../test/fixtures/bundled.ts";
import { type PgBouncer, startPgBouncer } from "../../test/fixtures/pgbouncer.ts";
import { type RunningPostgres, startPostgres } from "../../test/fixtures/postgres.ts";
import { fixtureCommand } from "../../test/fixtures/start-server.ts";
import type { Door } from "./ask.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { createReplica, type Replica } from "./replica.ts";
import { type Tick, writeWork } from "./work.ts";

export type World = AsyncDisposable & {
  /** Named by the command line of every process but those of the database. */
  directory: string;
  replicas: Replica[];
  balancer: Balancer;
  /** For clients, through the balancer: the pass of one plane is none for another, a key is known to all. */
  door: Door;
  postgres: RunningPostgres;
  /** Between the planes and the database, where there is one. */
  pooler: PgBouncer | null;
  schema: string;
  /** The file into which the tools of all replicas write. */
  ledger: string;
  /** Scheduled jobs, each of which comes once. */
  ticks: readonly Tick[];
  /** Follows the chain over all recorded calls; what is wrong with it, null when nothing is. */
  verify(): Promise<string | null>;
  /** What the command line says with these words, in a process of its own on the same database. */
  ask(...words: string[]): Promise<string>;
};

export type WorldOptions = {
  count: number;
  words?: readonly string[];
  /** How long the clock begins jobs. */
  ticksForMs?: number;
  /** With PgBouncer in transaction mode before the database. */
  isPooled?: boolean;
  /** More for the entry of the tool server. */
  server?: object;
  /** More for the configuration. */
  settings?: object;
};

let worlds = 0;

/** So many planes in processes of their own, with nothing in common but a database, behind a balancer. */
export async function startWorld(options: WorldOptions): Promise<World> {
  const {
    count,
    words = [],
    ticksForMs = 0,
    isPooled = false,
    server = {},
    settings = {},
  } = options;
  const directory = await mkdtemp(join(tmpdir(), "replicas-"));
  const postgres = await startPostgres();
  worlds += 1;
  const schema = `replicas_${worlds}`;
  const pooler = isPooled ? await startPgBouncer(postgres.address(schema)) : null;
  const store = pooler?.through(postgres.address(schema)) ?? postgres.address(schema);
  const config = join(directory, "toolplane.json");
  const ledger = join(directory, "ledger");
  const rules = [
    { tool: "echo.put_note", verdict: "ask" },
    { tool: "echo.write_note", verdict: "allow" },
  ];
  // With a key the profile would be another.
  const policy = { profile: "personal", rules };
  const echo = { ...fixtureCommand("echo", ["--ledger", ledger]), ...server };
  // A session of the bench makes more calls than a conversation would.
  const budgets = { maxToolDurationMs: 0 };
  const ticks = await writeWork(directory, ticksForMs);
  await writeFile(
    config,
    JSON.stringify({
      mcpServers: { echo },
      manifests: ["work/*.json"],
      policy,
      budgets,
      store,
      ...settings,
    }),
  );
  const replicas = Array.from({ length: count }, (_, at) =>
    createReplica({
      name: `replica-${at + 1}`,
      directory: join(directory, `data-${at + 1}`),
      words: ["--config", config, ...words],
    }),
  );
  const ownPlace = ["--standalone", "--config", config, "--data-dir", join(directory, "data-own")];
  const runOwn = (...own: string[]) =>
    promisify(execFile)(process.execPath, [commandLineFile, ...own, ...ownPlace], {
      maxBuffer: 2 ** 28,
    });
  const made = await runOwn("keys", "create", "bench", "--user", "bench", "--scope", "*", "--json");
  const { secret: key } = JSON.parse(made.stdout) as { secret: string };
  await Promise.all(replicas.map((replica) => replica.start()));
  const balancer = await startBalancer(replicas);
  return {
    directory,
    replicas,
    balancer,
    door: { url: balancer.url, key },
    postgres,
    pooler,
    schema,
    ledger,
    ticks,
    async verify() {
      return runOwn("calls", "verify", "--json").then(
        () => null,
        ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
      );
    },
    ask: async (...asked) => (await runOwn(...asked)).stdout,
    async [Symbol.asyncDispose]() {
      await balancer.close();
      await Promise.all(replicas.map((replica) => replica.stop()));
      await pooler?.[Symbol.asyncDispose]();
      await postgres[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
