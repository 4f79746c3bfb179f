import type { Registry, Snapshot } from "../catalogue/catalogue.ts";
import { createLru, type Lru } from "../lib/lru.ts";
import type { Tool, ToolId } from "../model/catalogue/tool.ts";
import { mayBelongTo, toolKey } from "../model/catalogue/tool-name.ts";
import type { Config } from "../model/config/config.ts";
import type { Principal } from "../model/principal.ts";
import type { Servers } from "../servers/servers.ts";

/** More names than this are looked up once more. */
const minNames = 1_000;

type Found = { tool: Tool; snapshot: Snapshot; config: Config; servers: readonly string[] };

type Parts = {
  config(): Config;
  registry: Pick<Registry, "snapshot">;
  servers: Pick<Servers, "names" | "isSettled">;
};

export type FoundTools = {
  /** What this caller meant by the same words before, where nothing has changed since and nobody need be asked. */
  recall(asked: string | ToolId, principal: Principal): Tool | undefined;
  keep(asked: string | ToolId, principal: Principal, tool: Tool): void;
};

/** What callers have found already. Who calls a tool a thousand times looks for it once. */
export function createFoundTools({ config, registry, servers }: Parts): FoundTools {
  const found = new WeakMap<Principal, Lru<Found>>();
  return {
    recall(asked, principal) {
      const kept = found.get(principal)?.get(keyOf(asked));
      if (kept === undefined) return undefined;
      const isSame = kept.config === config() && kept.snapshot === registry.snapshot(principal.persona);
      const owner = { user: principal.user, conversation: null };
      return isSame && servers.isSettled(kept.servers, owner) ? kept.tool : undefined;
    },
    keep(asked, principal, tool) {
      const likely = serversOf(asked, servers.names());
      // A tool that leads elsewhere, or was found elsewhere than expected, is looked for again.
      if (tool.id.server === null || !likely.includes(tool.id.server)) return;
      const names = found.get(principal) ?? createLru<Found>(minNames);
      const snapshot = registry.snapshot(principal.persona);
      names.set(keyOf(asked), { tool, snapshot, config: config(), servers: likely });
      found.set(principal, names);
    },
  };
}

function serversOf(asked: string | ToolId, names: readonly string[]): readonly string[] {
  if (typeof asked === "string") return names.filter((name) => mayBelongTo(name, asked));
  return asked.server === null ? [] : [asked.server];
}

function keyOf(asked: string | ToolId): string {
  return typeof asked === "string" ? asked : toolKey(asked);
}
