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
import { echoServers, firstTool, serverName } from "../peers/echo.ts";
import { type Kind, spliceFloor, toolplane } from "../peers/kinds.ts";
import type { Peer } from "../peers/peer.ts";
import { type Row, ratioAtMost, toRow } from "../rows.ts";

const serverCount = 10;
const few = 20;

type Measured = { peer: Peer; p50: number[]; cpu: number[]; anyCpu: number[]; list: number[] };

/** Whether a call costs more where the catalogue is large: the same build beside 20 and beside 5,000 tools. */
export async function measureManyTools(context: Context): Promise<Row[]> {
  const { programs, rounds, tools: many } = context;
  return inWorkspace(async (directory) => {
    const rows: Row[] = [];
    for (const program of programs) {
      const beside = toolplane(program);
      const plain: Kind = {
        ...toolplane(program, { label: `beside ${few} tools` }),
        isOurs: false,
      };
      const measured = [
        ...(await start([plain], few, directory, context)),
        ...(await start([beside, spliceFloor], many, directory, context)),
      ];
      for (let round = -1; round < rounds; round++) {
        for (const one of inTurn(measured, round + 1)) await measureOnce(one, context, round >= 0);
      }
      await stopAll(measured.map(({ peer }) => peer));
      const series = (field: "p50" | "cpu" | "anyCpu" | "list") =>
        measured.map((one) => ({ kind: one.peer.kind, values: one[field] }));
      const common = { load: loadName(`beside ${many} tools`, context), against: plain.name };
      rows.push(
        toRow(
          { ...common, figure: "p50 of one tool", unit: "ms", bar: ratioAtMost(1.2) },
          series("p50"),
        ),
        toRow(
          { ...common, figure: "CPU of one tool", unit: "µs", bar: ratioAtMost(1.2) },
          series("cpu"),
        ),
        toRow({ ...common, figure: "CPU of any tool", unit: "µs" }, series("anyCpu")),
        toRow({ ...common, figure: "list", unit: "ms", against: spliceFloor.name }, series("list")),
      );
    }
    return rows;
  });
}

async function start(
  kinds: readonly Kind[],
  tools: number,
  directory: string,
  context: Context,
): Promise<Measured[]> {
  const { era, client } = context;
  const servers = (own: string) =>
    echoServers(serverCount, { directory: own, era, tools: tools / serverCount });
  const peers = await startPeers(kinds, { client, directory, servers, tools });
  return peers.map((peer) => ({ peer, p50: [], cpu: [], anyCpu: [], list: [] }));
}

async function measureOnce(
  one: Measured,
  { slotMs, warmUpCalls }: Context,
  counts: boolean,
): Promise<void> {
  const { peer } = one;
  const tool = peer.toolName(firstTool(serverName(0)));
  const any = () => peer.tools[Math.floor(Math.random() * peer.tools.length)]?.name ?? tool;
  if (!counts) {
    await checkedSlot(peer, {
      tool,
      size: 100,
      inFlight: 16,
      ms: maxWarmUpMs,
      maxCalls: warmUpCalls,
    });
    await checkedSlot(peer, {
      tool: any,
      size: 100,
      inFlight: 16,
      ms: maxWarmUpMs,
      maxCalls: warmUpCalls,
    });
    return;
  }
  const from = performance.now();
  await peer.client.listTools();
  one.list.push(performance.now() - from);
  const slot = { size: 100, inFlight: 1, ms: slotMs, minCalls: Math.min(warmUpCalls, 250) };
  const same = await checkedSlot(peer, { ...slot, tool });
  one.p50.push(percentile(same.latencies, 50));
  one.cpu.push((same.cpuSeconds / same.calls) * 1e6);
  const others = await checkedSlot(peer, { ...slot, tool: any });
  one.anyCpu.push((others.cpuSeconds / others.calls) * 1e6);
}
