import { nearest } from "../../../lib/text/nearest.ts";
import { parseToolQuery, type ToolQuery } from "../../../model/catalogue/tool-query.ts";

/** The flags of `tools list`, and what each is called over HTTP. */
const parameters = {
  server: "server",
  personaFilter: "persona",
  provider: "provider",
  capability: "capability",
  versionRange: "version",
  sideEffects: "side_effects",
  safetyLevel: "safety_level",
  minSuccessRate: "min_success_rate",
  includeUnused: "include_unused",
  toolGroup: "group",
  state: "state",
  query: "q",
  limit: "limit",
  cursor: "cursor",
} as const;

export type ToolFilters = { [flag in keyof typeof parameters]?: string | string[] };

export function readFilters(options: ToolFilters): ToolQuery {
  const values = Object.entries(parameters).flatMap(([flag, parameter]) => {
    const given = options[flag as keyof ToolFilters] ?? [];
    return [given].flat().map((value) => [parameter, value] as const);
  });
  return parseToolQuery(values, { spell, nearest });
}

function spell(parameter: string): string {
  const flag = Object.entries(parameters).find(([, name]) => name === parameter)?.[0] ?? parameter;
  return `--${flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
