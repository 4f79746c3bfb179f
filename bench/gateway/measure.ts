import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { showProgress } from "../report.ts";
import type { Era } from "./load/client.ts";
import { percentile } from "./load/slot.ts";
import type { Front, Kind, ServerSpec } from "./peers/kinds.ts";
import { Peer } from "./peers/peer.ts";
import { endAll } from "./peers/processes.ts";
import type { Program } from "./peers/program.ts";
import { type Row, toRow } from "./rows.ts";

/** What every mode gets. */
export type Context = {
  programs: readonly Program[];
  rivals: readonly Kind[];
  /** Where rivals are installed, if anywhere. */
  rivalsDirectory: string | undefined;
  /** Of the servers behind the gateways, and of the clients before them. */
  era: Era;
  client: Era;
  isQuick: boolean;
  rounds: number;
  slotMs: number;
  warmUpCalls: number;
  /** Of a cold start and a fan-out. */
  servers: number;
  /** Of a large catalogue. */
  tools: number;
  /** For the memory that is left after them. */
  memoryCalls: number;
  /** An agent's pace: so many calls over so many seconds. */
  paceCalls: number;
  paceSeconds: number;
};

export type Mode = (context: Context) => Promise<Row[]>;

/** Names a load with what its servers speak; where nothing is said of clients, they are legacy ones. */
export function loadName(name: string, { era, client }: Pick<Context, "era" | "client">): string {
  return `${name}, ${era} servers${client === "modern" ? ", modern clients" : ""}`;
}

let isStopping = false;

/** Everything that starts in this directory is ended, and the directory removed. */
export async function inWorkspace<T>(work: (directory: string) => Promise<T>): Promise<T> {
  // A signal has failed the measurement before: nothing starts between it and the end of this process.
  if (isStopping) await new Promise(() => {});
  const directory = mkdtempSync(join(tmpdir(), "toolplane-bench-"));
  const close = async () => {
    await endAll(directory);
    rmSync(directory, { recursive: true, force: true });
  };
  const stop = () => {
    isStopping = true;
    void close().finally(() => process.exit(130));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
  try {
    return await work(directory);
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop);
    await close();
  }
}

export type Wanted = { front?: Front; behind?: Front; client: Era };

export function canServe(
  kind: Kind,
  { front = "http", behind = "stdio", client }: Wanted,
): boolean {
  const { fronts = ["http"], behind: servers = ["stdio"], eras = ["legacy"] } = kind;
  return fronts.includes(front) && servers.includes(behind) && eras.includes(client);
}

type Start = Wanted & {
  directory: string;
  servers(directory: string): readonly ServerSpec[];
  tools: number;
};

/** One after the other. A rival that does not come up is named and left out. */
export async function startPeers(kinds: readonly Kind[], start: Start): Promise<Peer[]> {
  const peers: Peer[] = [];
  for (const kind of kinds.filter((one) => canServe(one, start))) {
    const directory = join(start.directory, kind.name.replaceAll(/\W+/g, "-"));
    const { front = "http", client, tools } = start;
    const peer = new Peer(kind, { servers: start.servers(directory), directory, front, client });
    try {
      await peer.launch();
      await peer.ready(tools);
      peers.push(peer);
    } catch (error) {
      await peer.stop();
      if (!kind.isRival || isStopping) throw error;
      console.error(`left out: ${error}`);
    }
  }
  return peers;
}

export type Load = { name: string; inFlight: number; size: number };
/** Milliseconds, calls per second, and microseconds of CPU for each call. */
export type Sample = { p50: number; p99: number; rate: number; cpu: number };

export type Samples = {
  /** `only` leaves kinds out of the row. */
  row(
    row: Omit<Row, "measured">,
    load: string,
    field: keyof Sample,
    only?: (kind: Kind) => boolean,
  ): Row;
};

export const maxWarmUpMs = 60_000;

type Turn = Pick<Context, "rounds" | "slotMs" | "warmUpCalls">;

/** Every peer is measured in every round, in another order each time, so that none is always first. */
export async function measureInTurn(
  peers: readonly Peer[],
  tool: string,
  loads: readonly Load[],
  turn: Turn,
): Promise<Samples> {
  const { rounds, slotMs, warmUpCalls } = turn;
  const samples = new Map<string, Sample[]>();
  const samplesOf = (peer: Peer, load: string) => samples.get(`${peer.kind.name}, ${load}`) ?? [];
  const largest = Math.max(...loads.map(({ size }) => size));
  for (const peer of peers) {
    // By calls and not by time: until its code is compiled, a slow one needs as many as a fast one.
    const limits = {
      ms: maxWarmUpMs,
      maxCalls: largest < 500_000 ? warmUpCalls : Math.min(400, warmUpCalls),
    };
    await checkedSlot(peer, {
      tool: peer.toolName(tool),
      size: Math.min(largest, 100_000),
      inFlight: 16,
      ...limits,
    });
  }
  for (let round = 0; round < rounds; round++) {
    for (const load of loads) {
      for (const peer of inTurn(peers, round)) {
        const slot = { tool: peer.toolName(tool), size: load.size, inFlight: load.inFlight };
        // Connections that were closed while others were measured are opened again here.
        await checkedSlot(peer, { ...slot, ms: slotMs / 4 });
        const minCalls = Math.min(warmUpCalls, load.size < 500_000 ? 250 : 20);
        const { latencies, calls, seconds, cpuSeconds } = await checkedSlot(peer, {
          ...slot,
          ms: slotMs,
          minCalls,
        });
        const sample = {
          p50: percentile(latencies, 50),
          p99: percentile(latencies, 99),
          rate: calls / seconds,
          cpu: (cpuSeconds / calls) * 1e6,
        };
        samples.set(`${peer.kind.name}, ${load.name}`, [...samplesOf(peer, load.name), sample]);
      }
    }
    showProgress(round + 1, rounds, "rounds");
  }
  return {
    row: (row, load, field, only = () => true) =>
      toRow(
        row,
        peers
          .filter(({ kind }) => only(kind))
          .map((peer) => ({
            kind: peer.kind,
            values: samplesOf(peer, load).map((sample) => sample[field]),
          }))
          .filter(({ values }) => field !== "cpu" || values.some((value) => value > 0)),
      ),
  };
}

/** An error is no call: what is measured with one says nothing. */
export async function checkedSlot(peer: Peer, ...slot: Parameters<Peer["slot"]>) {
  const result = await peer.slot(...slot);
  if (result.errors === 0) return result;
  throw new Error(
    `${peer.kind.name}: ${result.errors} errors, ${result.firstError}; ${peer.log().slice(-500)}`,
  );
}

/** Another one begins in each round, and every other round goes backwards. */
export function inTurn<T>(all: readonly T[], round: number): T[] {
  const at = round % Math.max(1, all.length);
  const turned = [...all.slice(at), ...all.slice(0, at)];
  return round % 2 === 0 ? turned : turned.reverse();
}

export async function stopAll(peers: readonly Peer[]): Promise<void> {
  for (const peer of peers) await peer.stop();
}
