import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useMemo, useRef, useState } from "react";
import { classes } from "./class-names.ts";
import { ChevronRight } from "./icons.ts";
import { type JsonRow, type JsonRows, levelsAtFirst, rowsOf } from "./json-rows.ts";
import { JsonSearch } from "./json-search.tsx";
import { createLineKeys } from "./line-keys.ts";
import { LongText } from "./long-text.tsx";
import { renderCount } from "./time.tsx";
import { VisibleText } from "./visible-text.tsx";

type JsonViewProps = {
  value: unknown;
  /** The accessible name. */
  label?: string;
};

/** More lines are drawn as they come into view; so many are all open at first. */
const plainRows = 200;
const rowHeight = 20;

/** A JSON tree of any size, with a search where it is long. All content renders as text. */
export function JsonView({ value, label = "JSON" }: JsonViewProps) {
  const [opened, setOpened] = useState<ReadonlyMap<string, boolean>>(() => new Map());
  const [foundPath, setFoundPath] = useState<string | null>(null);
  const depth = useMemo(() => levelsAtFirst(value, plainRows), [value]);
  const rows = useMemo(() => rowsOf(value, depth, opened), [value, depth, opened]);
  const latestRows = useRef(rows);
  latestRows.current = rows;
  const keys = useRef(createLineKeys()).current;
  const toggle = useRef((row: JsonRow) => {
    keys.changedBehind(latestRows.current.indexOf(row.path));
    setOpened((before) => new Map(before).set(row.path, !row.isOpen));
  }).current;
  const isLong = rows.length > plainRows || isLarge(value);
  const scrollTo = useRef<(index: number) => void>(() => undefined);
  const showPath = (path: string | null, around: readonly string[]) => {
    setFoundPath(path);
    if (path === null) return;
    const nextOpened = new Map(opened);
    const closedIndexes = around
      .map((holder) => rows.indexOf(holder))
      .filter((index) => index >= 0 && !rows.at(index)?.isOpen);
    for (const index of closedIndexes) keys.changedBehind(index);
    for (const holder of around) nextOpened.set(holder, true);
    setOpened(nextOpened);
    scrollTo.current(rowsOf(value, depth, nextOpened).indexOf(path));
  };
  if (!isLong)
    return (
      <div className="overflow-x-auto font-mono text-xs leading-5">
        {Array.from({ length: rows.length }, (_, index) => rows.at(index)).map(
          (row) => row && <Line key={row.path} row={row} onToggle={toggle} isFound={false} />,
        )}
      </div>
    );
  return (
    <div className="flex min-w-0 flex-col rounded-md border border-line">
      <JsonSearch value={value} label={label} onFound={showPath} />
      <VirtualLines
        rows={rows}
        label={label}
        onToggle={toggle}
        foundPath={foundPath}
        scrollTo={scrollTo}
        keyOf={keys.keyOf}
      />
    </div>
  );
}

const isLarge = (value: unknown) => Array.isArray(value) && value.length > plainRows;

type LinesProps = {
  rows: JsonRows;
  label: string;
  onToggle: (row: JsonRow) => void;
  foundPath: string | null;
  scrollTo: { current: (index: number) => void };
  keyOf: (index: number) => number;
};

function VirtualLines({ rows, label, onToggle, foundPath, scrollTo, keyOf }: LinesProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
    overscan: 10,
  });
  // The rows with the place may come with the next render only.
  scrollTo.current = (index) =>
    requestAnimationFrame(() => virtual.scrollToIndex(index, { align: "center" }));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a page may have many of them, which as regions would be landmarks
    <div
      ref={scroller}
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
      tabIndex={0}
      className="h-[60vh] overflow-auto p-2 font-mono text-xs leading-5"
    >
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows.at(index);
          return (
            row && (
              <div
                key={row.path}
                ref={virtual.measureElement}
                data-index={index}
                style={{ top: start }}
                className="absolute inset-x-0"
              >
                <Line row={row} onToggle={onToggle} isFound={row.path === foundPath} />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

const indent = 14;

type LineProps = { row: JsonRow; onToggle: (row: JsonRow) => void; isFound: boolean };

const Line = memo(
  ({ row, onToggle, isFound }: LineProps) => (
    <div
      style={{ paddingLeft: row.depth * indent }}
      className={classes("rounded", isFound && "bg-warn-soft")}
    >
      <LineContent row={row} onToggle={onToggle} />
    </div>
  ),
  (before, after) =>
    before.isFound === after.isFound &&
    before.row.value === after.row.value &&
    before.row.isOpen === after.row.isOpen &&
    before.row.path === after.row.path,
);

function LineContent({ row, onToggle }: Pick<LineProps, "row" | "onToggle">) {
  const { name, value, kind, isOpen, count } = row;
  const [openBracket, closeBracket] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (kind === "leaf")
    return (
      <div className="pl-4">
        <Name name={name} />
        <Leaf value={value} />
      </div>
    );
  if (kind === "end") return <div className="pl-4 text-muted">{closeBracket}</div>;
  if (count === 0)
    return (
      <div className="pl-4">
        <Name name={name} />
        <span className="text-muted">
          {openBracket}
          {closeBracket}
        </span>
      </div>
    );
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => onToggle(row)}
      className="flex items-center text-left"
    >
      <ChevronRight
        aria-hidden
        className={classes("size-4 shrink-0 text-muted", isOpen && "rotate-90")}
      />
      <span>
        <Name name={name} />
        <span className="text-muted">
          {isOpen ? openBracket : `${openBracket} ${renderCount(count)} ${closeBracket}`}
        </span>
      </span>
    </button>
  );
}

function Name({ name }: { name: string | null }) {
  if (name === null) return null;
  return (
    <span className="text-muted">
      <VisibleText text={name} />:{" "}
    </span>
  );
}

/** Of a longer string only these are shown until a person asks for all. */
const maxLeafCharacters = 2_000;

function colourOf(value: unknown): string {
  if (value === null) return "text-muted";
  return typeof value === "string" ? "text-ink" : "text-accent";
}

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && typeof value === "string" && value.length > maxLeafCharacters;
  const text = JSON.stringify(isCut ? value.slice(0, maxLeafCharacters) : value) ?? "undefined";
  return (
    <span dir="auto" className={classes("whitespace-pre-wrap break-words", colourOf(value))}>
      <LongText text={text} />
      {isCut && (
        <button type="button" className="ml-1 text-accent underline" onClick={() => setWhole(true)}>
          … show all {renderCount(value.length)} characters
        </button>
      )}
    </span>
  );
}
