import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { commandLineFile } from "../../test/fixtures/bundled.ts";
import { type RunningPostgres, startPostgres } from "../../test/fixtures/postgres.ts";
import { fixtureCommand } from "../../test/fixtures/start-server.ts";
import {
  descendantsOf,
  familyMs,
  firstThreadMs,
  postgresPid,
  processorMs,
} from "../replicas/processor.ts";
import { createReplica, type Replica } from "../replicas/replica.ts";

/** What a thread did: it ran, or it was ready and something else ran. The rest of the time it slept. */
export type ThreadTime = { ranMs: number; waitedMs: number };

/** Milliseconds of the processor that each part has used so far. */
export type Used = {
  planesMs: number;
  databaseMs: number;
  toolsMs: number;
  clientsMs: number;
  /** The thread of each plane that runs calls, and those of the tools and the clients. */
  planes: ThreadTime;
  tools: ThreadTime;
  clients: ThreadTime;
};

/** Planes, a database and tools on this machine, and nothing in front of them. */
export type World = AsyncDisposable & {
  planes: readonly Replica[];
  urls: readonly string[];
  key: string;
  postgres: RunningPostgres;
  schema: string;
  used(): Used;
  /** Batches in which records were written so far, and their number. */
  written(): Promise<{ batches: number; records: number }>;
  /** Between planes and database so far; counted only where that was asked for. */
  wire(): { bytes: number; questions: number };
};

export type WorldOptions = {
  planes: number;
  /** The planes reach the database through this process, which costs time. */
  countsBytes?: boolean;
};

let worlds = 0;

export async function startWorld({
  planes: count,
  countsBytes = false,
}: WorldOptions): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), "capacity-"));
  const postgres = await startPostgres();
  worlds += 1;
  const schema = `capacity_${worlds}`;
  const address = new URL(postgres.address(schema));
  const counter = countsBytes ? await startCounter(Number(address.port)) : null;
  if (counter !== null) address.port = String(counter.port);
  const config = join(directory, "toolplane.json");
  // A session of this bench makes more calls than a conversation would, and its key would change the profile.
  const settings = { policy: { profile: "personal" }, budgets: { maxToolDurationMs: 0 } };
  const echo = fixtureCommand("echo", ["--ledger", join(directory, "ledger")]);
  await writeFile(
    config,
    JSON.stringify({ mcpServers: { echo }, store: address.href, ...settings }),
  );
  const planes = Array.from({ length: count }, (_, at) =>
    createReplica({
      name: `plane-${at + 1}`,
      directory: join(directory, `data-${at + 1}`),
      words: ["--config", config],
    }),
  );
  const own = ["--standalone", "--config", config, "--data-dir", join(directory, "data-own")];
  const words = ["keys", "create", "bench", "--user", "bench", "--scope", "*", "--json"];
  const made = await promisify(execFile)(process.execPath, [commandLineFile, ...words, ...own]);
  const { secret: key } = JSON.parse(made.stdout) as { secret: string };
  for (const plane of planes) await plane.start();
  const [place] = await postgres.run("SHOW data_directory");
  const database = postgresPid(String(place?.data_directory));
  return {
    planes,
    urls: planes.map((plane) => `http://127.0.0.1:${plane.port()}`),
    key,
    postgres,
    schema,
    used() {
      const { user, system } = process.cpuUsage();
      const pids = planes.map((plane) => plane.pid());
      const tools = pids.flatMap(descendantsOf);
      return {
        planesMs: sum(pids, processorMs),
        databaseMs: familyMs(database),
        toolsMs: sum(tools, processorMs),
        clientsMs: (user + system) / 1_000,
        planes: threadTime(pids),
        tools: threadTime(tools),
        clients: threadTime([process.pid]),
      };
    },
    async written() {
      // Each batch is one transaction.
      const [row] = await postgres.run(
        `SELECT count(DISTINCT xmin::text) AS batches, count(*) AS records FROM "${schema}".calls`,
      );
      return { batches: Number(row?.batches), records: Number(row?.records) };
    },
    wire: () => counter?.wire() ?? { bytes: 0, questions: 0 },
    async [Symbol.asyncDispose]() {
      await Promise.all(planes.map((plane) => plane.stop()));
      counter?.close();
      await postgres[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Passes on what planes and database say to each other, and counts it. */
async function startCounter(port: number) {
  let bytes = 0;
  let questions = 0;
  const server = createServer((plane) => {
    const database = connect(port, "127.0.0.1");
    // A statement may come in several pieces; what follows an answer is a new question.
    let isAnswered = true;
    plane.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (isAnswered) questions += 1;
      isAnswered = false;
    });
    database.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      isAnswered = true;
    });
    plane.pipe(database).pipe(plane);
    plane.on("error", () => database.destroy());
    database.on("error", () => plane.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo;
  return { port: own, wire: () => ({ bytes, questions }), close: () => server.close() };
}

const sum = (pids: readonly number[], of: (pid: number) => number) =>
  pids.reduce((all, pid) => all + of(pid), 0);

function threadTime(pids: readonly number[]): ThreadTime {
  const all = pids.map(firstThreadMs);
  return {
    ranMs: all.reduce((ms, one) => ms + one.ranMs, 0),
    waitedMs: all.reduce((ms, one) => ms + one.waitedMs, 0),
  };
}

export function usedBetween(before: Used, after: Used): Used {
  const time = (part: "planes" | "tools" | "clients") => ({
    ranMs: after[part].ranMs - before[part].ranMs,
    waitedMs: after[part].waitedMs - before[part].waitedMs,
  });
  return {
    planesMs: after.planesMs - before.planesMs,
    databaseMs: after.databaseMs - before.databaseMs,
    toolsMs: after.toolsMs - before.toolsMs,
    clientsMs: after.clientsMs - before.clientsMs,
    planes: time("planes"),
    tools: time("tools"),
    clients: time("clients"),
  };
}
