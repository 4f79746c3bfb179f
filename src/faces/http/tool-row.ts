import { shorten } from "../../lib/text/cut-text.ts";
import type { DefinitionWeight } from "../../model/catalogue/quality.ts";
import type { Plane } from "../../model/plane.ts";
import type { ToolListing } from "../../model/plane-tools.ts";

const maxDescription = 200;

/** Tools as lists show them: a tenth of what there is to know about each. */
export async function renderRows(plane: Plane, tools: readonly ToolListing[]) {
  const weights = await plane.tools.weigh(tools);
  return tools.map((tool, at) => renderRow(tool, weights[at] as DefinitionWeight));
}

function renderRow(tool: ToolListing, { score, passed, complaints, fullTokens }: DefinitionWeight) {
  const { name, id, persona, source, description, metadata, health, unavailable, stale, review } = tool;
  const { total, success_rate, p95_latency_ms, recent } = health;
  return {
    ...{ name, persona, unavailable },
    server: id.server,
    source,
    description: shorten(description, maxDescription),
    side_effects: metadata.side_effects,
    health: { total, success_rate, p95_latency_ms, recent },
    quality: { score, passed, complaints },
    tokens: fullTokens,
    ...(stale ? { stale } : {}),
    ...(review === undefined
      ? {}
      : { review: { held: review.held, change: review.change, findings: review.findings.length } }),
  };
}
