import type { Plane } from "../../../model/plane.ts";
import type { Surface } from "../surfaces.ts";

type Weight = { text: string; tools: number; tokens: number };

/** What was counted last of each surface; most clients of one have the same list. */
const known = new WeakMap<Surface, Promise<Weight>>();

/** How many tools a list has and what they cost; the same list is counted once. */
export function createScales(plane: Plane, surface: Surface) {
  async function count(text: string): Promise<Weight> {
    const { tools } = JSON.parse(text) as { tools: unknown[] };
    const counts = await plane.countTokens(tools.map((tool) => JSON.stringify(tool)));
    return { text, tools: counts.length, tokens: counts.reduce((sum, one) => sum + one, 0) };
  }
  return async (text: string): Promise<Weight> => {
    const before = await known.get(surface)?.catch(() => undefined);
    if (before?.text === text) return before;
    const counting = count(text);
    known.set(surface, counting);
    return counting;
  };
}
