import { shorten } from "../../lib/text/cut-text.ts";
import type { DefinitionWeight } from "../../model/catalogue/quality.ts";
import type { ToolQuery } from "../../model/catalogue/tool-query.ts";
import type { ToolImpact } from "../../model/catalogue/tool-schema.ts";
import { noCursor, readCursor, writeCursor } from "../../model/page.ts";
import type { Caller, Plane } from "../../model/plane.ts";
import type { ToolListing, ToolPage } from "../../model/plane-tools.ts";

const maxDescription = 200;

/** Tools as lists show them: a tenth of what there is to know about each. */
export async function renderRows(plane: Plane, tools: readonly ToolListing[]) {
  const weights = await plane.tools.weigh(tools);
  return tools.map((tool, at) => renderRow(tool, weights[at] as DefinitionWeight));
}

function renderRow(tool: ToolListing, { score, passed, complaints, fullTokens }: DefinitionWeight) {
  const { name, id, persona, source, description, metadata, health, unavailable, stale, review } =
    tool;
  const { total, success_rate, p95_latency_ms, recent } = health;
  return {
    name,
    persona,
    unavailable,
    server: id.server,
    source,
    description: shorten(description, maxDescription),
    side_effects: metadata.side_effects,
    health: { total, success_rate, p95_latency_ms, recent },
    quality: { score, passed, complaints },
    tokens: fullTokens,
    impact: tool.impact,
    ...(tool.overlaid && { overlaid: tool.overlaid }),
    ...(stale && { stale }),
    ...(review && {
      review: {
        held: review.held,
        heldFor: review.heldFor,
        change: review.change,
        findings: review.findings.length,
      },
    }),
  };
}

type Sorting = { sort: string | undefined; maxQuality: number | undefined };
type Weighed = { tool: ToolListing; weight: DefinitionWeight };

/** By what can go wrong. */
const impactOrder: readonly string[] = [
  "reads",
  "unknown",
  "writes",
  "destroys",
] satisfies ToolImpact["impact"][];

/** What each order compares; null comes last. */
const sortKeys: Record<string, (weighed: Weighed) => string | number | null> = {
  name: ({ tool }) => tool.name,
  server: ({ tool }) => tool.id.server ?? "",
  impact: ({ tool }) => impactOrder.indexOf(tool.impact.impact),
  quality: ({ weight }) => weight.score,
  health: ({ tool: { health } }) => (health.total === 0 ? null : health.success_rate),
  latency: ({ tool: { health } }) => (health.total === 0 ? null : health.p95_latency_ms),
  calls: ({ tool: { health } }) => health.total,
  tokens: ({ weight }) => weight.fullTokens,
};

/** One page of all that match, in another order than by name. The cursor is a place in it. */
export async function querySorted(
  plane: Pick<Plane, "tools">,
  query: ToolQuery,
  { sort = "name", maxQuality }: Sorting,
  caller: Caller & { waitMs: number },
): Promise<ToolPage> {
  const { cursor, limit } = query;
  const { tools: allTools } = await plane.tools.page(
    { ...query, limit: null, cursor: null },
    caller,
  );
  const weights = await plane.tools.weigh(allTools);
  const weighed = allTools.map((tool, at) => ({ tool, weight: weights[at] as DefinitionWeight }));
  const goodEnough =
    maxQuality === undefined ? weighed : weighed.filter(({ weight }) => weight.score <= maxQuality);
  const [key, sign] = sort.startsWith("-") ? [sort.slice(1), -1] : [sort, 1];
  const keyOf = sortKeys[key] ?? (() => null);
  const sorted = goodEnough
    .map((weighedTool) => ({ key: keyOf(weighedTool), tool: weighedTool.tool }))
    .sort((a, b) => compareKeys(a.key, b.key, sign) || compareKeys(a.tool.name, b.tool.name, 1));
  const start = cursor === null ? 0 : startOf(cursor);
  const end = limit === null ? sorted.length : start + limit;
  return {
    total: sorted.length,
    tools: sorted.slice(start, end).map(({ tool }) => tool),
    nextCursor: end < sorted.length ? writeCursor(String(end)) : null,
  };
}

function startOf(cursor: string): number {
  const start = Number(readCursor(cursor));
  if (!Number.isSafeInteger(start) || start < 0) throw noCursor(cursor);
  return start;
}

function compareKeys(a: string | number | null, b: string | number | null, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a === b) return 0;
  return a < b ? -sign : sign;
}

/** Everything a manifest can say stands beside its name, known or null. */
export function renderToolView(tool: ToolListing) {
  const { metadata, groups, trusted, consent } = tool;
  const { auth, capabilities } = metadata;
  return {
    ...tool,
    version: metadata.version,
    capabilities,
    capability_tags: capabilities.map((tag) => tag.toLowerCase()),
    auth,
    auth_required: auth.required,
    auth_scopes: auth.scopes ?? [],
    safety_level: metadata.safety_level ?? null,
    requires_consent: metadata.requires_consent,
    allow_parallel: metadata.allow_parallel ?? null,
    idempotency_key: metadata.idempotency_key,
    default_timeout: metadata.default_timeout ?? null,
    side_effects: metadata.side_effects,
    cost_per_call: metadata.cost_per_call ?? null,
    cost_unit: metadata.cost_unit ?? null,
    persona_allowlist: metadata.persona_allowlist ?? null,
    /** What the configuration, not the tool's author, decides. */
    settings: { groups, trusted, consent },
  };
}

/** Personas have tools in the place of shared ones, by the same name. */
const placeOf = ({ name, persona }: ToolListing) => `${persona ?? ""}/${name}`;

/** One page: the best matches of a search first; on this and later pages, tools that contain the words. */
export async function queryBestFirst(
  plane: Pick<Plane, "tools" | "search">,
  query: ToolQuery,
  best: number,
  caller: Caller & { waitMs: number },
): Promise<ToolPage & { note?: string }> {
  const { q, server, cursor, limit } = query;
  if (q === null || cursor !== null) return plane.tools.page(query, caller);
  const request = { query: q, limit: best, ...(server !== null && { server }) };
  const { tools: foundTools, note } = await plane.search(request, { ...caller, details: true });
  const bestTools = foundTools.flatMap(({ tool }) => tool ?? []);
  const bestKeys = new Set(bestTools.map(placeOf));
  // One at least, because the next page begins where these end.
  const room = limit === null ? null : Math.max(1, limit - bestTools.length);
  const { tools, total, ...page } = await plane.tools.page({ ...query, limit: room }, caller);
  const allTools = [...bestTools, ...tools.filter((tool) => !bestKeys.has(placeOf(tool)))];
  // That nothing fits well does not matter where something contains the words.
  const isNoteShown = note !== undefined && (total === 0 || bestTools.length > total);
  return {
    ...page,
    total: Math.max(total, allTools.length),
    tools: allTools,
    ...(isNoteShown && { note }),
  };
}
