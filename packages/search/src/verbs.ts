import { eachWord } from "./words.ts";

/** What tools do, as far as a name tells. Words of one line may stand for one another; two lines exclude each other. */
const verbKinds = `
  create add new insert make register
  delete remove erase destroy drop purge
  update edit modify change patch rename replace
  get fetch retrieve read show view describe list enumerate browse search find query lookup locate discover check
  write save store append
  send deliver publish reply
  run execute start launch invoke
  stop kill terminate cancel abort pause
  upload import
  download export
`;

const kindOf = new Map(
  verbKinds
    .trim()
    .split("\n")
    .flatMap((line, kind) =>
      line
        .trim()
        .split(" ")
        .map((word) => [word, 1 << kind] as const),
    ),
);

/** The kinds of a text's verbs, as bits. */
export function verbsIn(text: string): number {
  let kindBits = 0;
  eachWord(text, (word) => {
    kindBits |= kindOf.get(word) ?? 0;
  });
  return kindBits;
}
