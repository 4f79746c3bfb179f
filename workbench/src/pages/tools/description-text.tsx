import { CodeView } from "../../parts/code-view.tsx";
import { Code, FileText } from "../../parts/icons.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { looksLikeMarkdown } from "../../parts/markdown-tree.ts";
import { Views } from "../../parts/views.tsx";
import { VisibleText } from "../../parts/visible-text.tsx";

const isMarkdown = (text: string) => looksLikeMarkdown(text) || /`[^`\n]+`/.test(text);

/** The description of a tool, also as models get it. */
export function Description({ text }: { text: string }) {
  if (!isMarkdown(text)) return <DescriptionText text={text} />;
  return (
    <Views
      label="How to show the description"
      views={[
        { name: "Formatted", icon: FileText, show: () => <DescriptionText text={text} /> },
        { name: "Text", icon: Code, show: () => <CodeView wrap label="description" text={text} /> },
      ]}
    />
  );
}

/** What a server says of its tool: formatted where it is Markdown, in its own lines otherwise. */
export function DescriptionText({ text }: { text: string }) {
  if (isMarkdown(text))
    return (
      <div className="min-w-0 max-w-full [&>div]:text-sm">
        <Markdown text={text} />
      </div>
    );
  return (
    <p dir="auto" className="max-w-full whitespace-pre-wrap break-words text-sm">
      <VisibleText text={text} />
    </p>
  );
}
