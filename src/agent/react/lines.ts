import { type Label, maxLabel, readLabel } from "./labels.ts";

/** `text` is what it was made of, to be taken as it is where a label or a fence has no meaning. */
export type Spoken =
  | { kind: "label"; label: Label; text: string; mark: string }
  | { kind: "fence"; text: string }
  | { kind: "text"; text: string };

const fence = /^[ \t]*`{3,}[\w+-]*[ \t]*$/;
const fenceBeginning = /^[ \t]*(?:`{0,2}|`{3,}[\w+-]*[ \t]*)$/;

export type Lines = { push(text: string): void; end(): void };

/**
 * Cuts what comes in pieces into labels, fences and text. A line is held back until its beginning is known, 64
 * characters at most; a piece of text never reaches beyond its line.
 */
export function createLines(hear: (spoken: Spoken) => void): Lines {
  let waiting = "";
  let isBeginning = true;
  /** Does the reply begin with the first of numbered labels? Unknown until it has begun. */
  let isNumbered: boolean | null = null;

  function read(isEnd: boolean): void {
    let at = 0;
    while (at < waiting.length) {
      const spoken = isBeginning ? readBeginning(waiting, at, isEnd, isNumbered !== false) : readRest(waiting, at);
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
    push(text) {
      waiting += text;
      read(false);
    },
    end: () => read(true),
  };
}

function readRest(text: string, at: number): Spoken {
  const newline = text.indexOf("\n", at);
  return { kind: "text", text: newline < 0 ? text.slice(at) : text.slice(at, newline + 1) };
}

function readBeginning(text: string, at: number, isEnd: boolean, isNumbered: boolean): Spoken | "open" {
  const start = text.slice(at, at + maxLabel);
  const newline = start.indexOf("\n");
  const line = newline < 0 ? start : start.slice(0, newline);
  const isWhole = newline >= 0 || (isEnd && start.length < maxLabel);
  const found = readLabel(line, isWhole, isNumbered);
  if (found !== "open" && found !== null)
    return { kind: "label", label: found.label, text: line.slice(0, found.length), mark: found.mark };
  if (isWhole && fence.test(line)) return { kind: "fence", text: newline < 0 ? line : `${line}\n` };
  const isOpen = found === "open" || fenceBeginning.test(line);
  if (isOpen && !isWhole && start.length < maxLabel) return "open";
  return readRest(text, at);
}
