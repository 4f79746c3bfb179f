/** The words that structure what a model says, however it spells them. */
export type Label = "thought" | "action" | "args" | "answer" | "observation";

/** Longer ones first: `Action Input` is not an `Action`. */
const labelWords: readonly (readonly [word: string, label: Label])[] = [
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
  const markStart = isNumbered ? skipNumber(line, itemAt) : itemAt;
  const wordAt = takeWhile(line, markStart, "*_", 3);
  const labelWord = readWord(line.slice(wordAt, wordAt + 16).toLowerCase(), isWhole);
  if (labelWord === "open" || labelWord === null) return labelWord;
  const numberAt = takeWhile(line, wordAt + labelWord.length, " \t", 2);
  const markAt = takeWhile(line, numberAt, "0123456789", 3);
  const spaceAt = takeWhile(line, markAt, "*_", 3);
  const colonAt = takeWhile(line, spaceAt, " \t", 4);
  if (colonAt === line.length && !isWhole) return "open";
  // A report may have a heading of that name.
  if (colonAt === line.length && textAt > hashAt && labelWord.label !== "observation")
    return { label: labelWord.label, length: line.length, mark: "" };
  if (line[colonAt] !== ":" && line[colonAt] !== "：") return null;
  const mark = spaceAt > markAt ? "" : line.slice(markStart, wordAt);
  return closeMark(line, colonAt + 1, mark, labelWord.label, isWhole);
}

/** `1. Thought:`, `2) Action:`. */
function skipNumber(line: string, from: number): number {
  const numberEnd = takeWhile(line, from, "0123456789", 3);
  if (numberEnd === from || numberEnd === line.length) return numberEnd;
  if (".)".includes(line.charAt(numberEnd))) return takeWhile(line, numberEnd + 1, " \t", 2);
  return from;
}

/** `**Action:** x`: the mark that was opened before the word may be closed behind the colon. */
function closeMark(
  line: string,
  position: number,
  mark: string,
  label: Label,
  isWhole: boolean,
): FoundLabel | "open" {
  const following = line.slice(position, position + mark.length);
  if (following === mark) return { label, length: position + mark.length, mark: "" };
  if (mark.startsWith(following) && !isWhole) return "open";
  return { label, length: position, mark };
}

function readWord(
  text: string,
  isWhole: boolean,
): { label: Label; length: number } | "open" | null {
  for (const [spelling, label] of labelWords) {
    if (text.startsWith(spelling)) return { label, length: spelling.length };
    if (!isWhole && spelling.startsWith(text)) return "open";
  }
  return null;
}

function takeWhile(text: string, from: number, characters: string, maxLength: number): number {
  let end = from;
  while (end < text.length && end - from < maxLength && characters.includes(text.charAt(end)))
    end++;
  return end;
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
export function createReactLexer(hear: (token: ReactToken) => void) {
  let waiting = "";
  let isBeginning = true;
  /** Does the reply begin with the first of numbered labels? Unknown until it has begun. */
  let isNumbered: boolean | null = null;

  function read(isEnd: boolean): void {
    let position = 0;
    while (position < waiting.length) {
      const token = isBeginning
        ? readBeginning(waiting, position, isEnd, isNumbered !== false)
        : readLineText(waiting, position);
      if (token === "open") break;
      position += token.text.length;
      isBeginning = token.text.endsWith("\n");
      if (token.text.trim() !== "" && token.kind !== "fence")
        isNumbered ??= token.kind === "label" && /^\W*\d/.test(token.text);
      if (token.text !== "") hear(token);
    }
    waiting = waiting.slice(position);
  }

  return {
    push(text: string): void {
      waiting += text;
      read(false);
    },
    end: () => read(true),
  };
}

function readLineText(text: string, from: number): ReactToken {
  const newline = text.indexOf("\n", from);
  return { kind: "text", text: newline < 0 ? text.slice(from) : text.slice(from, newline + 1) };
}

function readBeginning(
  text: string,
  from: number,
  isEnd: boolean,
  isNumbered: boolean,
): ReactToken | "open" {
  const start = text.slice(from, from + maxLabel);
  const newline = start.indexOf("\n");
  const line = newline < 0 ? start : start.slice(0, newline);
  const isWhole = newline >= 0 || (isEnd && start.length < maxLabel);
  const foundLabel = readLabel(line, isWhole, isNumbered);
  if (foundLabel !== "open" && foundLabel !== null)
    return {
      kind: "label",
      label: foundLabel.label,
      text: line.slice(0, foundLabel.length),
      mark: foundLabel.mark,
    };
  if (isWhole && fence.test(line)) return { kind: "fence", text: newline < 0 ? line : `${line}\n` };
  const isOpen = foundLabel === "open" || fenceBeginning.test(line);
  if (isOpen && !isWhole && start.length < maxLabel) return "open";
  return readLineText(text, from);
}
