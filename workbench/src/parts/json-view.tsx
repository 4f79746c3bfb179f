import { useState } from "react";
import { ExactNumber } from "../api/exact-json.ts";
import { classes } from "./class-names.ts";
import { ChevronRight } from "./icons.ts";
import { LongText } from "./long-text.tsx";
import { renderCount } from "./time.tsx";
import { VisibleText } from "./visible-text.tsx";

type JsonViewProps = {
  value: unknown;
  /** Levels open at first. */
  depth?: number;
};

/** A JSON tree. All content renders as text. */
export function JsonView({ value, depth = 2 }: JsonViewProps) {
  return (
    <div className="overflow-x-auto font-mono text-xs leading-5">
      <Node value={value} depth={depth} />
    </div>
  );
}

/** Entries per level before "more". */
const atOnce = 100;
/** Entries per level that are open at first. */
const openAtOnce = 20;

function Node({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  const isBranch = typeof value === "object" && value !== null && !(value instanceof ExactNumber);
  if (!isBranch)
    return (
      <div className="pl-4">
        <Name name={name} />
        <Leaf value={value} />
      </div>
    );
  return <Branch name={name} value={value} depth={depth} />;
}

function Branch({ name, value, depth }: { name: string | undefined; value: object; depth: number }) {
  const [open, setOpen] = useState(depth > 0);
  const [limit, setLimit] = useState(atOnce);
  const isList = Array.isArray(value);
  const [left, right] = isList ? ["[", "]"] : ["{", "}"];
  // Only of what is shown: a list may have a hundred thousand.
  const names = isList ? null : Object.keys(value);
  const count = isList ? value.length : (names?.length ?? 0);
  const shown = names?.slice(0, limit) ?? Array.from({ length: Math.min(limit, count) }, (_, at) => String(at));
  if (count === 0)
    return (
      <div className="pl-4">
        <Name name={name} />
        {left}
        {right}
      </div>
    );
  return (
    <div>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)} className="flex items-center text-left">
        <ChevronRight aria-hidden className={classes("size-3.5 shrink-0 text-muted", open && "rotate-90")} />
        <span className="pl-0.5">
          <Name name={name} />
          <span className="text-muted">{open ? left : `${left} ${count} ${right}`}</span>
        </span>
      </button>
      {open && (
        <div className="ml-1.5 border-l border-line pl-2">
          {shown.map((key, at) => (
            <Node
              key={key}
              name={key}
              value={(value as Record<string, unknown>)[key]}
              depth={at < openAtOnce ? depth - 1 : 0}
            />
          ))}
          {count > limit && (
            <button type="button" className="pl-4 text-accent" onClick={() => setLimit(limit + atOnce)}>
              {renderCount(count - limit)} more …
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function Name({ name }: { name: string | undefined }) {
  return name === undefined ? null : (
    <span className="text-muted">
      <VisibleText text={name} />:{" "}
    </span>
  );
}

/** Longer strings are shown on demand. */
const maxLeaf = 2_000;

function Leaf({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && typeof value === "string" && value.length > maxLeaf;
  const text = JSON.stringify(isCut ? value.slice(0, maxLeaf) : value) ?? "undefined";
  const look = typeof value === "string" ? "text-good" : value === null ? "text-muted" : "text-accent";
  return (
    <span dir="auto" className={classes("whitespace-pre-wrap break-words", look)}>
      <LongText text={text} />
      {isCut && (
        <button type="button" className="ml-1 text-accent underline" onClick={() => setWhole(true)}>
          … show all {renderCount(value.length)} characters
        </button>
      )}
    </span>
  );
}
