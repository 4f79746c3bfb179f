import type { Cli } from "./cli.ts";
import { callTool } from "./commands/call.ts";
import type { QuickCall } from "./quick-words.ts";
import { runReported } from "./run-reported.ts";

/** One call without the other commands. */
export function runCall(cli: Cli, { tool, values, options }: QuickCall): Promise<number> {
  return runReported(cli, () => callTool(cli, tool, values, options));
}
