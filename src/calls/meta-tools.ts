import { translateManifests } from "../catalogue/catalogue.ts";
import { once } from "../lib/async/once.ts";
import type { Provider } from "../model/calls/provider.ts";
import { metaToolNames, metaTools } from "../model/catalogue/meta-tools.ts";
import { type Tool, type ToolId, ToolManifest } from "../model/catalogue/tool.ts";


import { PlaneError } from "../model/errors.ts";

/**
 * The tools with which a client finds others. They take the one path like all, and are in no list but a lazy client's;
 * so they are found by their id only. `call_tool` is not among them: it is the call of the tool that it names.
 */
const known = once(() => {
  const written = metaTools
    .filter(({ name }) => name !== metaToolNames.call)
    .map(({ name, description, inputSchema: parameters }) => ({
      manifest: ToolManifest.parse({
        ...{ name, description, parameters, side_effects: "none", allow_parallel: true },
        providers: [{ name: "builtin", config: { tool: name } }],
      }),
      source: "builtin",
    }));
  const { tools } = translateManifests(written);
  return new Map(
    tools.map((tool): [string, Tool] => [tool.id.tool, { ...tool, name: tool.id.tool, modelName: tool.id.tool }]),
  );
});

export function findMetaTool(asked: string | ToolId): Tool | undefined {
  return typeof asked === "object" && asked.server === null ? known().get(asked.tool) : undefined;
}

/** Whoever called answers them, because only there it is known what the client has; all others are the provider's. */
export function withMetaTools(provider: Provider): Provider {
  return async (spec, args, context) => {
    const tool = String(spec.config.tool);
    if (!known().has(tool)) return provider(spec, args, context);
    if (context.onOwnTool) return context.onOwnTool(tool, args, context.signal);
    throw new PlaneError("NO_PROVIDER", `'${tool}' is for MCP clients. Search with 'toolplane search'.`, {
      data: { sent: false, retryAt: null, personHints: ["Search with 'toolplane search'."] },
    });
  };
}
