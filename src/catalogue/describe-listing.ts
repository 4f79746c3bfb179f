import type { Grants } from "../model/grants.ts";
import type { ProviderState } from "../model/health.ts";
import type { ToolListing } from "../model/plane.ts";
import type { Principal } from "../model/principal.ts";
import type { ToolReview } from "../model/quality.ts";
import type { ProviderSpec, Tool } from "../model/tool.ts";
import { missingCredentials, sharedTrouble } from "./health/availability.ts";
import type { Health } from "./health/health.ts";
import { describeHealth } from "./health/tool-health.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export type DescribedParts = {
  health(): Promise<Pick<Health, "summary" | "last" | "recent">>;
  /** `key` is what `healthKey` says of the tool. */
  routerState(key: string, provider: string): ProviderState;
  providerTrouble(provider: ProviderSpec): string | null;
  /** Without what only its execution needs to know. */
  showProvider(provider: ProviderSpec): ProviderSpec;
  environment: Environment;
  /** Those whose tools could not be listed again. */
  staleServers?(): ReadonlySet<string>;
  /** What is to be said against a tool's definition. */
  review?(tool: Tool): ToolReview | null;
  grants: Grants;
};

type Wanted = { viewer?: string | null; withProviders?: boolean };

/** Tools with how well they do, what they lack and what is said against them, as this caller may know it. */
export function createToolDescriptions(parts: DescribedParts) {
  const { environment, grants } = parts;
  return async (
    tools: readonly Tool[],
    principal: Principal,
    { viewer = principal.persona, withProviders = true }: Wanted,
  ): Promise<ToolListing[]> => {
    const facts = { health: await parts.health(), routerState: parts.routerState };
    const stale = parts.staleServers?.();
    return tools.map((tool) => {
      // Where a tool leads that its caller may not go is not told.
      const providers = tool.providers.filter((spec) => {
        const refused = grants.refuseProvider(principal, spec);
        return refused === null || (refused.why === "persona" && principal.persona === null);
      });
      return {
        ...tool,
        providers: providers.map(parts.showProvider),
        health: describeHealth(tool, facts, { viewer, withProviders, shown: providers }),
        credentials: credentialsOf(tool, environment),
        unavailable:
          missingCredentials(tool, environment) ?? sharedTrouble(providers.map(parts.providerTrouble)),
        ...(tool.id.server !== null && stale?.has(tool.id.server) ? { stale: true } : {}),
        ...withReview(parts.review?.(tool) ?? null),
      };
    });
  };
}

function withReview(review: ToolReview | null): Pick<ToolListing, "review"> {
  const isQuiet = review?.held === null && review.change === null && review.findings.length === 0;
  return review === null || isQuiet ? {} : { review };
}

/** The variables a tool names, and whether they are set; never what they hold. */
function credentialsOf({ metadata }: Tool, environment: Environment): ToolListing["credentials"] {
  const named = Object.entries(metadata.auth.envs ?? {});
  return Object.fromEntries(
    named.map(([name, { required }]) => [
      name,
      { required: required === true, configured: Boolean(environment[name]) },
    ]),
  );
}
