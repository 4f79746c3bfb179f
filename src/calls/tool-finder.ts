import type { HealthFeed } from "../catalogue/health/health-feed.ts";
import type { PlaneQuality } from "../catalogue/quality/quality.ts";
import { once } from "../lib/async/once.ts";
import type { Grants } from "../model/access/grants.ts";
import type { Relay } from "../model/calls/provider.ts";
import type { Tool, ToolId } from "../model/catalogue/tool.ts";
import { mayBelongTo } from "../model/catalogue/tool-name.ts";



import type { Principal } from "../model/principal.ts";
import type { Servers } from "../servers/servers.ts";
import type { Recorder } from "../store/store.ts";
import { createFoundTools } from "./found-tools.ts";
import type { FindTool } from "./resolve.ts";

type Parts = Parameters<typeof createFoundTools>[0] & {
  servers: Pick<Servers, "warm">;
  memory: Pick<Recorder, "open" | "requireRoom">;
  health: Pick<HealthFeed, "recent">;
  schemaCheck(): Promise<unknown>;
  find(asked: string | ToolId, principal: Principal, onProgress?: Relay["onProgress"]): Promise<Tool>;
  quality: Pick<PlaneQuality, "requireTrusted">;
  grants: Pick<Grants, "grantFor">;
};

/** Finds the tool that a call means: at once where it was found before and nothing has changed since. */
export function createToolFinder(parts: Parts): FindTool {
  const { servers, memory, health, schemaCheck, find, quality, grants } = parts;
  const found = createFoundTools(parts);
  // By then the process of the tool's server is there, and starts while we load what we need.
  const headStart = once(async () => {
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  });
  const warmUp = once(async () => {
    await Promise.all([memory.open(), schemaCheck(), import("node:crypto")]);
  });
  const trusted = (tool: Tool, principal: Principal) =>
    quality.requireTrusted(tool, !("refused" in grants.grantFor(principal, tool)));
  const findAnew = async (
    asked: string | ToolId,
    principal: Principal,
    onProgress: Relay["onProgress"],
  ): Promise<Tool> => {
    if (typeof asked === "string") servers.warm(servers.names().filter((name) => mayBelongTo(name, asked)));
    await headStart();
    const [tool] = await Promise.all([find(asked, principal, onProgress), warmUp()]);
    // How well they do is asked for only where it decides between them.
    if (hasRivals(tool)) await health.recent().catch(() => undefined);
    else found.keep(asked, principal, tool);
    return trusted(tool, principal);
  };
  return (asked, principal, onProgress) => {
    memory.requireRoom();
    const known = found.recall(asked, principal);
    return known ? trusted(known, principal) : findAnew(asked, principal, onProgress);
  };
}

/** Are there providers that only their health tells apart? */
function hasRivals({ providers }: Tool): boolean {
  return new Set(providers.map(({ priority }) => priority)).size < providers.length;
}
