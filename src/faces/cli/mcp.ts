import type { Cli, GlobalOptions } from "./cli.ts";
import { giveMemoryBackWhenQuiet } from "./quiet.ts";
import { withPlane } from "./with-plane.ts";

/** Standard output belongs to the protocol; warnings go to standard error as always. */
export async function serveMcp(cli: Cli, options: GlobalOptions): Promise<void> {
  await withPlane(cli, options, async (plane, interrupted) => {
    using _memory = giveMemoryBackWhenQuiet(plane);
    plane.start();
    await cli.serveMcp(plane, interrupted);
  });
}
