import { loadMeaning } from "../../packages/search/src/meaning.ts";
import { createSearch } from "../../packages/search/src/tool-search.ts";
import { type SampleTool, toTools } from "./to-tools.ts";

/** The product's own index and ranking, with nothing folded. */
export async function build(samples: SampleTool[], { isWordsOnly = false } = {}) {
  const { tools, idOf, serverText } = toTools(samples);
  const search = createSearch(isWordsOnly ? {} : { loadMeaning });
  while ((await search.updateSoon(tools, serverText)) > 0);
  return {
    search: (query: string, count = 5): string[] =>
      search.rank(query, tools, count).map(({ tool }) => idOf.get(tool) ?? ""),
  };
}
