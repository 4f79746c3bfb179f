import type { Tool } from "./tool.ts";
import { spellings } from "./tool-name.ts";

type Named = Pick<Tool, "id" | "name" | "modelName">;
type MatchesGlob = (pattern: string, text: string) => boolean;

/**
 * Which of these tools `alwaysLoadTools` means: by name in any spelling or by glob. What is neither means every tool
 * whose name contains it, as long as no tool is called exactly so.
 */
export function alwaysLoaded<T extends Named>(
  tools: readonly T[],
  patterns: readonly string[],
  matchesGlob: MatchesGlob,
): Set<T> {
  return new Set(patterns.flatMap((pattern) => meantBy(pattern, tools, matchesGlob)));
}

function meantBy<T extends Named>(pattern: string, tools: readonly T[], matchesGlob: MatchesGlob): T[] {
  if (pattern === "") return [];
  const having = (fits: (name: string) => boolean) => tools.filter((tool) => namesOf(tool).some(fits));
  if (/[*?]/.test(pattern)) return having((name) => matchesGlob(pattern, name));
  const exact = having((name) => name === pattern);
  return exact.length > 0 ? exact : having((name) => name.includes(pattern));
}

function namesOf({ id, name, modelName }: Named): string[] {
  return [name, modelName, id.tool, ...spellings(id)];
}
