import {
  type Context,
  inWorkspace,
  type Load,
  loadName,
  measureInTurn,
  startPeers,
  stopAll,
} from "../measure.ts";
import { echoServers, firstTool, serverName } from "../peers/echo.ts";
import { governedFloor, spliceFloor, toolplane } from "../peers/kinds.ts";
import { type Row, ratioAtLeast, ratioAtMost } from "../rows.ts";

/** A plain call of 100 bytes through each gateway, over HTTP to one server on stdio: what most calls are. */
export async function measureCalls(context: Context): Promise<Row[]> {
  const { era, client, programs, rivals } = context;
  const loads: Load[] = [
    { name: "1", inFlight: 1, size: 100 },
    { name: "16", inFlight: 16, size: 100 },
  ];
  return inWorkspace(async (directory) => {
    const kinds = [
      spliceFloor,
      governedFloor,
      ...programs.map((program) => toolplane(program)),
      ...rivals,
    ];
    const servers = (own: string) => echoServers(1, { directory: own, era });
    const peers = await startPeers(kinds, { client, directory, servers, tools: 1 });
    const samples = await measureInTurn(peers, firstTool(serverName(0)), loads, context);
    await stopAll(peers);
    const common = {
      load: loadName("calls of 100 B", context),
      against: spliceFloor.name,
    };
    return [
      samples.row(
        { ...common, figure: "p50 at 1", unit: "ms", bar: ratioAtMost(1.55) },
        "1",
        "p50",
      ),
      samples.row({ ...common, figure: "CPU at 1", unit: "µs", bar: ratioAtMost(2.1) }, "1", "cpu"),
      samples.row(
        { ...common, figure: "rate at 16", unit: "calls/s", bar: ratioAtLeast(0.5) },
        "16",
        "rate",
      ),
      samples.row(
        { ...common, figure: "CPU at 16", unit: "µs", bar: ratioAtMost(2.2) },
        "16",
        "cpu",
      ),
      samples.row({ ...common, figure: "p99 at 16", unit: "ms", bar: ratioAtMost(4) }, "16", "p99"),
    ];
  });
}
