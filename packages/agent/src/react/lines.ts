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
type FoundLabel = { label: Label; length: number; mark: string };

/**
 * The label that a line begins with. `open` while more of the line could still make it one, or make it longer: what
 * is decided once stays so whatever comes after, and that is why pieces and the whole are read alike. In a reply whose
 * lines are numbered a number may stand before it; elsewhere such a line is an item of a list.
 */
export function readLabel(
  line: string,
  isWhole: boolean,
  isNumbered = false,
): FoundLabel | "open" | null {
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
function closeMark(
  line: string,
  at: number,
  mark: string,
  label: Label,
  isWhole: boolean,
): FoundLabel | "open" {
  const rest = line.slice(at, at + mark.length);
  if (rest === mark) return { label, length: at + mark.length, mark: "" };
  return mark.startsWith(rest) && !isWhole ? "open" : { label, length: at, mark };
}

function readWord(
  text: string,
  isWhole: boolean,
): { label: Label; length: number } | "open" | null {
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

/** `text` is what it was made of, to be taken as it is where a label or a fence has no meaning. */
export type ReactToken =
  | { kind: "label"; label: Label; text: string; mark: string }
  | { kind: "fence"; text: string }
  | { kind: "text"; text: string };

const fence = /^[ \t]*`{3,}[\w+-]*[ \t]*$/;
const fenceBeginning = /^[ \t]*(?:`{0,2}|`{3,}[\w+-]*[ \t]*)$/;

/**
 * Cuts what comes in pieces into labels, fences and text. A line is buffered until its beginning is known, 64
 * characters at most; a piece of text never reaches beyond its line.
 */
export function createReactLexer(hear: (spoken: ReactToken) => void) {
  let waiting = "";
  let isBeginning = true;
  /** Does the reply begin with the first of numbered labels? Unknown until it has begun. */
  let isNumbered: boolean | null = null;

  function read(isEnd: boolean): void {
    let at = 0;
    while (at < waiting.length) {
      const spoken = isBeginning
        ? readBeginning(waiting, at, isEnd, isNumbered !== false)
        : readRest(waiting, at);
      if (spoken === "open") break;
      at += spoken.text.length;
      isBeginning = spoken.text.endsWith("\n");
      if (spoken.text.trim() !== "" && spoken.kind !== "fence")
        isNumbered ??= spoken.kind === "label" && /^\W*\d/.test(spoken.text);
      if (spoken.text !== "") hear(spoken);
    }
    waiting = waiting.slice(at);
  }

  return {
    push(text: string): void {
      waiting += text;
      read(false);
    },
    end: () => read(true),
  };
}

function readRest(text: string, at: number): ReactToken {
  const newline = text.indexOf("\n", at);
  return { kind: "text", text: newline < 0 ? text.slice(at) : text.slice(at, newline + 1) };
}

function readBeginning(
  text: string,
  at: number,
  isEnd: boolean,
  isNumbered: boolean,
): ReactToken | "open" {
  const start = text.slice(at, at + maxLabel);
  const newline = start.indexOf("\n");
  const line = newline < 0 ? start : start.slice(0, newline);
  const isWhole = newline >= 0 || (isEnd && start.length < maxLabel);
  const found = readLabel(line, isWhole, isNumbered);
  if (found !== "open" && found !== null)
    return {
      kind: "label",
      label: found.label,
      text: line.slice(0, found.length),
      mark: found.mark,
    };
  if (isWhole && fence.test(line)) return { kind: "fence", text: newline < 0 ? line : `${line}\n` };
  const isOpen = found === "open" || fenceBeginning.test(line);
  if (isOpen && !isWhole && start.length < maxLabel) return "open";
  return readRest(text, at);
}
