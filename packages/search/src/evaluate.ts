import { yieldEvery } from "@toolplane/core/lib/async/pause";
import { compareText } from "@toolplane/core/lib/text/wording";
import type { SearchCase, SearchEvaluation } from "@toolplane/core/model/catalogue/search";
import type { SearchQuality } from "@toolplane/core/model/catalogue/search-schema";
import type { Findable, Hit } from "./fields.ts";

const depth = 10;
const maxMissed = 20;
const defaultKind = "all";

type Rank = (query: string, count: number, isWordsOnly: boolean) => Hit[];
type JudgedCase = { kind: string; ranking: SearchQuality; wordsOnly: SearchQuality };

/** `named`: the tools of a name, in any spelling. */
export async function evaluate(
  cases: readonly SearchCase[],
  tools: number,
  named: (name: string) => Findable[],
  rank: Rank,
): Promise<SearchEvaluation> {
  const turn = yieldEvery();
  const judged: JudgedCase[] = [];
  const missed: SearchEvaluation["missed"] = [];
  const unknown = new Set<string>();
  for (const { query, tools: names, kind = defaultKind } of cases) {
    const expectedTools = names.map((name) => ({ name, tools: new Set(named(name)) }));
    for (const expected of expectedTools) if (expected.tools.size === 0) unknown.add(expected.name);
    const hits = rank(query, depth, false);
    const ranking = judge(expectedTools, hits);
    judged.push({ kind, ranking, wordsOnly: judge(expectedTools, rank(query, depth, true)) });
    if (ranking.recall10 < 1 && missed.length < maxMissed)
      missed.push({
        query,
        tools: [...names],
        found: hits.slice(0, 5).map(({ tool }) => tool.name),
      });
    if (turn.isOver()) await turn.next();
  }
  const kinds = [...Map.groupBy(judged, ({ kind }) => kind)].sort(([a], [b]) => compareText(a, b));
  return {
    queries: cases.length,
    tools,
    ...meansOf(judged),
    kinds: kinds.map(([kind, casesOfKind]) => ({
      kind,
      queries: casesOfKind.length,
      ...meansOf(casesOfKind),
    })),
    missed,
    unknown: [...unknown],
  };
}

function judge(
  expectedTools: readonly { tools: ReadonlySet<Findable> }[],
  hits: readonly Hit[],
): SearchQuality {
  const ranks = expectedTools.map(
    ({ tools }) => hits.findIndex(({ tool }) => tools.has(tool)) + 1 || Number.POSITIVE_INFINITY,
  );
  const recall = (count: number) => ranks.filter((rank) => rank <= count).length / ranks.length;
  return {
    recall1: recall(1),
    recall5: recall(5),
    recall10: recall(10),
    mrr: 1 / Math.min(...ranks),
  };
}

function meansOf(judged: readonly JudgedCase[]): Pick<SearchEvaluation, "ranking" | "wordsOnly"> {
  const mean = (method: "ranking" | "wordsOnly", key: keyof SearchQuality) =>
    Number(
      (
        judged.reduce((sum, judgedCase) => sum + judgedCase[method][key], 0) /
        Math.max(1, judged.length)
      ).toFixed(4),
    );
  const quality = (method: "ranking" | "wordsOnly"): SearchQuality => ({
    recall1: mean(method, "recall1"),
    recall5: mean(method, "recall5"),
    recall10: mean(method, "recall10"),
    mrr: mean(method, "mrr"),
  });
  return { ranking: quality("ranking"), wordsOnly: quality("wordsOnly") };
}
