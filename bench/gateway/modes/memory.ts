import {
  type Context,
  checkedSlot,
  inTurn,
  inWorkspace,
  loadName,
  startPeers,
  stopAll,
} from "../measure.ts";
import { echoServers, firstTool, serverName } from "../peers/echo.ts";
import { governedFloor, spliceFloor, toolplane } from "../peers/kinds.ts";
import { type Row, toRow, valueAtMost } from "../rows.ts";

const portions = 5;
const toolCount = 20;

/** What stays resident of the gateway's own processes. */
export async function measureMemory(context: Context): Promise<Row[]> {
  const { era, client, programs, rivals, memoryCalls } = context;
  return inWorkspace(async (directory) => {
    const kinds = [
      spliceFloor,
      governedFloor,
      ...programs.map((program) => toolplane(program)),
      ...rivals,
    ];
    const servers = (own: string) => echoServers(1, { directory: own, era, tools: toolCount });
    const peers = await startPeers(kinds, { client, directory, servers, tools: toolCount });
    const measured = peers.map((peer) => ({ peer, megabytes: [] as number[] }));
    for (let portion = 0; portion < portions; portion++) {
      for (const { peer, megabytes } of inTurn(measured, portion)) {
        const tool = peer.toolName(firstTool(serverName(0)));
        const maxCalls = Math.ceil(memoryCalls / portions);
        await checkedSlot(peer, { tool, size: 100, inFlight: 16, ms: 60_000, maxCalls });
        megabytes.push(peer.usage().rssMegabytes);
      }
    }
    await stopAll(peers);
    const common = { load: loadName(`memory after ${memoryCalls} calls`, context), unit: "MB" };
    const rss = measured.map(({ peer, megabytes }) => ({
      kind: peer.kind,
      values: megabytes.slice(-1),
    }));
    const grown = measured.map(({ peer, megabytes: [, second = 0, , , last = 0] }) => ({
      kind: peer.kind,
      values: [last - second],
    }));
    return [
      toRow({ ...common, figure: "RSS", bar: valueAtMost(160) }, rss),
      toRow({ ...common, figure: "growth over the last three fifths" }, grown),
    ];
  });
}
