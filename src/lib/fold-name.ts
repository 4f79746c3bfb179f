/** Letters of other alphabets that look like ours. */
const alike: Readonly<Record<string, string>> = {
  ...{
    а: "a",
    е: "e",
    о: "o",
    р: "p",
    с: "c",
    у: "y",
    х: "x",
    і: "i",
    ј: "j",
    ѕ: "s",
    ԁ: "d",
    һ: "h",
    м: "m",
  },
  ...{
    α: "a",
    ο: "o",
    ρ: "p",
    υ: "u",
    ν: "v",
    ι: "i",
    ε: "e",
    κ: "k",
    ո: "n",
    ս: "u",
    ɡ: "g",
    ı: "i",
    ſ: "s",
  },
};

/** A name without what readers, and some programs, do not tell apart: case, width, accents, invisible letters. */
export function foldName(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/[\p{M}\p{Cf}\s]/gu, "");
  return [...plain.toLowerCase()].map((letter) => alike[letter] ?? letter).join("");
}
