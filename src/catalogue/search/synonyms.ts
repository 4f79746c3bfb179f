import { stemOf } from "./stem.ts";

/**
 * Words that tool authors and those who look for tools use for one another. A small table of everyday words, not of
 * any catalogue's; a word may stand in several groups.
 */
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

/** Stems to the stems that mean nearly the same. */
export const usualSynonyms: ReadonlyMap<string, readonly string[]> = readGroups(groups);

/** Somebody's own table over ours: what it has of a word is all there is of it, an empty list is nothing. */
export function withOwnSynonyms(
  own: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, readonly string[]> {
  const entries = Object.entries(own).map(([word, others]) => [stemIn(word), others.map(stemIn)] as const);
  return entries.length === 0 ? usualSynonyms : new Map([...usualSynonyms, ...entries]);
}

function stemIn(word: string): string {
  return stemOf(word.trim().toLowerCase());
}

function readGroups(text: string): Map<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const line of text.trim().split("\n")) {
    const stems = [...new Set(line.trim().split(" ").map(stemOf))];
    for (const stem of stems) {
      const others = found.get(stem) ?? new Set();
      for (const one of stems) if (one !== stem) others.add(one);
      found.set(stem, others);
    }
  }
  return new Map([...found].map(([stem, others]) => [stem, [...others]]));
}
