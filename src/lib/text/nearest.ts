/** Edit distance with transpositions, cut off at `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(replace, (last[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? limit + 1;
}

/** A longer word is no misspelling, and comparing it costs its square. */
const maxWordLength = 128;

/** Best first. */
export function nearest(misspelt: string, names: Iterable<string>, count = 3): string[] {
  if (misspelt.length > maxWordLength) return [];
  const folded = misspelt.toLowerCase();
  // In a word of three letters two wrong ones are another word.
  const limit = folded.length <= 3 ? 1 : Math.max(2, Math.floor(folded.length / 3));
  return [...new Set(names)]
    .map((candidate) => ({ candidate, score: score(folded, candidate.toLowerCase(), limit) }))
    .filter(({ score }) => score <= limit)
    .sort((a, b) => a.score - b.score || a.candidate.localeCompare(b.candidate))
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** "Did you mean 'a' or 'b'?"; `otherwise` where nothing is near. */
export function didYouMean(near: readonly string[], otherwise = ""): string {
  if (near.length === 0) return otherwise;
  return `Did you mean ${near.map((name) => `'${name}'`).join(" or ")}?`;
}

/** The same behind another sentence; nothing where nothing is near. */
export function suggestionOf(near: readonly string[]): string {
  if (near.length === 0) return "";
  return ` ${didYouMean(near)}`;
}

function score(folded: string, candidate: string, limit: number): number {
  const lastWord = candidate.split(/\.|__/).at(-1) ?? candidate;
  const contained = folded.length >= 4 && candidate.includes(folded) ? 1 : limit + 1;
  return Math.min(distance(folded, candidate, limit), distance(folded, lastWord, limit), contained);
}

/** Letters of other alphabets that look like ours. */
const foreign = "аеорсухіјѕԁһмαορυνιεκոսɡıſ";
const latin = "aeopcyxijsdhmaopuvieknugis";
const alike = new Map([...foreign].map((letter, index) => [letter, latin[index]]));

/** Without case, width, accents and invisible letters. */
export function foldName(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/[\p{M}\p{Cf}\s]/gu, "");
  return [...plain.toLowerCase()].map((letter) => alike.get(letter) ?? letter).join("");
}
