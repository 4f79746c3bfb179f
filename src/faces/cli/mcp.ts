import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { Plane } from "../../model/plane.ts";
import type { Cli, GlobalOptions, McpView } from "./cli.ts";
import { giveMemoryBackWhenQuiet } from "./quiet.ts";
import { withPlane } from "./with-plane.ts";

/** Standard output belongs to the protocol; warnings go to standard error as always. */
export async function serveMcp(cli: Cli, options: GlobalOptions & McpView): Promise<void> {
  const { mode, names, toolset, server } = options;
  // A client that spawns a command wants a plane of its own, which lives as long as the client does.
  const work = async (plane: Plane, interrupted: AbortSignal) => {
    using _memory = giveMemoryBackWhenQuiet(plane);
    plane.start();
    await cli.serveMcp(plane, interrupted, withoutUndefined({ mode, names, toolset, server }));
  };
  await withPlane(cli, { ...options, standalone: true }, work, { relays: true });
}
