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
import { governedFloor, type Kind, sdkPair, spliceFloor, toolplane } from "../peers/kinds.ts";
import { type Row, ratioAtLeast } from "../rows.ts";

/** The gateway as a client of stdio starts it: attached to a plane in the background, and alone in its process. */
export async function measureStdioFront(context: Context): Promise<Row[]> {
  const { era, client, programs, rivals, rivalsDirectory } = context;
  const loads: Load[] = [
    { name: "1", inFlight: 1, size: 100 },
    { name: "16", inFlight: 16, size: 100 },
  ];
  const pair = sdkPair(rivalsDirectory);
  const fronts = ["stdio"] as const;
  const attached = programs.map((program) => toolplane(program, { fronts, label: "attached" }));
  const standalone = programs.map((program) =>
    toolplane(program, { fronts, label: "--standalone", words: ["--standalone"] }),
  );
  return inWorkspace(async (directory) => {
    const kinds = [pair, spliceFloor, governedFloor, ...attached, ...standalone, ...rivals];
    const servers = (own: string) => echoServers(1, { directory: own, era });
    const peers = await startPeers(kinds, { client, directory, servers, tools: 1, front: "stdio" });
    const samples = await measureInTurn(peers, firstTool(serverName(0)), loads, context);
    await stopAll(peers);
    const common = { load: loadName("stdio front", context), against: pair.name };
    const without = (left: readonly Kind[]) => (kind: Kind) => !left.includes(kind);
    const rate = { ...common, figure: "rate at 16", unit: "calls/s" };
    return [
      samples.row({ ...rate, bar: ratioAtLeast(0.7) }, "16", "rate", without(standalone)),
      samples.row({ ...rate, bar: ratioAtLeast(1) }, "16", "rate", without(attached)),
      samples.row({ ...common, figure: "p50 at 1", unit: "ms" }, "1", "p50"),
      samples.row({ ...common, figure: "CPU at 16", unit: "µs" }, "16", "cpu"),
    ];
  });
}
