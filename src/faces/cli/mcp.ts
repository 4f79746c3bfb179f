import { withoutUndefined } from "../../lib/json/plain-data.ts";
import type { Plane } from "../../model/plane.ts";
import type { Cli, GlobalOptions, McpView } from "./cli.ts";
import { giveMemoryBackWhenQuiet } from "./quiet.ts";
import { withPlane } from "./with-plane.ts";

/**
 * One MCP server on standard input and output: the shared plane of this configuration, or one of the client's own, which
 * lives as long as the client does. Standard output belongs to the protocol; warnings go to standard error as always.
 */
export async function serveMcp(cli: Cli, options: GlobalOptions & McpView): Promise<number> {
  const { mode, names, toolset, server } = options;
  if (!options.standalone && !options.offline && options.store === undefined) {
    const exitCode = await cli.attachMcp(options);
    if (exitCode !== null) return exitCode;
  }
  const work = async (plane: Plane, interrupted: AbortSignal) => {
    using _memory = giveMemoryBackWhenQuiet(plane);
    plane.start();
    await cli.serveMcp(plane, interrupted, withoutUndefined({ mode, names, toolset, server }));
  };
  await withPlane(cli, { ...options, standalone: true }, work, { relays: true });
  return 0;
}
