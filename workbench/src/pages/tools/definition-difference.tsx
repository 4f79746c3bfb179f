import type { PinDiff } from "../../../../src/model/catalogue/change-schema.ts";
import { VisibleText } from "../../parts/visible-text.tsx";

/** The changes of a definition, by path. */
export function DefinitionDifference({ difference }: { difference: PinDiff["difference"] }) {
  return (
    <ul aria-label="What is different" className="flex flex-col gap-2">
      {difference.map(({ where, before, after }) => (
        <li
          key={where}
          className="overflow-hidden rounded-md border border-line bg-surface font-mono text-xs leading-5"
        >
          <div className="border-b border-line bg-sunken px-3 py-1 text-muted">
            <VisibleText text={where} />
          </div>
          {before !== null && <Side sign="−" look="bg-bad-soft text-bad" text={before} />}
          {after !== null && <Side sign="+" look="bg-good-soft text-good" text={after} />}
        </li>
      ))}
    </ul>
  );
}

function Side({ sign, look, text }: { sign: string; look: string; text: string }) {
  return (
    <div className={`flex gap-2 px-3 py-1 ${look}`}>
      <span className="shrink-0 select-none">{sign}</span>
      <span className="min-w-0 whitespace-pre-wrap break-words">
        <VisibleText text={text} />
      </span>
    </div>
  );
}
