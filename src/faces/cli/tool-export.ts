import { PlaneError } from "../../model/errors.ts";
import type { Plane, ToolListing } from "../../model/plane.ts";
import { isToolFormat, toolFormats } from "../../model/tool-formats.ts";
import type { Cli, GlobalOptions } from "./cli.ts";
import { printJson } from "./output.ts";
import { withPlane } from "./with-plane.ts";

export type ExportOptions = GlobalOptions & { format: string; server?: string; tool?: string[] };

export async function exportTools(cli: Cli, options: ExportOptions): Promise<void> {
  const { format } = options;
  if (!isToolFormat(format))
    throw new PlaneError(
      "USAGE",
      `--format '${format}' is not one of ${Object.keys(toolFormats).join(", ")}.`,
    );
  const tools = await withPlane(cli, options, (plane) => choose(plane, options));
  printJson({ tools: toolFormats[format](tools) });
}

/** By name, so that the same catalogue gives the same text. */
async function choose(plane: Plane, { server, tool: names }: ExportOptions): Promise<ToolListing[]> {
  const tools =
    names === undefined
      ? (await plane.tools(server === undefined ? {} : { server })).filter(isTrusted)
      : await Promise.all(names.map((name) => plane.tool(name)));
  const stranger = tools.find(({ id }) => server !== undefined && id.server !== server);
  if (stranger)
    throw new PlaneError("USAGE", `Tool '${stranger.name}' is not one of server '${server}'.`, {
      data: { tool: stranger.name },
    });
  const distinct = new Map(tools.map((tool) => [tool.modelName, tool]));
  return [...distinct.values()].sort((a, b) => (a.modelName < b.modelName ? -1 : 1));
}

/** What may be poisoned is for people to look at, and not for a model unless it is asked for by name. */
function isTrusted({ review }: ToolListing): boolean {
  return (review?.held ?? null) === null;
}
