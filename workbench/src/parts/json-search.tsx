import { useEffect, useState } from "react";
import { IconButton } from "./button.tsx";
import { CopyButton } from "./code-view.tsx";
import { TextInput } from "./field.tsx";
import { ArrowDown, ArrowUp, Download } from "./icons.ts";
import { enclosingPaths, findPaths } from "./json-rows.ts";
import { saveFile } from "./save-file.ts";
import { renderCount } from "./time.tsx";

const maxFound = 1_000;

type SearchProps = {
  value: unknown;
  label: string;
  /** The place that is looked at, with what has to be open to see it. */
  onFound: (path: string | null, around: readonly string[]) => void;
};

type SearchHits = { query: string; paths: readonly string[] };
const noHits: SearchHits = { query: "", paths: [] };

/** Finds names and texts in a tree, and takes it away whole. */
export function JsonSearch({ value, label, onFound }: SearchProps) {
  const [query, setQuery] = useState("");
  const [{ query: searchedQuery, paths }, setHits] = useState<SearchHits>(noHits);
  const [hitIndex, setHitIndex] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onFound` is another function with each render
  useEffect(() => {
    let isOver = false;
    setHitIndex(0);
    if (query === "") {
      setHits(noHits);
      onFound(null, []);
      return;
    }
    void findPaths(value, query, maxFound, () => isOver).then((hitPaths) => {
      if (isOver) return;
      setHits({ query, paths: hitPaths });
      const [first] = hitPaths;
      onFound(first ?? null, enclosingPaths(first ?? ""));
    });
    return () => {
      isOver = true;
    };
  }, [value, query]);
  const step = (offset: number) => {
    if (paths.length === 0) return;
    const nextIndex = (hitIndex + offset + paths.length) % paths.length;
    setHitIndex(nextIndex);
    onFound(paths[nextIndex] ?? null, enclosingPaths(paths[nextIndex] ?? ""));
  };
  const renderStatus = () => {
    if (query === "") return "";
    if (query !== searchedQuery) return "Searching …";
    if (paths.length === 0) return "not found";
    const more = paths.length === maxFound ? "+" : "";
    return `${hitIndex + 1} of ${renderCount(paths.length)}${more}`;
  };
  const renderText = () => JSON.stringify(value, null, 2);
  return (
    <div className="flex flex-wrap items-center gap-1 border-b border-line px-2 py-1 text-xs text-muted">
      <TextInput
        type="search"
        aria-label={`Find in ${label}`}
        placeholder="Find a name or a value"
        className="h-7! w-48!"
        value={query}
        onChange={({ target }) => setQuery(target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
        }}
      />
      <span role="status" className="mr-auto px-1 tabular-nums">
        {renderStatus()}
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
      <CopyButton label={`Copy ${label}`} text={renderText} />
      <IconButton
        label={`Save ${label}`}
        icon={Download}
        onClick={() => saveFile(renderText(), `${label}.json`)}
      />
    </div>
  );
}
