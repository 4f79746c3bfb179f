import { createSearch } from "../../src/catalogue/search/search.ts";
import { type SampleTool, toTools } from "./to-tools.ts";

/** The product's own index and ranking, by words alone and with nothing folded. */
export async function build(samples: SampleTool[]) {
  const { tools, idOf, serverText } = toTools(samples);
  const search = createSearch();
  search.update(tools, serverText);
  return {
    search: (query: string, count = 5): string[] =>
      search.rank(query, tools, count).map(({ tool }) => idOf.get(tool) ?? ""),
  };
}
