import { matchesGlob } from "../../lib/text/glob.ts";
import { deferredFormats, isDeferredFormat, isToolFormat, toolFormats } from "../../model/catalogue/tool-formats.ts";
import { alwaysLoaded } from "../../model/catalogue/tool-name.ts";
import { PlaneError } from "../../model/errors.ts";
import type { Plane } from "../../model/plane.ts";
import type { ToolListing } from "../../model/plane-tools.ts";

import type { Cli, GlobalOptions } from "./cli.ts";
import { printJson } from "./output.ts";
import { withPlane } from "./with-plane.ts";

export type ExportOptions = GlobalOptions & {
  format: string;
  server?: string;
  tool?: string[];
  defer?: boolean;
};

export async function exportTools(cli: Cli, options: ExportOptions): Promise<void> {
  const { format } = options;
  if (!isToolFormat(format))
    throw new PlaneError("USAGE", `--format '${format}' is not one of ${Object.keys(toolFormats).join(", ")}.`);
  if (options.defer && !isDeferredFormat(format))
    throw new PlaneError(
      "USAGE",
      `--defer is known for ${Object.keys(deferredFormats).join(" and ")}; '${format}' has no definitions that are loaded later.`,
    );
  const exported = await withPlane(cli, options, async (plane) => {
    const tools = await choose(plane, options);
    return options.defer && isDeferredFormat(format) ? defer(plane, format, tools) : toolFormats[format](tools);
  });
  printJson({ tools: exported });
}

/** What is always loaded for our own clients is so for others. */
function defer(plane: Plane, format: keyof typeof deferredFormats, tools: readonly ToolListing[]): unknown {
  const { lazy, servers } = plane.config();
  const always: ReadonlySet<unknown> = alwaysLoaded(tools, lazy.alwaysLoadTools, matchesGlob);
  return deferredFormats[format](tools, {
    isDeferred: (tool) => !always.has(tool),
    describeServer: (server) => servers[server]?.description ?? "",
  });
}

/** By name, so that the same catalogue gives the same text. */
async function choose(plane: Plane, { server, tool: names }: ExportOptions): Promise<ToolListing[]> {
  const tools =
    names === undefined
      ? (await plane.tools.list(server === undefined ? {} : { server })).filter(isTrusted)
      : await Promise.all(names.map((name) => plane.tools.get(name)));
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
