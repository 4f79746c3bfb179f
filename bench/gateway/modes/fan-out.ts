import type { LoadClient } from "../load/client.ts";
import { percentile } from "../load/slot.ts";
import {
  type Context,
  checkedSlot,
  inTurn,
  inWorkspace,
  loadName,
  maxWarmUpMs,
  startPeers,
  stopAll,
} from "../measure.ts";
import { echoServers } from "../peers/echo.ts";
import { governedFloor, spliceFloor, toolplane } from "../peers/kinds.ts";
import type { Peer } from "../peers/peer.ts";
import { type Row, ratioAtLeast, toRow } from "../rows.ts";

const toolCount = 20;
const sessionCount = 64;

/** Thirty servers, and clients that each call any tool of any of them. */
export async function measureFanOut(context: Context): Promise<Row[]> {
  const {
    era,
    client,
    programs,
    rivals,
    rounds,
    slotMs,
    warmUpCalls,
    servers: serverCount,
  } = context;
  return inWorkspace(async (directory) => {
    const several = rivals.filter(({ isBridge }) => !isBridge);
    const kinds = [
      spliceFloor,
      governedFloor,
      ...programs.map((program) => toolplane(program)),
      ...several,
    ];
    const servers = (own: string) =>
      echoServers(serverCount, { directory: own, era, tools: toolCount });
    const peers = await startPeers(kinds, {
      client,
      directory,
      servers,
      tools: serverCount * toolCount,
    });
    const sessions = new Map<Peer, LoadClient[]>();
    for (const peer of peers) sessions.set(peer, await openSessions(peer));

    const measured = peers.map((peer) => ({
      peer,
      rate: [] as number[],
      p99: [] as number[],
      cpu: [] as number[],
    }));
    for (let round = -1; round < rounds; round++) {
      for (const { peer, rate, p99, cpu } of inTurn(measured, round + 1)) {
        const limits = round < 0 ? { ms: maxWarmUpMs, maxCalls: warmUpCalls } : { ms: slotMs * 3 };
        const result = await checkedSlot(
          peer,
          { tool: () => anyOf(peer.tools).name, size: 100, inFlight: sessionCount, ...limits },
          anySession(sessions.get(peer) ?? []),
        );
        if (round < 0) continue;
        rate.push(result.calls / result.seconds);
        p99.push(percentile(result.latencies, 99));
        cpu.push((result.cpuSeconds / result.calls) * 1e6);
      }
    }
    for (const own of sessions.values()) await Promise.all(own.map((one) => one.close()));
    await stopAll(peers);
    const common = {
      load: loadName(`fan-out, ${serverCount} servers, ${sessionCount} sessions`, context),
      against: spliceFloor.name,
    };
    const series = (field: "rate" | "p99" | "cpu") =>
      measured.map((one) => ({ kind: one.peer.kind, values: one[field] }));
    return [
      toRow({ ...common, figure: "rate", unit: "calls/s", bar: ratioAtLeast(0.5) }, series("rate")),
      toRow({ ...common, figure: "CPU", unit: "µs" }, series("cpu")),
      toRow({ ...common, figure: "p99", unit: "ms" }, series("p99")),
    ];
  });
}

async function openSessions(peer: Peer): Promise<LoadClient[]> {
  const opened: LoadClient[] = [];
  for (let at = 0; at < sessionCount; at++) {
    const session = peer.newClient();
    await session.open();
    opened.push(session);
  }
  return opened;
}

function anySession(sessions: readonly LoadClient[]): Pick<LoadClient, "call"> {
  let next = 0;
  return {
    call: (tool, args, size) =>
      (sessions[next++ % sessions.length] as LoadClient).call(tool, args, size),
  };
}

function anyOf<T>(all: readonly T[]): T {
  return all[Math.floor(Math.random() * all.length)] as T;
}
