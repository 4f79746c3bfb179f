import type { SampleTool } from "./to-tools.ts";

const summaryLimit = 100;

/** What seed 002 does: points for terms that are contained in names and in the beginning of the description. */
export async function build(samples: readonly SampleTool[]) {
  const tools = samples.map(({ id, server, name, description = "" }) => ({
    id,
    full: `mcp_${server}_${name}`.toLowerCase(),
    original: name.toLowerCase(),
    text: description.slice(0, summaryLimit).toLowerCase(),
  }));
  type Tool = (typeof tools)[number];
  const score = ({ full, original, text }: Tool, terms: readonly string[]) => {
    let points = 0;
    for (const term of terms) {
      if (original === term) points += 20;
      if (full.includes(term)) points += 10;
      if (original.includes(term)) points += 8;
      if (text.includes(term)) points += 3;
      if (original.startsWith(term)) points += 5;
    }
    if (terms.every((term) => full.includes(term))) points += 15;
    if (terms.every((term) => text.includes(term))) points += 5;
    return points;
  };
  return {
    search(query: string, count: number): string[] {
      const terms = query
        .toLowerCase()
        .split(/\s+/)
        .filter((term) => term !== "");
      return tools
        .map((tool) => ({ id: tool.id, points: score(tool, terms) }))
        .filter(({ points }) => points > 0)
        .sort((a, b) => b.points - a.points)
        .slice(0, count)
        .map(({ id }) => id);
    },
  };
}
