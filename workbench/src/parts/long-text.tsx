import type { ReactNode } from "react";
import { VisibleText } from "./visible-text.tsx";

/** Characters that the browser lays out at once. */
const pieceLength = 20_000;
const lineHeight = 20;
/** Estimated, for pieces that were not laid out yet. */
const lineLength = 100;

type LongTextProps = { text: string; render?: (piece: string) => ReactNode };

/**
 * Verbatim text of any length, whole. Long ones are laid out in pieces as they come into view, so that megabytes do
 * not stop the page; the browser's own search finds all of it.
 */
export function LongText({ text, render = showHidden }: LongTextProps) {
  if (text.length <= pieceLength) return render(text);
  return piecesOf(text).map(({ from, piece }) => (
    <span
      key={from}
      data-from={from}
      className="block [content-visibility:auto]"
      style={{ containIntrinsicBlockSize: `auto ${heightOf(piece)}px` }}
    >
      {render(piece)}
    </span>
  ));
}

const showHidden = (piece: string) => <VisibleText text={piece} />;

function heightOf(piece: string): number {
  let lines = 0;
  for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", at + 1)) lines += 1;
  return Math.max(lines, Math.ceil(piece.length / lineLength)) * lineHeight;
}

/** Cut behind a line where there is one. */
function piecesOf(text: string): { from: number; piece: string }[] {
  const pieces: { from: number; piece: string }[] = [];
  for (let from = 0; from < text.length; ) {
    const end = from + pieceLength;
    const line = end >= text.length ? text.length : text.lastIndexOf("\n", end) + 1;
    const to = line > from ? line : wholeCharacter(text, end);
    pieces.push({ from, piece: text.slice(from, to) });
    from = to;
  }
  return pieces;
}

/** Never between the halves of a character. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
