import { setTimeout as pause } from "node:timers/promises";
import { showProgress } from "../../report.ts";
import { type Context, inTurn, inWorkspace, loadName, startPeers, stopAll } from "../measure.ts";
import { echoServers, firstTool, serverName } from "../peers/echo.ts";
import { governedFloor, spliceFloor, toolplane } from "../peers/kinds.ts";
import { type Row, toRow } from "../rows.ts";

/** One call after the other with pauses, as an agent makes them: nothing is warm, and what runs between counts. */
export async function measurePace(context: Context): Promise<Row[]> {
  const { era, client, programs, rivals, paceCalls, paceSeconds } = context;
  return inWorkspace(async (directory) => {
    const kinds = [
      spliceFloor,
      governedFloor,
      ...programs.map((program) => toolplane(program)),
      ...rivals,
    ];
    const servers = (own: string) => echoServers(1, { directory: own, era, tools: 20 });
    const peers = await startPeers(kinds, { client, directory, servers, tools: 20 });
    const measured = peers.map((peer) => ({
      peer,
      times: [] as number[],
      before: peer.usage().cpuSeconds,
    }));
    const startedAt = performance.now();
    for (let at = 0; at < paceCalls; at++) {
      for (const { peer, times } of inTurn(measured, at)) {
        const tool = peer.toolName(firstTool(serverName(0)));
        const from = performance.now();
        await peer.client.call(tool, { size: 100 }, 100);
        times.push(performance.now() - from);
      }
      const next = startedAt + ((at + 1) / paceCalls) * paceSeconds * 1_000;
      await pause(Math.max(0, next - performance.now()));
      showProgress(at + 1, paceCalls, "calls");
    }
    const cpu = measured.map(({ peer, before }) => ({
      kind: peer.kind,
      values: [((peer.usage().cpuSeconds - before) / paceCalls) * 1e6],
    }));
    await stopAll(peers);
    const common = {
      load: loadName(`agent's pace, ${paceCalls} calls in ${paceSeconds} s`, context),
      against: spliceFloor.name,
    };
    return [
      toRow(
        { ...common, figure: "p50", unit: "ms" },
        measured.map(({ peer, times }) => ({ kind: peer.kind, values: times })),
      ),
      toRow({ ...common, figure: "CPU for a call and the pause after it", unit: "µs" }, cpu),
    ];
  });
}
