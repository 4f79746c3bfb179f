import type { Cli, GlobalOptions } from "./cli.ts";
import { withPlane } from "./with-plane.ts";

/** Standard output belongs to the protocol; warnings go to standard error as always. */
export async function serveMcp(cli: Cli, options: GlobalOptions): Promise<void> {
  await withPlane(cli, options, (plane, interrupted) => {
    plane.start();
    return cli.serveMcp(plane, interrupted);
  });
}
