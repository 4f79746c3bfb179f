import { stemOf } from "./stem.ts";
import { exactTerm } from "./term-reader.ts";
import { eachWord, isEmptyInQueries, joinWords } from "./words.ts";

/** A search term and its weight. `isQueryWord`: a word of the query itself; `isForm`: the exact spelling of one. */
export type Term = {
  key: string;
  word: string;
  weight: number;
  from: TermSource;
  isQueryWord: boolean;
  isForm: boolean;
};
export type TermSource = "words" | "synonyms" | "prefix";

const exactWeight = 0.5;
const synonymWeight = 0.3;

/** From stem to stems. */
export type Synonyms = ReadonlyMap<string, readonly string[]>;

const prefixWeight = 0.5;
/** In a short query the last word may still be being typed. */
const maxTyped = 4;
/** What follows says no more of what is looked for. */
const maxQueryLength = 20_000;

/** `wordsFrom`: words in the names of tools that begin so. */
export function termsOf(
  query: string,
  synonyms: Synonyms = defaultSynonyms,
  wordsFrom: (start: string) => readonly string[] = () => [],
): Term[] {
  const words = wordsIn(query.slice(0, maxQueryLength));
  const terms = new Map<string, Term>();
  for (const word of words) {
    const stem = { key: stemOf(word), word, weight: 1 };
    terms.set(stem.key, { ...stem, from: "words", isQueryWord: true, isForm: false });
    const exact = { key: exactTerm(word), word, weight: exactWeight };
    terms.set(exact.key, { ...exact, from: "words", isQueryWord: false, isForm: true });
  }
  for (const word of words) {
    for (const key of synonyms.get(stemOf(word)) ?? []) {
      if (!terms.has(key))
        terms.set(key, {
          key,
          word,
          weight: synonymWeight,
          from: "synonyms",
          isQueryWord: false,
          isForm: false,
        });
    }
  }
  const lastWord = [...words].at(-1);
  if (lastWord === undefined || words.size > maxTyped) return [...terms.values()];
  for (const completion of wordsFrom(lastWord)) {
    const key = exactTerm(completion);
    if (!terms.has(key))
      terms.set(key, {
        key,
        word: lastWord,
        weight: prefixWeight,
        from: "prefix",
        isQueryWord: false,
        isForm: false,
      });
  }
  return [...terms.values()];
}

/** Without meaningless words, unless there are no others. */
function wordsIn(text: string): Set<string> {
  const words = new Set<string>();
  eachWord(text, (word) => words.add(word));
  const meaningful = new Set([...words].filter((word) => !isEmptyInQueries(word)));
  if (meaningful.size > 0) return meaningful;
  if (words.size > 0) return words;
  // A query of stop words alone may still be a name.
  const joined = joinWords(text);
  return new Set(joined === "" ? [] : [joined]);
}

/** Everyday words that users and authors of tools use for one another; a word may stand in several groups. */
const groups = `
  create add new generate build insert
  delete remove erase destroy drop clear
  get fetch retrieve read obtain load download
  list enumerate browse index
  search find query lookup locate discover
  update edit modify change set patch
  send deliver post submit publish
  run execute launch invoke start
  stop kill terminate cancel abort end
  convert transform translate export
  compare diff difference contrast
  merge combine join concatenate
  save write store persist remember
  remember memory memorize knowledge note
  move rename relocate
  copy duplicate clone
  schedule book reserve plan
  calculate compute evaluate math arithmetic
  summarize summary abstract digest
  analyze analysis inspect examine review
  check validate verify test
  upload attach import
  file document
  folder directory
  picture image photo photograph
  screenshot capture snapshot
  website webpage page site web url link
  browser navigate chrome
  stock share equity ticker
  price cost quote rate fee
  weather forecast temperature climate
  chart plot graph visualization diagram
  presentation slide powerpoint deck
  spreadsheet excel sheet workbook
  table row column record
  database sql db
  repository repo git
  issue bug ticket
  email mail inbox
  message chat dm
  calendar event meeting appointment
  user account member profile person
  task todo reminder
  map location place address geocode
  route direction navigation path
  distance mile kilometer
  news headline article
  paper publication research study
  book novel literature
  video movie film clip
  music audio song sound
  train rail railway
  flight plane airline airport
  hotel accommodation lodging
  recipe dish meal food cooking
  shell command terminal bash
  time date clock timezone
  crypto cryptocurrency bitcoin coin
  trend trending popular hot ranking
  comment reply response
  log history
  shop product buy purchase
  money currency exchange
  translate translation language
  package library dependency module
  job vacancy career employment
  doctor medical health disease
  company business firm organization
  fix solve repair debug
  notify alert notification
  picture draw paint art
`;

const defaultSynonyms: Synonyms = readGroups(groups);

/** A configured table over the default one: it replaces the synonyms of a word; an empty list removes them. */
export function withOwnSynonyms(configured: Readonly<Record<string, readonly string[]>>): Synonyms {
  const entries = Object.entries(configured).map(
    ([word, synonyms]) => [stemIn(word), synonyms.map(stemIn)] as const,
  );
  if (entries.length === 0) return defaultSynonyms;
  return new Map([...defaultSynonyms, ...entries]);
}

function stemIn(word: string): string {
  return stemOf(word.trim().toLowerCase());
}

function readGroups(text: string): Map<string, readonly string[]> {
  const synonymsByStem = new Map<string, Set<string>>();
  for (const line of text.trim().split("\n")) {
    const stems = [...new Set(line.trim().split(" ").map(stemOf))];
    for (const stem of stems) {
      const synonyms = synonymsByStem.get(stem) ?? new Set();
      for (const synonym of stems) if (synonym !== stem) synonyms.add(synonym);
      synonymsByStem.set(stem, synonyms);
    }
  }
  return new Map([...synonymsByStem].map(([stem, synonyms]) => [stem, [...synonyms]]));
}
