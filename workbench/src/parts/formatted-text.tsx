import { useState } from "react";
import { Button } from "./button.tsx";
import { Markdown } from "./markdown.tsx";
import { looksLikeMarkdown } from "./markdown-blocks.ts";
import { ResultText } from "./result-text.tsx";

/** The result of a tool as it came; where it looks like Markdown, also formatted. */
export function FormattedText({ text }: { text: string }) {
  const [isFormatted, setFormatted] = useState(false);
  if (/^\s*[[{<]/.test(text) || !looksLikeMarkdown(text)) return <ResultText text={text} />;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <Button
        variant="quiet"
        aria-pressed={isFormatted}
        className="h-6! self-end px-2! text-xs"
        onClick={() => setFormatted(!isFormatted)}
      >
        {isFormatted ? "Raw" : "Markdown"}
      </Button>
      {isFormatted ? (
        <div className="max-h-[50vh] overflow-auto rounded-md border border-line px-3 py-2">
          <Markdown text={text} />
        </div>
      ) : (
        <ResultText text={text} />
      )}
    </div>
  );
}
