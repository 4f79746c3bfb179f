import { memo, type ReactNode, useEffect, useMemo, useState } from "react";
import { VisibleText } from "./visible-text.tsx";

/** Characters that the browser lays out at once. */
const pieceLength = 10_000;
/** Pieces that are put into the page at once; the others follow in turns with it. */
const piecesAtOnce = 10;
const lineHeight = 20;
/** Estimated, for pieces that were not laid out yet. */
const lineLength = 100;

type Render = (piece: string) => ReactNode;
type LongTextProps = { text: string; render?: Render };

/**
 * Verbatim text of any length, whole. Long ones are laid out in pieces as they come into view, so that megabytes do
 * not stop the page; the browser's own search finds all of it.
 */
export function LongText({ text, render = showHidden }: LongTextProps) {
  if (text.length <= pieceLength) return render(text);
  return <Pieces key={text.length} text={text} render={render} />;
}

function Pieces({ text, render }: { text: string; render: Render }) {
  // Cut as they are shown: to cut all of it at once would be a pause of its own.
  const cutting = useMemo(() => ({ next: piecesOf(text), pieces: [] as TextPiece[] }), [text]);
  const [count, setCount] = useState(piecesAtOnce);
  while (cutting.pieces.length < count) {
    const { done, value } = cutting.next.next();
    if (done) break;
    cutting.pieces.push(value);
  }
  const isComplete = cutting.pieces.length < count;
  useEffect(() => {
    if (isComplete) return;
    const timer = setTimeout(() => setCount(count + piecesAtOnce));
    return () => clearTimeout(timer);
  }, [count, isComplete]);
  return cutting.pieces.map(({ from, piece }) => (
    <Piece key={from} from={from} text={piece} render={render} />
  ));
}

const Piece = memo(({ from, text, render }: { from: number; text: string; render: Render }) => (
  <span
    data-from={from}
    className="block [content-visibility:auto]"
    style={{ containIntrinsicBlockSize: `auto ${heightOf(text)}px` }}
  >
    {render(text)}
  </span>
));

const showHidden = (piece: string) => <VisibleText text={piece} />;

function heightOf(piece: string): number {
  let lines = 0;
  for (
    let newlineIndex = piece.indexOf("\n");
    newlineIndex >= 0;
    newlineIndex = piece.indexOf("\n", newlineIndex + 1)
  )
    lines += 1;
  return Math.max(lines, Math.ceil(piece.length / lineLength)) * lineHeight;
}

type TextPiece = { from: number; piece: string };

/** Cut behind a line where there is one. */
export function* piecesOf(text: string, length = pieceLength): Generator<TextPiece, void> {
  for (let from = 0; from < text.length; ) {
    const end = from + length;
    const slice = text.slice(from, end);
    // Within the piece: a search through the whole text would be made again for each piece of a text without lines.
    const lineEnd = end >= text.length ? slice.length : slice.lastIndexOf("\n") + 1;
    const to = lineEnd > 0 ? from + lineEnd : endOfCharacter(text, end);
    yield { from, piece: text.slice(from, to) };
    from = to;
  }
}

/** Never between the halves of a character. */
function endOfCharacter(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index + 1 : index;
}
