import { type RefObject, useDeferredValue, useEffect, useMemo, useState } from "react";
import { IconButton } from "./button.tsx";
import { TextInput } from "./field.tsx";
import { ArrowDown, ArrowUp, Download } from "./icons.ts";
import { piecesOf } from "./long-text.tsx";
import { saveFile } from "./save-file.ts";
import { renderBytes, renderCount } from "./time.tsx";

/** Texts from here on get their size, a search and a way to save them. */
export const largeText = 20_000;
const maxFound = 1_000;
const countedAtOnce = 500_000;
const highlight = "found";

type BarProps = { text: string; name: string; container: RefObject<HTMLElement | null> };

/** Size, find and save for a large text. `container` holds it as `LongText` does. */
export function LargeTextBar({ text, name, container }: BarProps) {
  const [query, setQuery] = useState("");
  const [positionIndex, setPositionIndex] = useState(0);
  const deferredQuery = useDeferredValue(query);
  const bytes = useBytes(text);
  const positions = useMemo(() => findPositions(text, deferredQuery), [text, deferredQuery]);
  const position = positions[Math.min(positionIndex, positions.length - 1)];
  useEffect(() => {
    if (position !== undefined && container.current !== null)
      scrollToPosition(container.current, position, deferredQuery.length);
    return () => void CSS.highlights?.delete(highlight);
  }, [position, deferredQuery, container]);
  const step = (offset: number) =>
    positions.length > 0 &&
    setPositionIndex((positionIndex + offset + positions.length) % positions.length);
  return (
    <div className="flex flex-wrap items-center gap-1 border-b border-line px-2 py-1 pr-11 text-xs text-muted">
      <span className="mr-auto px-1">{bytes === null ? "…" : renderBytes(bytes)}</span>
      <TextInput
        type="search"
        aria-label={`Find in ${name}`}
        placeholder="Find"
        className="h-7! w-36!"
        value={query}
        onChange={({ target }) => {
          setQuery(target.value);
          setPositionIndex(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
        }}
      />
      {deferredQuery !== "" && (
        <span role="status" className="tabular-nums">
          {positions.length === 0
            ? "not found"
            : `${positionIndex + 1} of ${renderCount(positions.length)}`}
          {positions.length === maxFound && "+"}
        </span>
      )}
      <IconButton
        label="Previous match"
        icon={ArrowUp}
        disabled={positions.length === 0}
        onClick={() => step(-1)}
      />
      <IconButton
        label="Next match"
        icon={ArrowDown}
        disabled={positions.length === 0}
        onClick={() => step(1)}
      />
      <IconButton
        label={`Save ${name}`}
        icon={Download}
        onClick={() => saveFile(text, `${name}.txt`)}
      />
    </div>
  );
}

/** Counted in turns with the page; null until then. */
function useBytes(text: string): number | null {
  const [bytes, setBytes] = useState<number | null>(null);
  useEffect(() => {
    let isGone = false;
    const count = async () => {
      let sum = 0;
      for (const { piece } of piecesOf(text, countedAtOnce)) {
        sum += new Blob([piece]).size;
        await new Promise((resolve) => setTimeout(resolve));
        if (isGone) return;
      }
      setBytes(sum);
    };
    void count();
    return () => {
      isGone = true;
    };
  }, [text]);
  return bytes;
}

function findPositions(text: string, query: string): number[] {
  if (query === "") return [];
  const positions: number[] = [];
  const lowerCaseText = text.toLowerCase();
  const lowerCaseQuery = query.toLowerCase();
  // Lower case may be longer, and then places would be others.
  const source = lowerCaseText.length === text.length ? lowerCaseText : text;
  for (
    let index = source.indexOf(lowerCaseQuery);
    index >= 0 && positions.length < maxFound;
    index = source.indexOf(lowerCaseQuery, index + 1)
  )
    positions.push(index);
  return positions;
}

/** Scrolls to the place and marks it; the text itself stays as it is. */
function scrollToPosition(root: HTMLElement, position: number, length: number): void {
  const pieces = [...root.querySelectorAll<HTMLElement>("[data-from]")];
  const piece = pieces.findLast(({ dataset }) => Number(dataset.from) <= position) ?? root;
  piece.scrollIntoView({ block: "nearest" });
  const range = rangeIn(piece, position - Number(piece.dataset.from ?? 0), length);
  if (range === null) return;
  CSS.highlights?.set(highlight, new Highlight(range));
  const top = range.getBoundingClientRect().top - root.getBoundingClientRect().top;
  root.scrollTop += top - root.clientHeight / 2;
}

function rangeIn(element: HTMLElement, from: number, length: number): Range | null {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), offset = from; node !== null; node = walker.nextNode()) {
    const size = node.textContent?.length ?? 0;
    if (offset < size) {
      const range = document.createRange();
      range.setStart(node, offset);
      range.setEnd(node, Math.min(size, offset + length));
      return range;
    }
    offset -= size;
  }
  return null;
}
