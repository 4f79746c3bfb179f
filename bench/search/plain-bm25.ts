import type { SampleTool } from "./to-tools.ts";

const saturation = 1.2;
const dilution = 0.75;

/** The textbook: words of name and description as one text, no stems, no fields, no names taken apart. */
export async function build(samples: readonly SampleTool[]) {
  const texts = samples.map(({ name, description = "" }) => wordsOf(`${name} ${description}`));
  const usual = texts.reduce((sum, words) => sum + words.length, 0) / Math.max(1, texts.length);
  const postings = new Map<string, Map<number, number>>();
  for (const [at, words] of texts.entries()) {
    for (const word of words) {
      const counts = postings.get(word) ?? new Map<number, number>();
      counts.set(at, (counts.get(at) ?? 0) + 1);
      postings.set(word, counts);
    }
  }
  return {
    search(query: string, count: number): string[] {
      const scores = new Map<number, number>();
      for (const word of new Set(wordsOf(query))) {
        const counts = postings.get(word) ?? new Map<number, number>();
        const rarity = Math.log(1 + (samples.length - counts.size + 0.5) / (counts.size + 0.5));
        for (const [at, times] of counts) {
          const length = 1 - dilution + (dilution * (texts[at]?.length ?? 0)) / usual;
          const part = (times * (saturation + 1)) / (times + saturation * length);
          scores.set(at, (scores.get(at) ?? 0) + rarity * part);
        }
      }
      return [...scores]
        .sort((a, b) => b[1] - a[1] || a[0] - b[0])
        .slice(0, count)
        .map(([at]) => samples[at]?.id ?? "");
    },
  };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
