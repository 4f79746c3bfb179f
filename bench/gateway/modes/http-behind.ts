import { join } from "node:path";
import {
  type Context,
  inWorkspace,
  type Load,
  loadName,
  measureInTurn,
  startPeers,
  stopAll,
} from "../measure.ts";
import { firstTool, serverName, startHttpEcho } from "../peers/echo.ts";
import { raw, spliceFloor, toolplane } from "../peers/kinds.ts";
import { type Row, ratioAtMost } from "../rows.ts";

/** A server over HTTP behind each gateway, and a raw client that asks it directly. */
export async function measureHttpBehind(context: Context): Promise<Row[]> {
  const { era, client, programs, rivals } = context;
  const loads: Load[] = [
    { name: "1", inFlight: 1, size: 100 },
    { name: "16", inFlight: 16, size: 100 },
  ];
  return inWorkspace(async (directory) => {
    const server = await startHttpEcho({ directory: join(directory, "echo"), era });
    const kinds = [raw, spliceFloor, ...programs.map((program) => toolplane(program)), ...rivals];
    const start = { client, directory, servers: () => [server], tools: 1, behind: "http" } as const;
    const peers = await startPeers(kinds, start);
    const samples = await measureInTurn(peers, firstTool(serverName(0)), loads, context);
    await stopAll(peers);
    const common = { load: loadName("HTTP behind", context), against: raw.name };
    return [
      samples.row({ ...common, figure: "p50 at 1", unit: "ms", bar: ratioAtMost(5) }, "1", "p50"),
      samples.row({ ...common, figure: "rate at 16", unit: "calls/s" }, "16", "rate"),
      samples.row(
        { ...common, figure: "CPU at 16", unit: "µs", against: spliceFloor.name },
        "16",
        "cpu",
      ),
    ];
  });
}
