/** The words that structure what a model says, however it spells them. */
export type Label = "thought" | "action" | "args" | "answer" | "observation";

/** Longer ones first: `Action Input` is not an `Action`. */
const words: readonly (readonly [word: string, label: Label])[] = [
  ["final answer", "answer"],
  ["final_answer", "answer"],
  ["action input", "args"],
  ["action_input", "args"],
  ["observation", "observation"],
  ["arguments", "args"],
  ["thought", "thought"],
  ["action", "action"],
  ["args", "args"],
];

/** No label is longer, with everything that may stand around its word. */
export const maxLabel = 64;

/** `mark` is what was opened before the word and is not closed yet: `**Final Answer: 42**`. */
export type FoundLabel = { label: Label; length: number; mark: string };

/**
 * The label that a line begins with. `open` while more of the line could still make it one, or make it longer: what
 * is decided once stays so whatever comes after, and that is why pieces and the whole are read alike. In a reply whose
 * lines are numbered a number may stand before it; elsewhere such a line is an item of a list.
 */
export function readLabel(line: string, isWhole: boolean, isNumbered = false): FoundLabel | "open" | null {
  const hashAt = takeWhile(line, 0, " \t", 8);
  const textAt = takeWhile(line, hashAt, "#", 6);
  const itemAt = takeWhile(line, textAt, " \t", 4);
  const before = isNumbered ? skipNumber(line, itemAt) : itemAt;
  const wordAt = takeWhile(line, before, "*_", 3);
  const found = readWord(line.slice(wordAt, wordAt + 16).toLowerCase(), isWhole);
  if (found === "open" || found === null) return found;
  const numberAt = takeWhile(line, wordAt + found.length, " \t", 2);
  const markAt = takeWhile(line, numberAt, "0123456789", 3);
  const spaceAt = takeWhile(line, markAt, "*_", 3);
  const colonAt = takeWhile(line, spaceAt, " \t", 4);
  if (colonAt === line.length && !isWhole) return "open";
  // A report may have a heading of that name.
  if (colonAt === line.length && textAt > hashAt && found.label !== "observation")
    return { label: found.label, length: line.length, mark: "" };
  if (line[colonAt] !== ":" && line[colonAt] !== "：") return null;
  const mark = spaceAt > markAt ? "" : line.slice(before, wordAt);
  return closeMark(line, colonAt + 1, mark, found.label, isWhole);
}

/** `1. Thought:`, `2) Action:`. */
function skipNumber(line: string, from: number): number {
  const at = takeWhile(line, from, "0123456789", 3);
  if (at === from || at === line.length) return at;
  return ".)".includes(line.charAt(at)) ? takeWhile(line, at + 1, " \t", 2) : from;
}

/** `**Action:** x`: the mark that was opened before the word may be closed behind the colon. */
function closeMark(line: string, at: number, mark: string, label: Label, isWhole: boolean): FoundLabel | "open" {
  const rest = line.slice(at, at + mark.length);
  if (rest === mark) return { label, length: at + mark.length, mark: "" };
  return mark.startsWith(rest) && !isWhole ? "open" : { label, length: at, mark };
}

function readWord(text: string, isWhole: boolean): { label: Label; length: number } | "open" | null {
  for (const [word, label] of words) {
    if (text.startsWith(word)) return { label, length: word.length };
    if (!isWhole && word.startsWith(text)) return "open";
  }
  return null;
}

function takeWhile(text: string, from: number, characters: string, most: number): number {
  let at = from;
  while (at < text.length && at - from < most && characters.includes(text.charAt(at))) at++;
  return at;
}
