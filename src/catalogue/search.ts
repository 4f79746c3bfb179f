import { lazily } from "../lib/async/lazily.ts";
import { once } from "../lib/async/once.ts";
import type { Grants } from "../model/access/grants.ts";
import type { Embed } from "../model/catalogue/search.ts";
import type { FoundTool } from "../model/catalogue/search-schema.ts";
import type { ServerSkill } from "../model/catalogue/skill-entry.ts";
import type { Config } from "../model/config/config.ts";
import type { Plane } from "../model/plane.ts";
import type { Inside, Principal } from "../model/principal.ts";
import type { ServerStatus } from "../model/servers/server-schema.ts";
import type { Session } from "../protocol/session.ts";
import type { Recorder } from "../store/store.ts";
import type { PlaneQuality } from "./quality/quality.ts";
import type { Registry } from "./registry.ts";
import type { ToolListings } from "./tool-listing.ts";

export type SearchPorts = {
  config(): Config;
  /** The function of the program, or of an extension. */
  embed(): Embed | undefined;
  /** The same tools in the order of an extension. */
  rank(query: string, found: readonly FoundTool[]): Promise<readonly FoundTool[]>;
  embedWith(model: string, texts: readonly string[]): ReturnType<Embed>;
  recorder: Pick<Recorder, "store" | "emit" | "on" | "configuration">;
  registry: Pick<Registry, "all">;
  listings: Pick<ToolListings, "visibleTo" | "listings">;
  discover(server: string | null, principal: Principal, wait: { waitMs?: number }): Promise<void>;
  quality: Pick<PlaneQuality, "loaded" | "withoutHeld">;
  servers(): { status(): readonly ServerStatus[]; session(name: string): Session | null };
  grants: Pick<Grants, "maySeeServer">;
  /** Of servers and folders. */
  skills(principal: Principal): Promise<readonly ServerSkill[]>;
};

type SearchVerbs = Inside<
  Pick<Plane, "search" | "recommend" | "evaluateSearch" | "forgetSearches">
>;

export type SearchPackage = {
  createSearchVerbs(ports: SearchPorts): LearningSearch;
};

export type LearningSearch = SearchVerbs & {
  /** Learns that this user called a tool, perhaps one that was found before. */
  called(user: string, tool: string): Promise<void>;
};

/** Loaded with the first search, or with the first call that something can be learned from. */
export function createSearchVerbs(
  ports: SearchPorts,
  load: () => Promise<SearchPackage>,
): SearchVerbs {
  const verbs = once(async () => (await load()).createSearchVerbs(ports));
  ports.recorder.on("tool.call", ({ user, tool }) => {
    if (user === null || !ports.config().search.learn) return;
    // What is not written is not learned; the call goes on.
    void verbs()
      .then((search) => search.called(user, tool))
      .catch(() => undefined);
  });
  return lazily(verbs, ["search", "recommend", "evaluateSearch", "forgetSearches"]);
}
