import {
  type Context,
  inWorkspace,
  loadName,
  measureInTurn,
  startPeers,
  stopAll,
} from "../measure.ts";
import { echoServers, firstTool, serverName } from "../peers/echo.ts";
import { governedFloor, spliceFloor, toolplane } from "../peers/kinds.ts";
import { type Row, ratioAtMost } from "../rows.ts";

const sizes = [
  { name: "10 kB", size: 10_000, limit: 1.6 },
  { name: "1 MB", size: 1_000_000, limit: 1.1 },
];

/** Large results, one at a time. Both parse and hash them: the governed floor is what that has to cost. */
export async function measureResults(context: Context): Promise<Row[]> {
  const { era, client, programs, rivals } = context;
  return inWorkspace(async (directory) => {
    const kinds = [
      spliceFloor,
      governedFloor,
      ...programs.map((program) => toolplane(program)),
      ...rivals,
    ];
    const servers = (own: string) => echoServers(1, { directory: own, era });
    const peers = await startPeers(kinds, { client, directory, servers, tools: 1 });
    const rows: Row[] = [];
    for (const { name, size, limit } of sizes) {
      const loads = [{ name, size, inFlight: 1 }];
      const samples = await measureInTurn(peers, firstTool(serverName(0)), loads, context);
      const common = { load: loadName(`results of ${name}`, context), against: governedFloor.name };
      rows.push(
        samples.row(
          { ...common, figure: "p50 at 1", unit: "ms", bar: ratioAtMost(limit) },
          name,
          "p50",
        ),
      );
      rows.push(samples.row({ ...common, figure: "CPU at 1", unit: "µs" }, name, "cpu"));
    }
    await stopAll(peers);
    return rows;
  });
}
