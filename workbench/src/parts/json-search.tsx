import { useEffect, useState } from "react";
import { IconButton } from "./button.tsx";
import { CopyButton } from "./code-view.tsx";
import { TextInput } from "./field.tsx";
import { ArrowDown, ArrowUp, Download } from "./icons.ts";
import { above, findIn } from "./json-rows.ts";
import { saveFile } from "./save-file.ts";
import { renderCount } from "./time.tsx";

const maxFound = 1_000;

type SearchProps = {
  value: unknown;
  label: string;
  /** The place that is looked at, with what has to be open to see it. */
  onFound: (path: string | null, around: readonly string[]) => void;
};

type Found = { words: string; paths: readonly string[] };
const nothing: Found = { words: "", paths: [] };

/** Finds names and texts in a tree, and takes it away whole. */
export function JsonSearch({ value, label, onFound }: SearchProps) {
  const [words, setWords] = useState("");
  const [{ words: asked, paths }, setFound] = useState<Found>(nothing);
  const [at, setAt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onFound` is another function with each render
  useEffect(() => {
    let isOver = false;
    setAt(0);
    if (words === "") {
      setFound(nothing);
      onFound(null, []);
      return;
    }
    void findIn(value, words, maxFound, () => isOver).then((found) => {
      if (isOver) return;
      setFound({ words, paths: found });
      const [first] = found;
      onFound(first ?? null, first === undefined ? [] : above(first));
    });
    return () => {
      isOver = true;
    };
  }, [value, words]);
  const step = (by: number) => {
    if (paths.length === 0) return;
    const next = (at + by + paths.length) % paths.length;
    setAt(next);
    onFound(paths[next] ?? null, above(paths[next] ?? ""));
  };
  const text = () => JSON.stringify(value, null, 2);
  return (
    <div className="flex flex-wrap items-center gap-1 border-b border-line px-2 py-1 text-xs text-muted">
      <TextInput
        type="search"
        aria-label={`Find in ${label}`}
        placeholder="Find a name or a value"
        className="h-7! w-48!"
        value={words}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
        }}
      />
      <span role="status" className="mr-auto px-1 tabular-nums">
        {words === ""
          ? ""
          : words !== asked
            ? "Searching …"
            : paths.length === 0
              ? "not found"
              : `${at + 1} of ${renderCount(paths.length)}${paths.length === maxFound ? "+" : ""}`}
      </span>
      <IconButton
        label="Previous match"
        icon={ArrowUp}
        disabled={paths.length === 0}
        onClick={() => step(-1)}
      />
      <IconButton
        label="Next match"
        icon={ArrowDown}
        disabled={paths.length === 0}
        onClick={() => step(1)}
      />
      <CopyButton label={`Copy ${label}`} text={text} />
      <IconButton
        label={`Save ${label}`}
        icon={Download}
        onClick={() => saveFile(text(), `${label}.json`)}
      />
    </div>
  );
}
