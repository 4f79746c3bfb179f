import { CopyButton } from "./code-view.tsx";
import { LongText } from "./long-text.tsx";

/** Longer ones are shown as text. */
const maxLines = 5_000;

/** A text that `diff` or `git diff` wrote. */
export function looksLikeDiff(text: string): boolean {
  if (!/^(diff --git |--- \S.*\n\+\+\+ \S|@@ -\d+)/m.test(text.slice(0, 20_000))) return false;
  return /^[+-](?![+-]{2} )/m.test(text) && lineCount(text) <= maxLines;
}

function lineCount(text: string): number {
  let count = 1;
  for (
    let newlineIndex = text.indexOf("\n");
    newlineIndex >= 0;
    newlineIndex = text.indexOf("\n", newlineIndex + 1)
  )
    count += 1;
  return count;
}

const looks: [RegExp, string, string][] = [
  [/^(diff |index |--- |\+\+\+ )/, "bg-sunken font-semibold text-ink", ""],
  [/^@@/, "bg-accent-soft text-accent", ""],
  [/^\+/, "bg-good-soft text-good", "added: "],
  [/^-/, "bg-bad-soft text-bad", "removed: "],
];

/** A difference line by line, in its colours. */
export function DiffView({ text }: { text: string }) {
  const lines = text.split("\n").map((line, index) => ({ index, line }));
  return (
    <figure className="relative min-w-0 overflow-hidden rounded-md border border-line text-left">
      <figcaption className="absolute right-1 top-1">
        <CopyButton text={text} label="Copy the difference" />
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: as a region it would be a landmark */}
      <div
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable
        tabIndex={0}
        aria-label="Difference"
        className="max-h-[60vh] overflow-auto py-1 font-mono text-xs leading-5"
      >
        {lines.map(({ index, line }) => {
          const [, look = "text-muted", spokenSign = ""] =
            looks.find(([pattern]) => pattern.test(line)) ?? [];
          return (
            <div key={index} className={`min-h-5 whitespace-pre-wrap break-words px-3 ${look}`}>
              {spokenSign !== "" && <span className="sr-only">{spokenSign}</span>}
              <LongText text={line} />
            </div>
          );
        })}
      </div>
    </figure>
  );
}
