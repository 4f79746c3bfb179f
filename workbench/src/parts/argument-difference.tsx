import type { JsonObject } from "../../../src/model/json.ts";
import { type DiffLine, diffLines } from "./diff-lines.ts";
import { LongText } from "./long-text.tsx";
import { VisibleText } from "./visible-text.tsx";

type DifferenceProps = { before: JsonObject; after: JsonObject };

/** What an edit changes, argument by argument and line by line. */
export function ArgumentDifference({ before, after }: DifferenceProps) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => textOf(before[name]) !== textOf(after[name]));
  if (changed.length === 0) return <p className="text-xs text-muted">No changes yet.</p>;
  return (
    <ul aria-label="Your changes" className="flex flex-col gap-2">
      {changed.map((name) => (
        <li
          key={name}
          className="overflow-hidden rounded-md border border-line font-mono text-xs leading-5"
        >
          <div className="border-b border-line bg-sunken px-3 py-1 text-muted">
            <VisibleText text={name} />
          </div>
          {diffLines(textOf(before[name]), textOf(after[name])).map((line) => (
            <DifferenceLine key={line.key} line={line} />
          ))}
        </li>
      ))}
    </ul>
  );
}

const looks = {
  "−": "bg-bad-soft text-bad",
  "+": "bg-good-soft text-good",
  " ": "text-muted",
} as const;
const spoken = { "−": "before: ", "+": "after: ", " ": "" } as const;

function DifferenceLine({ line: { sign, text } }: { line: DiffLine }) {
  return (
    <div className={`flex gap-2 px-3 ${looks[sign]}`}>
      <span aria-hidden className="w-2 shrink-0 select-none">
        {sign}
      </span>
      <span dir="auto" className="min-w-0 whitespace-pre-wrap break-words">
        <span className="sr-only">{spoken[sign]}</span>
        <LongText text={text} />
      </span>
    </div>
  );
}

function textOf(argument: unknown): string {
  if (argument === undefined) return "";
  return typeof argument === "string" ? argument : JSON.stringify(argument, null, 2);
}
