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

type BarProps = { text: string; name: string; shown: RefObject<HTMLElement | null> };

/** Size, find and save for a large text. `shown` holds it as `LongText` does. */
export function LargeTextBar({ text, name, shown }: BarProps) {
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const asked = useDeferredValue(words);
  const bytes = useBytes(text);
  const found = useMemo(() => placesOf(text, asked), [text, asked]);
  const place = found[Math.min(at, found.length - 1)];
  useEffect(() => {
    if (place !== undefined && shown.current !== null) show(shown.current, place, asked.length);
    return () => void CSS.highlights?.delete(highlight);
  }, [place, asked, shown]);
  const step = (by: number) => found.length > 0 && setAt((at + by + found.length) % found.length);
  return (
    <div className="flex flex-wrap items-center gap-1 border-b border-line px-2 py-1 pr-11 text-xs text-muted">
      <span className="mr-auto px-1">{bytes === null ? "…" : renderBytes(bytes)}</span>
      <TextInput
        type="search"
        aria-label={`Find in ${name}`}
        placeholder="Find"
        className="h-7! w-36!"
        value={words}
        onChange={({ target }) => {
          setWords(target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
        }}
      />
      {asked !== "" && (
        <span role="status" className="tabular-nums">
          {found.length === 0 ? "not found" : `${at + 1} of ${renderCount(found.length)}`}
          {found.length === maxFound && "+"}
        </span>
      )}
      <IconButton
        label="Previous match"
        icon={ArrowUp}
        disabled={found.length === 0}
        onClick={() => step(-1)}
      />
      <IconButton
        label="Next match"
        icon={ArrowDown}
        disabled={found.length === 0}
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

function placesOf(text: string, words: string): number[] {
  if (words === "") return [];
  const places: number[] = [];
  const all = text.toLowerCase();
  const wanted = words.toLowerCase();
  // Lower case may be longer, and then places would be others.
  const source = all.length === text.length ? all : text;
  for (
    let at = source.indexOf(wanted);
    at >= 0 && places.length < maxFound;
    at = source.indexOf(wanted, at + 1)
  )
    places.push(at);
  return places;
}

/** Scrolls to the place and marks it; the text itself stays as it is. */
function show(root: HTMLElement, place: number, length: number): void {
  const pieces = [...root.querySelectorAll<HTMLElement>("[data-from]")];
  const piece = pieces.findLast(({ dataset }) => Number(dataset.from) <= place) ?? root;
  piece.scrollIntoView({ block: "nearest" });
  const range = rangeIn(piece, place - Number(piece.dataset.from ?? 0), length);
  if (range === null) return;
  CSS.highlights?.set(highlight, new Highlight(range));
  const top = range.getBoundingClientRect().top - root.getBoundingClientRect().top;
  root.scrollTop += top - root.clientHeight / 2;
}

function rangeIn(element: HTMLElement, from: number, length: number): Range | null {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), left = from; node !== null; node = walker.nextNode()) {
    const size = node.textContent?.length ?? 0;
    if (left < size) {
      const range = document.createRange();
      range.setStart(node, left);
      range.setEnd(node, Math.min(size, left + length));
      return range;
    }
    left -= size;
  }
  return null;
}
