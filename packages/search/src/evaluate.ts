import { yieldEvery } from "../../../src/lib/async/pause.ts";
import type { SearchCase, SearchEvaluation } from "../../../src/model/catalogue/search.ts";
import type { SearchQuality } from "../../../src/model/catalogue/search-schema.ts";
import type { Findable, Hit } from "./fields.ts";

const depth = 10;
const maxMissed = 20;
const usualKind = "all";

type Rank = (query: string, count: number, isWordsOnly: boolean) => Hit[];
type Judged = { kind: string; ranking: SearchQuality; wordsOnly: SearchQuality };

/** `named`: the tools of a name, in any spelling. */
export async function evaluate(
  cases: readonly SearchCase[],
  tools: number,
  named: (name: string) => Findable[],
  rank: Rank,
): Promise<SearchEvaluation> {
  const turn = yieldEvery();
  const judged: Judged[] = [];
  const missed: SearchEvaluation["missed"] = [];
  const unknown = new Set<string>();
  for (const { query, tools: names, kind = usualKind } of cases) {
    const right = names.map((name) => ({ name, tools: new Set(named(name)) }));
    for (const one of right) if (one.tools.size === 0) unknown.add(one.name);
    const hits = rank(query, depth, false);
    const ranking = judge(right, hits);
    judged.push({ kind, ranking, wordsOnly: judge(right, rank(query, depth, true)) });
    if (ranking.recall10 < 1 && missed.length < maxMissed)
      missed.push({
        query,
        tools: [...names],
        found: hits.slice(0, 5).map(({ tool }) => tool.name),
      });
    if (turn.isOver()) await turn.next();
  }
  const kinds = [...Map.groupBy(judged, ({ kind }) => kind)].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    queries: cases.length,
    tools,
    ...meansOf(judged),
    kinds: kinds.map(([kind, own]) => ({ kind, queries: own.length, ...meansOf(own) })),
    missed,
    unknown: [...unknown],
  };
}

function judge(
  right: readonly { tools: ReadonlySet<Findable> }[],
  hits: readonly Hit[],
): SearchQuality {
  const places = right.map(
    ({ tools }) => hits.findIndex(({ tool }) => tools.has(tool)) + 1 || Number.POSITIVE_INFINITY,
  );
  const recall = (count: number) => places.filter((place) => place <= count).length / places.length;
  return {
    recall1: recall(1),
    recall5: recall(5),
    recall10: recall(10),
    mrr: 1 / Math.min(...places),
  };
}

function meansOf(judged: readonly Judged[]): Pick<SearchEvaluation, "ranking" | "wordsOnly"> {
  const mean = (of: "ranking" | "wordsOnly", key: keyof SearchQuality) =>
    Number(
      (judged.reduce((sum, one) => sum + one[of][key], 0) / Math.max(1, judged.length)).toFixed(4),
    );
  const quality = (of: "ranking" | "wordsOnly"): SearchQuality => ({
    recall1: mean(of, "recall1"),
    recall5: mean(of, "recall5"),
    recall10: mean(of, "recall10"),
    mrr: mean(of, "mrr"),
  });
  return { ranking: quality("ranking"), wordsOnly: quality("wordsOnly") };
}
