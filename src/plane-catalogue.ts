import { type HealthSummary, type ProviderState, providerSubject, toolSubject } from "./model/health.ts";
import type { Plane, ToolListing } from "./model/plane.ts";
import type { Principal } from "./model/principal.ts";
import { type ProviderSpec, providerLabel, type Tool } from "./model/tool.ts";
import { everyTool, type ToolQuery } from "./model/tool-query.ts";
import { missingCredentials, sharedTrouble } from "./pipeline/route.ts";
import { grantFor } from "./policy/grant.ts";
import { createPersonaFilter, seenThrough } from "./registry/persona-filter.ts";
import { queryTools } from "./registry/query-tools.ts";
import type { Registry } from "./registry/registry.ts";
import { summarizeRegistry } from "./registry/summarize-registry.ts";

type Environment = Readonly<Record<string, string | undefined>>;

type Parts = {
  registry: Pick<Registry, "snapshot" | "all">;
  /** Makes one server, or all of them, list their tools. */
  discover(server: string | null, principal: Principal, patience: { patienceMs?: number }): Promise<void>;
  health(): Promise<{ summary(subject: string): HealthSummary }>;
  routerState(tool: string, provider: string): ProviderState;
  providerTrouble(provider: ProviderSpec): string | null;
  /** Without what only its execution needs to know. */
  showProvider(provider: ProviderSpec): ProviderSpec;
  environment: Environment;
};

export type Catalogue = Pick<Plane, "tools" | "queryTools" | "registrySummary"> & {
  visibleTo(principal: Principal): readonly Tool[];
  listing(tool: Tool): Promise<ToolListing>;
};

/** What there is, for whom, and how well it does. */
export function createCatalogue(parts: Parts, everybody: Principal): Catalogue {
  const { registry, environment } = parts;
  const seen = new WeakMap<Principal, { of: readonly Tool[]; visible: readonly Tool[] }>();
  const visibleTo = (principal: Principal): readonly Tool[] => {
    const { tools } = registry.snapshot(principal.persona);
    const before = seen.get(principal);
    if (before?.of === tools) return before.visible;
    const visible = tools.filter((tool) => mayUse(principal, tool));
    seen.set(principal, { of: tools, visible });
    return visible;
  };
  /** Somebody who is no persona may look at what any of them has; calling it is another matter. */
  const lookAt = (principal: Principal, personas: readonly string[]) =>
    principal.persona !== null || personas.length === 0
      ? visibleTo(principal)
      : seenThrough(createPersonaFilter(personas), registry.all(), (persona, tool) =>
          mayUse({ ...principal, persona }, tool),
        );

  const describe = async (tools: readonly Tool[], includeProviderHealth = true): Promise<ToolListing[]> => {
    const { summary } = await parts.health();
    const healthOf = ({ name, providers }: Tool) =>
      providers.map((spec) => {
        const label = providerLabel(spec, providers);
        const metrics = summary(providerSubject(name, label));
        return [label, { metrics, router: parts.routerState(name, label) }] as const;
      });
    return tools.map((tool) => ({
      ...tool,
      providers: tool.providers.map(parts.showProvider),
      health: {
        ...summary(toolSubject(tool.name)),
        providers: includeProviderHealth ? Object.fromEntries(healthOf(tool)) : {},
      },
      credentials: credentialsOf(tool, environment),
      unavailable:
        missingCredentials(tool, environment) ?? sharedTrouble(tool.providers.map(parts.providerTrouble)),
    }));
  };

  const catalogue: Catalogue = {
    visibleTo,
    listing: async (tool) => (await describe([tool]))[0] as ToolListing,
    tools: async ({ server = null, ...caller } = {}) =>
      (await catalogue.queryTools({ server }, caller)).tools,
    async queryTools(asked, { principal = everybody, patienceMs } = {}) {
      const query: ToolQuery = { ...everyTool, ...asked };
      await parts.discover(query.server, principal, patienceMs === undefined ? {} : { patienceMs });
      const { summary } = await parts.health();
      const page = queryTools(lookAt(principal, query.personas), query, ({ name }) =>
        summary(toolSubject(name)),
      );
      return { ...page, tools: await describe(page.tools, query.includeProviderHealth) };
    },
    async registrySummary({ persona: named, principal = everybody, ...patience } = {}) {
      const persona = named ?? principal.persona;
      const personas = persona === null ? [] : [persona];
      const { tools } = await catalogue.queryTools({ personas }, { principal, ...patience });
      return summarizeRegistry(registry.snapshot().revision, persona, tools);
    },
  };
  return catalogue;
}

function mayUse(principal: Principal, tool: Tool): boolean {
  return !("refused" in grantFor(principal, tool));
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
